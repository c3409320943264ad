from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_term.agent.events import AgentStart, MessageUpdate, ToolExecutionEnd, ToolExecutionUpdate, TurnStart
from pi_term.agent.tools import text_result
from pi_term.ai.events import TextDelta, TextStart, ThinkingDelta
from pi_term.ai.messages import AssistantMessage, text_of
from pi_term.coding.events import ShellOutput
from pi_term.coding.feed import EventFeed

MESSAGE = AssistantMessage()


def text(delta: str, index: int = 0) -> MessageUpdate:
    return MessageUpdate(MESSAGE, TextDelta(index, MESSAGE, delta))


async def test_deltas_of_one_block_merge() -> None:
    feed = EventFeed()
    for delta in ("a", "b", "c"):
        feed.push(text(delta))
    assert await feed.take() == [text("abc")]


async def test_other_blocks_kinds_and_messages_do_not_merge() -> None:
    feed = EventFeed()
    thinking = MessageUpdate(MESSAGE, ThinkingDelta(0, MESSAGE, "t"))
    other = AssistantMessage()
    foreign = MessageUpdate(other, TextDelta(0, other, "x"))
    pushed = [text("a"), text("b", 1), thinking, foreign, AgentStart(), text("c")]
    for event in pushed:
        feed.push(event)
    taken = await feed.take()
    assert [id(event.message) if isinstance(event, MessageUpdate) else 0 for event in taken] == [
        id(event.message) if isinstance(event, MessageUpdate) else 0 for event in pushed
    ]
    assert taken == pushed


async def test_the_latest_progress_of_a_call_is_enough() -> None:
    feed = EventFeed()
    for shown in ("1", "2"):
        feed.push(ToolExecutionUpdate("c", "bash", {}, text_result(shown)))
    feed.push(ToolExecutionUpdate("d", "bash", {}, text_result("3")))
    taken = [event for event in await feed.take() if isinstance(event, ToolExecutionUpdate)]
    assert [text_of(event.partial_result.content) for event in taken] == ["2", "3"]


async def test_the_latest_output_of_a_command_is_enough() -> None:
    """A command that prints a flood costs a slow front end one event, whatever else goes on."""
    feed = EventFeed()
    for number in range(100):
        feed.push(ShellOutput(1, f"first {number}"))
        feed.push(ToolExecutionUpdate("1", "bash", {}, text_result(f"call {number}")))
        feed.push(ShellOutput(2, f"second {number}"))
    assert len(feed) == 3
    first, call, second = await feed.take()
    assert isinstance(call, ToolExecutionUpdate)
    assert text_of(call.partial_result.content) == "call 99"
    assert [first, second] == [ShellOutput(1, "first 99"), ShellOutput(2, "second 99")]


async def test_progress_never_moves_before_the_end_of_an_earlier_call_of_that_id() -> None:
    feed = EventFeed()
    pushed = [
        ToolExecutionUpdate("1", "bash", {}, text_result("one")),
        ToolExecutionEnd("1", "bash", text_result("one"), False),
        ToolExecutionUpdate("1", "bash", {}, text_result("two")),
    ]
    for event in pushed:
        feed.push(event)
    assert await feed.take() == pushed


async def test_a_closed_feed_is_drained_and_then_empty() -> None:
    feed = EventFeed()
    feed.push(TurnStart())
    feed.close()
    assert await feed.take() == [TurnStart()]
    assert await feed.take() == []


@given(st.lists(st.tuples(st.integers(0, 2), st.text(max_size=3)), max_size=30), st.sets(st.integers(0, 30)))
async def test_no_text_is_lost_however_it_is_taken(deltas: list[tuple[int, str]], pauses: set[int]) -> None:
    feed = EventFeed()
    heard = ["", "", ""]
    feed.push(MessageUpdate(MESSAGE, TextStart(0, MESSAGE)))

    async def take() -> None:
        for event in await feed.take():
            if isinstance(event, MessageUpdate) and isinstance(event.event, TextDelta):
                heard[event.event.content_index] += event.event.delta

    for number, (index, delta) in enumerate(deltas):
        feed.push(text(delta, index))
        if number in pauses:
            await take()
    feed.close()
    await take()
    assert heard == ["".join(delta for index, delta in deltas if index == which) for which in range(3)]
