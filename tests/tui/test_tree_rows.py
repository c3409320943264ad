"""The tree as rows, whatever its shape."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, UserMessage
from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    EntryRecord,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionFile,
    StoredEntry,
)
from pi_term.tui.screens.tree_search import find_entries
from pi_term.tui.screens.tree_text import row_text
from pi_term.tui.tree_rows import Filter, silent_answers, tree_rows


def said(text: str) -> MessageEntry:
    return MessageEntry(UserMessage([TextContent(text)]))


def answered(*content: TextContent | ToolCall, stop: str = "stop", error: str | None = None) -> MessageEntry:
    return MessageEntry(AssistantMessage(list(content), stop_reason=stop, error_message=error))  # type: ignore[arg-type]


def drawn(file: SessionFile, mode: Filter = "default") -> list[str]:
    rows = tree_rows(file.tree, mode)
    return [rows.guides(place) + row_text(entry)[0] for place, entry in enumerate(rows.entries)]


def test_a_conversation_without_branches_is_flat() -> None:
    file = SessionFile.in_memory("/")
    records: list[EntryRecord] = [
        ModelChangeEntry(provider="p", model_id="m"),
        said("do\n\n it " + "x" * 900),
        answered(ToolCall("1", "bash", {"command": "pytest -q"}), ToolCall("2", "deploy", {"to": "x"})),
        MessageEntry(ToolResultMessage("1", "bash", [TextContent("ok")])),
        MessageEntry(ToolResultMessage("2", "deploy", [TextContent("no")], is_error=True)),
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
        "● bash pytest -q",
        "✗ deploy",
        "Done.",
        "failed: 503 busy",
        "! ls",
        "!! env",
        "compaction: Goal",
        "summary of a branch: tried",
        "plan: step one",
        "you: (no text)",
    ]


def branched() -> SessionFile:
    file = SessionFile.in_memory("/")
    first = file.add(said("first"))
    file.add(answered(TextContent("answer")))
    for text in ("second", "other"):
        file.tree.leaf = first
        file.add(said(text))
        file.add(answered(TextContent(f"to {text}")))
    return file


def test_what_is_gone_on_with_stands_at_the_edge_and_what_branched_off_is_indented() -> None:
    file = branched()
    leaf = file.add(ModelChangeEntry(provider="p", model_id="m"))
    assert drawn(file) == ["you: first", "├answer", "├you: second", "│  to second", "you: other", "to other"]
    rows = tree_rows(file.tree)
    assert rows.place_of(leaf) == 5
    assert rows.place_of(None) == -1
    assert [rows.is_fold(place) for place in range(6)] == [False, True, True, False, True, False]
    file.tree.leaf = file.tree.by_id[rows.entries[3].id]
    assert drawn(file) == ["you: first", "├answer", "├you: other", "│  to other", "you: second", "to second"]


def test_folding_hides_a_branch_and_nothing_else() -> None:
    rows = tree_rows(branched().tree)
    assert rows.unfolded(()) == [0, 1, 2, 3, 4, 5]
    assert rows.unfolded({rows.entries[2]}) == [0, 1, 2, 4, 5]
    assert rows.unfolded({rows.entries[4]}) == [0, 1, 2, 3, 4]
    assert rows.unfolded({rows.entries[0], rows.entries[3]}) == [0, 1, 2, 3, 4, 5]


def test_very_deep_branches_stay_readable() -> None:
    file = SessionFile.in_memory("/")
    entry = None
    for number in range(1_000):
        file.tree.leaf = entry
        file.add(said(f"gone on with {number}"))
        file.add(said("left"))
        file.tree.leaf = entry
        entry = file.add(said(f"turn {number}"))
        file.add(said("left, too"))
    rows = tree_rows(file.tree)
    assert len(rows.entries) == 4_000
    assert max(len(rows.guides(place)) for place in range(4_000)) < 32


def test_what_each_filter_shows() -> None:
    file = SessionFile.in_memory("/")
    file.add(ModelChangeEntry(provider="p", model_id="m"))
    prompt = file.add(said("go"))
    file.add(answered(ToolCall("1", "bash", {"command": "ls"})))
    file.add(MessageEntry(ToolResultMessage("1", "bash", [TextContent("a")])))
    file.add(answered(TextContent("done")))
    file.add(LabelEntry(target_id=prompt.id, label="start"))
    assert drawn(file) == ["you: go", "● bash ls", "done"]
    assert drawn(file, "no-tools") == ["you: go", "done"]
    assert drawn(file, "user-only") == ["you: go"]
    assert drawn(file, "labeled-only") == ["you: go"]
    everything = drawn(file, "all")
    assert everything[0] == "(model: p/m)"
    assert everything[-1] == "(label: start)"
    assert len(everything) == 6


def test_an_answer_of_calls_alone_shows_only_where_one_is(tmp_path: Path) -> None:
    """Also where it stands in a file, and whatever is in the arguments."""
    file = SessionFile.create(tmp_path, tmp_path)
    file.add(said("go"))
    calls = file.add(answered(ToolCall("1", "bash", {"command": 'echo "text": "x"'})))
    assert drawn(file)[-1].startswith("● bash echo")
    file.add(MessageEntry(ToolResultMessage("1", "bash", [TextContent("x")])))
    spoken = file.add(answered(TextContent("said"), ToolCall("2", "read", {"path": "a"})))
    file.flush()
    again = SessionFile.open(next(tmp_path.glob("*.jsonl")))
    assert [each.id for each in silent_answers(again.tree)] == [calls.id]
    assert [entry.id for entry in tree_rows(again.tree).entries][-1] == spoken.id
    assert len(tree_rows(again.tree).entries) == 3


def test_searching_finds_texts_labels_and_what_tools_were_called_with(tmp_path: Path) -> None:
    file = SessionFile.create(tmp_path, tmp_path)
    prompt = file.add(said("Wo ist die STRASSE?"))
    file.add(answered(ToolCall("1", "bash", {"command": "grep needle"})))
    result = file.add(MessageEntry(ToolResultMessage("1", "bash", [TextContent("in the hay")])))
    file.add(LabelEntry(target_id=result.id, label="Found it"))
    file.flush()
    last = file.add(answered(TextContent("not written yet")))

    def find(query: str) -> set[StoredEntry]:
        return find_entries(file.tree, query, lambda: True)

    assert find("straße") == {prompt}
    assert result in find("needle")
    assert find("found hay") == {result}
    assert find("written") == {last}
    assert find("nothing of that") == set()
    assert find('"not written') == {last}
    assert find('"written not"') == set()
    assert find(r"re:stra(ss|ß)e\?") == {prompt}
    assert find("re:found.*hay") == {result}
    assert find("re:") == set()
    with pytest.raises(PiTermError, match="unclosed group"):
        find("re:a(")
    with pytest.raises(AbortError):
        find_entries(file.tree, "straße", lambda: False)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=30), st.integers(0, 30), st.booleans())
def test_every_row_comes_once_and_after_what_it_hangs_on(
    shape: list[tuple[int, bool]], leaf: int, all_of_them: bool
) -> None:
    file = SessionFile.in_memory("/")
    entries: list[StoredEntry] = []
    for number, (parent, hidden) in enumerate(shape):
        file.tree.leaf = entries[parent] if parent < len(entries) else None
        record = ModelChangeEntry(provider="p", model_id="m") if hidden else said(f"{number}")
        entries.append(file.add(record))
    file.tree.leaf = entries[leaf] if leaf < len(entries) else None
    tree = tree_rows(file.tree, "all" if all_of_them else "default")
    rows = tree.entries
    assert set(rows) == {entry for entry in entries if all_of_them or entry.type == "message"}
    assert len(rows) == len(set(rows))
    for place, entry in enumerate(rows):
        above = entry.parent
        while above is not None and above not in rows:
            above = above.parent
        assert above is None or rows.index(above) < place
        segment = tree.segment_at(place)
        assert segment.start <= place < segment.end
    active = [entry for entry in rows if entry in tree.active]
    assert all(tree.guides(rows.index(entry)) == "" for entry in active)
