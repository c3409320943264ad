"""What a model sees of a branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import (
    AssistantMessage,
    SystemMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_term.ai.tools import Tool
from pi_term.base.abort import AbortError
from pi_term.coding.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
)
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    ModelRef,
    SessionFile,
    StoredEntry,
    ThinkingLevelChangeEntry,
    UsageEntry,
    build_context,
    chosen_model,
    chosen_thinking_level,
    replay_system,
    select_entries,
)


class Talk:
    """A session in memory that is told in short words."""

    def __init__(self) -> None:
        self.session = SessionFile.in_memory("/w")

    def user(self, text: str) -> StoredEntry:
        return self.session.append(MessageEntry(UserMessage(content=[TextContent(text)])))

    def answer(self, text: str, model: str = "m") -> StoredEntry:
        message = AssistantMessage(content=[TextContent(text)], provider="p", model=model, stop_reason="stop")
        return self.session.append(MessageEntry(message))

    def system(self, **sections: str | None) -> StoredEntry:
        return self.session.append(MessageEntry(SystemMessage(sections=dict(sections))))

    def seen(self) -> list[str]:
        """Role and text of each message, as `user:hello`."""
        out = []
        for message in build_context(self.session.tree).messages:
            if isinstance(message, CompactionSummaryMessage | BranchSummaryMessage):
                text = message.summary
            elif isinstance(message, SystemMessage):
                text = ",".join(message.sections or ())
            elif isinstance(message, BashExecutionMessage):
                text = message.command
            else:
                text = text_of(getattr(message, "content", ""))
            out.append(f"{message.role}:{text}")
        return out


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_only_what_is_for_the_context_makes_messages(talk: Talk) -> None:
    talk.session.append(ModelChangeEntry("p", "m"))
    talk.session.append(ThinkingLevelChangeEntry("high"))
    talk.system(preamble="p")
    first = talk.user("hello")
    talk.session.append(CustomEntry("x", {"state": 1}))
    talk.session.append(UsageEntry("cache_warm", "p", "m"))
    talk.session.append(LabelEntry(first.id, "mark"))
    talk.session.append(CustomMessageEntry("x", "note", display=False, details={"a": 1}))
    talk.session.append(BranchSummaryEntry("e9", "left"))
    talk.session.append(MessageEntry(BashExecutionMessage("ls", "a", 0)))
    context = build_context(talk.session.tree)
    assert talk.seen() == [
        "system:preamble",
        "user:hello",
        "custom:note",
        "branchSummary:left",
        "bashExecution:ls",
    ]
    tree = talk.session.tree
    assert (chosen_model(tree), chosen_thinking_level(tree)) == (ModelRef("p", "m"), "high")
    assert replay_system(context.messages).sections == {"preamble": "p"}
    assert [source.type for source in context.sources] == [
        "message",
        "message",
        "custom_message",
        "branch_summary",
        "message",
    ]
    custom = context.messages[2]
    assert isinstance(custom, CustomMessage)
    assert (custom.details, custom.display) == ({"a": 1}, False)
    assert abs(custom.timestamp - context.messages[1].timestamp) < 60_000


def test_an_empty_session(talk: Talk) -> None:
    tree = talk.session.tree
    assert build_context(tree).messages == []
    assert (chosen_model(tree), chosen_thinking_level(tree)) == (None, None)


class TestModel:
    def test_the_one_that_answered_last_where_that_is_later(self, talk: Talk) -> None:
        talk.session.append(ModelChangeEntry("p", "chosen"))
        talk.answer("a", model="other")
        assert chosen_model(talk.session.tree) == ModelRef("p", "other")
        talk.session.append(ModelChangeEntry("q", "chosen-later"))
        talk.user("b")
        assert chosen_model(talk.session.tree) == ModelRef("q", "chosen-later")

    def test_choices_before_a_compaction_count(self, talk: Talk) -> None:
        talk.session.append(ModelChangeEntry("p", "m"))
        talk.session.append(ThinkingLevelChangeEntry("low"))
        talk.user("a")
        talk.session.append(CompactionEntry("S", "none", 10))
        tree = talk.session.tree
        assert (chosen_model(tree), chosen_thinking_level(tree)) == (ModelRef("p", "m"), "low")


class TestCompaction:
    def test_summary_then_kept_then_later(self, talk: Talk) -> None:
        talk.system(preamble="p")
        talk.user("old")
        kept = talk.user("kept")
        talk.system(rules="r")
        talk.answer("kept answer")
        talk.session.append(
            CompactionEntry("S", kept.id, 10, system_message=SystemMessage(sections={"all": "x"}))
        )
        talk.user("new")
        assert talk.seen() == [
            "system:all",
            "compactionSummary:S",
            "user:kept",
            "assistant:kept answer",
            "user:new",
        ]
        context = build_context(talk.session.tree)
        assert replay_system(context.messages).sections == {"all": "x"}
        assert context.sources[0] is context.sources[1]

    def test_the_latest_one_counts_and_silences_kept_ones(self, talk: Talk) -> None:
        first = talk.user("first")
        talk.session.append(CompactionEntry("S1", first.id, 10))
        kept = talk.session.append(CompactionEntry("S2", first.id, 10))
        talk.user("between")
        talk.session.append(CompactionEntry("S3", kept.id, 10))
        assert talk.seen() == ["compactionSummary:S3", "user:between"]

    def test_its_own_id_or_an_unknown_one_keep_nothing(self, talk: Talk) -> None:
        talk.user("old")
        talk.session.append(CompactionEntry("S", "12345678", 10, id="12345678"))
        talk.user("new")
        assert talk.seen() == ["compactionSummary:S", "user:new"]
        talk.session.append(CompactionEntry("T", "unknown", 10))
        assert talk.seen() == ["compactionSummary:T"]

    def test_a_kept_range_that_begins_in_a_gap_is_kept_as_far_as_it_goes(
        self, tmp_path: Path, build: Any
    ) -> None:
        lines = [
            build.message("e5", "e4", "after the gap"),
            build.entry("compaction", "c", "e5", summary="S", firstKeptEntryId="e3", tokensBefore=1),
            build.message("e6", "c", "new"),
        ]
        tree = SessionFile.open(build.file(tmp_path, *lines)).tree
        assert [entry.id for entry in select_entries(tree)] == ["c", "e5", "e6"]

    def test_without_an_id_it_kept_nothing(self, tmp_path: Path, build: Any) -> None:
        lines = [
            build.message("e5", "e4", "after the gap"),
            build.entry("compaction", "c", "e5", summary="S", tokensBefore=1),
        ]
        tree = SessionFile.open(build.file(tmp_path, *lines)).tree
        assert [entry.id for entry in select_entries(tree)] == ["c"]

    def test_older_files_have_no_system_messages(self, talk: Talk) -> None:
        """As 0.83.0 writes them: the prompt is nowhere in the file."""
        talk.user("old")
        kept = talk.user("kept")
        talk.session.append(CompactionEntry("S", kept.id, 10))
        talk.answer("new")
        assert talk.seen() == ["compactionSummary:S", "user:kept", "assistant:new"]
        assert replay_system(build_context(talk.session.tree).messages).is_empty

    def test_system_messages_from_before_it_are_dropped_with_and_without_a_checkpoint(
        self, talk: Talk
    ) -> None:
        first = talk.system(preamble="p")
        talk.user("kept")
        talk.session.append(CompactionEntry("S", first.id, 10))
        talk.system(later="x")
        assert talk.seen() == ["compactionSummary:S", "user:kept", "system:later"]

    def test_an_older_one_in_what_was_kept_is_silent_but_its_kept_entries_are_there(self, talk: Talk) -> None:
        first = talk.user("first")
        talk.session.append(CompactionEntry("S1", "nothing", 10))
        talk.user("second")
        talk.session.append(CompactionEntry("S2", first.id, 10))
        assert talk.seen() == ["compactionSummary:S2", "user:first", "user:second"]

    def test_the_walk_ends_where_the_context_begins(self, talk: Talk) -> None:
        talk.session.append(ModelChangeEntry("p", "m"))
        talk.session.append(ThinkingLevelChangeEntry("off"))
        for number in range(200):
            talk.user(f"{number}")
        kept = talk.user("kept")
        talk.session.append(CompactionEntry("S", kept.id, 10))
        talk.user("new")
        selected = select_entries(talk.session.tree)
        assert [entry.type for entry in selected] == ["compaction", "message", "message"]

    def test_on_another_branch_it_does_not_count(self, talk: Talk) -> None:
        first = talk.user("first")
        talk.session.append(CompactionEntry("S", first.id, 10))
        talk.session.tree.leaf = talk.session.tree.get(first.id)
        talk.user("again")
        assert talk.seen() == ["user:first", "user:again"]


class TestKept:
    """How many messages are from before the latest compaction: their usage figures are out of date."""

    def test_none_without_a_compaction(self, talk: Talk) -> None:
        talk.user("a")
        assert build_context(talk.session.tree).kept == 0

    @pytest.mark.parametrize("checkpoint", [None, SystemMessage(sections={"all": "x"})])
    def test_the_compaction_and_what_it_kept(self, talk: Talk, checkpoint: SystemMessage | None) -> None:
        talk.user("old")
        kept = talk.user("kept")
        talk.session.append(ModelChangeEntry("p", "m"))
        edited = talk.answer("edited out")
        talk.session.append(CompactionEntry("S", kept.id, 10, system_message=checkpoint))
        own = 1 if checkpoint is None else 2
        assert build_context(talk.session.tree).kept == own + 2
        talk.user("new")
        talk.session.append(ContextEditEntry(edited.id))
        context = build_context(talk.session.tree)
        assert context.kept == own + 1
        assert len(context.messages) == own + 2

    def test_one_that_kept_nothing(self, talk: Talk) -> None:
        talk.user("old")
        talk.session.append(CompactionEntry("S", "12345678", 10, id="12345678"))
        assert build_context(talk.session.tree).kept == 1
        talk.user("new")
        assert build_context(talk.session.tree).kept == 1


def test_a_context_that_nobody_wants_any_more(talk: Talk) -> None:
    for number in range(100):
        talk.user(f"{number}")
    asked: list[int] = []

    def wanted() -> bool:
        asked.append(1)
        return len(asked) < 10

    with pytest.raises(AbortError):
        build_context(talk.session.tree, wanted=wanted)
    assert len(asked) == 10
    assert len(build_context(talk.session.tree).messages) == 100


class TestLongBranch:
    """Under a compaction the work depends on what it left, not on what was before."""

    @pytest.fixture
    def steps(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """Grows by each step from an entry to its parent."""
        taken: list[int] = []
        slot = StoredEntry.parent

        def get(entry: StoredEntry) -> StoredEntry | None:
            taken.append(1)
            return slot.__get__(entry)  # type: ignore[attr-defined, no-any-return]

        def put(entry: StoredEntry, parent: StoredEntry | None) -> None:
            slot.__set__(entry, parent)  # type: ignore[attr-defined]

        monkeypatch.setattr(StoredEntry, "parent", property(get, put))
        return taken

    @pytest.mark.parametrize(
        ("count", "first_kept"), [(50_000, "e49990"), (3000, "e2990"), (3000, "c"), (3000, "nowhere")]
    )
    def test_is_not_walked_whole(
        self, tmp_path: Path, build: Any, steps: list[int], count: int, first_kept: str
    ) -> None:
        compaction = build.entry(
            "compaction", "c", f"e{count}", summary="S", firstKeptEntryId=first_kept, tokensBefore=1
        )
        lines = [*build.chain(count), compaction, build.message("last", "c")]
        session = SessionFile.open(build.file(tmp_path, *lines))
        steps.clear()
        context = build_context(session.tree)
        assert len(context.messages) == (13 if first_kept.startswith("e") else 2)
        assert len(steps) < 50


class TestContextEdits:
    def test_omission(self, talk: Talk) -> None:
        talk.user("a")
        failed = talk.answer("failed")
        talk.session.append(ContextEditEntry(failed.id))
        talk.user("b")
        assert talk.seen() == ["user:a", "user:b"]

    def test_a_retried_error(self, talk: Talk) -> None:
        """The error stays in the file; the model sees neither it nor a trace of it."""
        talk.user("a")
        message = AssistantMessage(content=[TextContent("half")], stop_reason="error", error_message="503")
        failed = talk.session.append(MessageEntry(message))
        talk.session.append(ContextEditEntry(failed.id))
        talk.answer("whole")
        assert talk.seen() == ["user:a", "assistant:whole"]
        assert failed in talk.session.tree.branch()
        first = talk.session.tree.branch()[0]
        talk.session.append(CompactionEntry("S", first.id, 10))
        assert talk.seen() == ["compactionSummary:S", "user:a", "assistant:whole"]

    def test_the_latest_edit_wins_and_only_on_its_branch(self, talk: Talk) -> None:
        first = talk.user("a")
        talk.session.append(ContextEditEntry(first.id))
        before = talk.session.append(ContextEditEntry(first.id, "x"))
        talk.session.append(ContextEditEntry(first.id, [TextContent("y")]))
        assert talk.seen() == ["user:y"]
        talk.session.tree.leaf = talk.session.tree.get(before.id)
        assert talk.seen() == ["user:x"]
        talk.session.tree.leaf = talk.session.tree.get(first.id)
        assert talk.seen() == ["user:a"]

    def test_a_string_becomes_a_block_where_the_role_needs_one(self, talk: Talk) -> None:
        answer = talk.answer("a")
        result = talk.session.append(
            MessageEntry(ToolResultMessage("c", "read", [TextContent("r")], details=1))
        )
        talk.session.append(ContextEditEntry(answer.id, "A"))
        talk.session.append(ContextEditEntry(result.id, "R"))
        edited = build_context(talk.session.tree).messages
        assert [message.to_json()["content"] for message in edited] == [
            [{"type": "text", "text": "A"}],
            [{"type": "text", "text": "R"}],
        ]
        assert edited[1].to_json()["details"] == 1
        assert answer.data["message"]["content"][0]["text"] == "a"

    def test_content_for_what_has_none_changes_nothing(self, talk: Talk) -> None:
        shell = talk.session.append(MessageEntry(BashExecutionMessage("ls", "a", 0)))
        talk.session.append(ContextEditEntry(shell.id, "x"))
        assert talk.seen() == ["bashExecution:ls"]
        talk.session.append(ContextEditEntry(shell.id))
        assert talk.seen() == []


def test_messages_of_a_wrong_shape_are_left_out_and_reported(tmp_path: Path, build: Any) -> None:
    lines = [
        build.message("e1", None, "good"),
        build.entry("message", "e2", "e1", message={"role": "user", "content": 5}),
        build.entry("message", "e3", "e2"),
        build.entry("message", "e4", "e3", message={"role": "toolResult", "content": ["text"]}),
        build.entry("context_edit", "e5", "e4", targetId="e1", replacement={}),
        build.message("e6", "e5", "also good"),
    ]
    session = SessionFile.open(build.file(tmp_path, *lines))
    context = build_context(session.tree)
    assert [source.id for source in context.sources] == ["e1", "e6"]
    assert len(session.diagnostics) == 4


def test_tools_and_sections_are_replayed(talk: Talk) -> None:
    talk.session.append(
        MessageEntry(SystemMessage(sections={"a": "1"}, tools_added=[Tool("read"), Tool("bash")]))
    )
    talk.session.append(MessageEntry(SystemMessage(tools_removed=[{"name": "read"}])))
    talk.system(a=None, b="2")
    state = replay_system(build_context(talk.session.tree).messages)
    assert (state.sections, list(state.tools)) == ({"b": "2"}, ["bash"])
