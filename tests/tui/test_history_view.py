"""The past in pieces is the past."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.messages import AssistantMessage, TextContent, UserMessage
from pi_term.coding.session import (
    ContextEditEntry,
    EntryRecord,
    MessageEntry,
    ModelChangeEntry,
    SessionFile,
    ThinkingLevelChangeEntry,
)
from pi_term.render.blocks import SwitchBlock
from pi_term.tui.history_view import History


def record(kind: str) -> EntryRecord:
    if kind == "edit":
        return ContextEditEntry(target_id="x")
    if kind == "model":
        return ModelChangeEntry("p", "m")
    if kind == "level":
        return ThinkingLevelChangeEntry("low")
    if kind == "user":
        return MessageEntry(UserMessage([TextContent("said")]))
    return MessageEntry(AssistantMessage([TextContent("answer")], stop_reason="stop"))


@given(
    st.lists(st.sampled_from(["user", "assistant", "edit", "model", "level"]), max_size=40),
    st.integers(1, 12),
)
def test_pieces_of_any_size_make_up_the_whole(kinds: list[str], count: int) -> None:
    file = SessionFile.in_memory("/")
    for kind in kinds:
        file.add(record(kind))
    history = History(file.tree, file.tree.leaf)
    ids: list[str] = []
    while history.more:
        ids = [*(block.id for block in history.older(count)), *ids]
    (whole,) = [History(file.tree, file.tree.leaf).older(10_000)]
    assert ids == [block.id for block in whole]


def test_a_piece_begins_with_the_user_and_only_it_is_read() -> None:
    file = SessionFile.in_memory("/")
    for kind in ("user", "assistant", "assistant", "user", "assistant"):
        file.add(record(kind))
    history = History(file.tree, file.tree.leaf)
    assert len(history.older(1)) == 2
    assert len(history.older(1)) == 3
    assert not history.more


def test_a_branch_ends_where_it_is_said_to_end() -> None:
    file = SessionFile.in_memory("/")
    first = file.add(record("user"))
    file.add(record("assistant"))
    assert len(History(file.tree, first).older(10)) == 1
    assert not History(file.tree, None).more


def test_what_was_switched_in_one_go_is_one_row_but_what_a_session_begins_with_is_none() -> None:
    file = SessionFile.in_memory("/")
    begin = [ModelChangeEntry("p", "first"), ThinkingLevelChangeEntry("medium")]
    for entry in begin:
        file.add(entry)
    assert not History(file.tree, file.tree.leaf).more
    file.add(record("user"))
    file.add(record("assistant"))
    for name, level in (("plain", "off"), ("second", "high")):
        file.add(ModelChangeEntry("p", name))
        file.add(ThinkingLevelChangeEntry(level))
    file.add(record("user"))
    file.add(ThinkingLevelChangeEntry("low"))
    blocks = History(file.tree, file.tree.leaf).older(100)
    assert [block.copy_text() for block in blocks if isinstance(block, SwitchBlock)] == [
        "Model: p/second · thinking high",
        "Thinking: low",
    ]
    assert [isinstance(block, SwitchBlock) for block in blocks] == [False, False, True, False, True]
