"""The tree as rows, whatever its shape."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, UserMessage
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    EntryRecord,
    MessageEntry,
    ModelChangeEntry,
    SessionFile,
)
from pi_term.tui.tree_rows import place_of, row_text, tree_rows


def said(text: str) -> MessageEntry:
    return MessageEntry(UserMessage([TextContent(text)]))


def answered(*content: TextContent | ToolCall, stop: str = "stop", error: str | None = None) -> MessageEntry:
    return MessageEntry(AssistantMessage(list(content), stop_reason=stop, error_message=error))  # type: ignore[arg-type]


def drawn(file: SessionFile) -> list[str]:
    return [row.branches + row_text(row.entry) for row in tree_rows(file.tree)]


def test_a_conversation_without_branches_is_flat() -> None:
    file = SessionFile.in_memory("/")
    records: list[EntryRecord] = [
        ModelChangeEntry(provider="p", model_id="m"),
        said("do\n\n it " + "x" * 900),
        answered(ToolCall("1", "bash", {"command": "pytest -q"}), ToolCall("2", "deploy", {"to": "x"})),
        MessageEntry(ToolResultMessage("1", "bash", [TextContent("ok")])),
        answered(TextContent("**Done.**")),
        answered(stop="error", error="503 busy"),
        MessageEntry(BashExecutionMessage("ls", "a")),
        MessageEntry(BashExecutionMessage("env", "a", exclude_from_context=True)),
        CompactionEntry(summary="## Goal", first_kept_entry_id="x"),
        BranchSummaryEntry(summary="tried", from_id="x"),
        CustomMessageEntry("plan", "step one"),
        said(""),
    ]
    for record in records:
        file.add(record)
    rows = drawn(file)
    assert rows[0].startswith("you: do it xxx")
    assert len(rows[0]) < 220
    assert rows[1:] == [
        "● bash pytest -q, deploy",
        "**Done.**",
        "failed: 503 busy",
        "! ls",
        "!! env",
        "compaction: ## Goal",
        "summary of a branch: tried",
        "plan: step one",
        "you: (no text)",
    ]


def test_branches_are_drawn_and_one_is_where_the_leaf_is() -> None:
    file = SessionFile.in_memory("/")
    first = file.add(said("first"))
    file.add(answered(TextContent("answer")))
    for text in ("second", "other"):
        file.tree.leaf = first
        file.add(said(text))
        file.add(answered(TextContent(f"to {text}")))
    leaf = file.add(ModelChangeEntry(provider="p", model_id="m"))
    assert drawn(file) == [
        "you: first",
        "├─ answer",
        "├─ you: second",
        "│  to second",
        "└─ you: other",
        "   to other",
    ]
    assert place_of(tree_rows(file.tree), leaf) == 5
    assert place_of(tree_rows(file.tree), None) == -1


def test_very_deep_branches_stay_readable() -> None:
    file = SessionFile.in_memory("/")
    for number in range(3_000):
        entry = file.add(said(f"turn {number}"))
        file.add(answered(TextContent("left")))
        file.tree.leaf = entry
    rows = tree_rows(file.tree)
    assert len(rows) == 6_000
    assert max(len(row.branches) for row in rows) < 32


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=30))
def test_every_row_comes_once_and_after_what_it_hangs_on(shape: list[tuple[int, bool]]) -> None:
    file = SessionFile.in_memory("/")
    entries = []
    for number, (parent, hidden) in enumerate(shape):
        file.tree.leaf = entries[parent] if parent < len(entries) else None
        record = ModelChangeEntry(provider="p", model_id="m") if hidden else said(f"{number}")
        entries.append(file.add(record))
    rows = [row.entry for row in tree_rows(file.tree)]
    assert set(rows) == {entry for entry in entries if entry.type == "message"}
    assert len(rows) == len(set(rows))
    for place, entry in enumerate(rows):
        above = entry.parent
        while above is not None and above.type != "message":
            above = above.parent
        assert above is None or rows.index(above) < place
