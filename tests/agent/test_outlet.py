"""The way of an event: state first, then those who may replace, then those who listen, one at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pi_term.agent.events import AgentEnd, AgentEvent, MessageEnd, MessageStart, MessageUpdate, TurnEnd
from pi_term.agent.tools import ToolCallContext, ToolResult, text_result
from pi_term.ai.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, UserMessage
from pi_term.ai.scripted import Call, Fail, Say, Think
from pi_term.testing.clock import run_in_virtual_time


def answer_of(event: AgentEvent) -> AssistantMessage | None:
    """The answer that an event declares final."""
    message = event.message if isinstance(event, MessageEnd) else None
    return message if isinstance(message, AssistantMessage) else None


async def test_the_partial_message_is_one_growing_object(stage: Any) -> None:
    seen: list[tuple[AssistantMessage, bool]] = []

    async def listen(event: AgentEvent) -> None:
        if isinstance(event, MessageStart | MessageUpdate | MessageEnd) and event.message.role == "assistant":
            seen.append((event.message, stage.agent.state.partial is event.message))
            if isinstance(event, MessageUpdate):
                assert event.event.partial is event.message

    stage.agent.subscribe(listen)
    await stage.go([Think("hm"), Say("one two three")])
    assert len(seen) > 6
    assert {id(message) for message, _ in seen} == {id(stage.last)}
    assert [is_partial for _, is_partial in seen] == [True] * (len(seen) - 1) + [False]


async def test_listeners_find_the_state_that_an_event_made(stage: Any) -> None:
    found: list[tuple[str, int, bool, int]] = []
    state = stage.agent.state

    async def listen(event: AgentEvent) -> None:
        if event.type != "message_update":
            found.append((event.type, len(state.messages), state.is_streaming, len(state.pending_tool_calls)))

    stage.agent.subscribe(listen)
    stage.add_tool("work")
    await stage.go([Call("work")], [Say("ok")])
    assert found == [
        ("agent_start", 0, False, 0), ("turn_start", 0, False, 0),
        ("message_start", 0, False, 0), ("message_end", 1, False, 0),
        ("message_start", 1, True, 0), ("message_end", 2, False, 0),
        ("tool_execution_start", 2, False, 1), ("tool_execution_end", 2, False, 0),
        ("message_start", 2, False, 0), ("message_end", 3, False, 0), ("turn_end", 3, False, 0),
        ("turn_start", 3, False, 0),
        ("message_start", 3, True, 0), ("message_end", 4, False, 0), ("turn_end", 4, False, 0),
        ("agent_end", 4, False, 0),
    ]  # fmt: skip


async def test_the_replaced_message_is_the_only_one_from_the_moment_of_its_replacement(stage: Any) -> None:
    """State, later events, listeners and the tools all see it before any tool of it starts."""
    ran: list[str] = []
    seen_by_listeners: list[Any] = []

    async def replace(event: MessageEnd | AgentEnd) -> AgentEvent | None:
        if answer_of(event) is None or ran:
            return None
        return MessageEnd(AssistantMessage([ToolCall("new", "other", {})], stop_reason="toolUse"))

    async def listen(event: AgentEvent) -> None:
        if answer_of(event) is not None:
            seen_by_listeners.append((event.message, stage.agent.state.messages[-1]))

    async def other(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        ran.append(context.tool_call_id)
        return text_result("other")

    stage.agent.intercept(replace)
    stage.agent.subscribe(listen)
    stage.add_tool("work")
    stage.add_tool("other", other)
    await stage.go([Call("work", id="old")], [Say("ok")])
    new = stage.agent.state.messages[1]
    assert ran == ["new"]
    assert stage.results == [("new", "other", False)]
    assert seen_by_listeners[0][0] is seen_by_listeners[0][1] is new
    first_turn = next(event for event in stage.events if isinstance(event, TurnEnd))
    assert first_turn.message is new
    assert stage.events[-1].messages[1] is new
    assert stage.script.contexts[1].messages[1] is new


async def test_each_interceptor_gets_what_the_one_before_made_of_it(stage: Any) -> None:
    def adds(letter: str) -> Any:
        async def add(event: MessageEnd | AgentEnd) -> AgentEvent | None:
            answer = answer_of(event)
            if answer is None:
                return None
            return MessageEnd(AssistantMessage([TextContent(answer.text + letter)], stop_reason="stop"))

        return add

    stage.agent.intercept(adds("a"))
    remove = stage.agent.intercept(adds("x"))
    stage.agent.intercept(adds("b"))
    remove()
    await stage.go([Say("_")])
    assert stage.last.text == "_ab"


@pytest.mark.parametrize(("error", "left"), [(None, None), ("worse", "worse")])
async def test_the_last_error_is_that_of_the_replaced_message(
    stage: Any, error: str | None, left: str | None
) -> None:
    async def replace(event: MessageEnd | AgentEnd) -> AgentEvent | None:
        if answer_of(event) is None:
            return None
        return MessageEnd(AssistantMessage(stop_reason="stop", error_message=error))

    stage.agent.intercept(replace)
    await stage.go([Fail("bad")])
    assert stage.agent.state.last_error == left


async def test_a_message_of_another_kind_is_refused(stage: Any) -> None:
    async def misfit(event: MessageEnd | AgentEnd) -> AgentEvent | None:
        if isinstance(event, AgentEnd):
            return AgentEnd([])
        if isinstance(event.message, ToolResultMessage):
            return MessageEnd(ToolResultMessage(tool_call_id="of another call"))
        return MessageEnd(UserMessage("hi") if answer_of(event) else AssistantMessage())

    stage.agent.intercept(misfit)
    stage.add_tool("work")
    await stage.go([Call("work", id="1")], [Say("ok")])
    assert [each.role for each in stage.agent.state.messages] == [
        "user", "assistant", "toolResult", "assistant",
    ]  # fmt: skip
    assert stage.results == [("1", "work", False)]
    assert len(stage.events[-1].messages) == 4


async def test_what_the_end_says_beside_its_messages_may_be_replaced(stage: Any) -> None:
    async def foresee(event: MessageEnd | AgentEnd) -> AgentEvent | None:
        return AgentEnd(event.messages, will_retry=True) if isinstance(event, AgentEnd) else None

    stage.agent.intercept(foresee)
    await stage.go([Say("ok")])
    assert stage.events[-1].will_retry


async def test_an_interceptor_that_throws_replaces_nothing(stage: Any) -> None:
    async def bad(event: MessageEnd | AgentEnd) -> AgentEvent | None:
        raise RuntimeError("bad interceptor")

    stage.agent.intercept(bad)
    await stage.go([Say("ok")])
    assert stage.last.text == "ok"


def test_an_interceptor_that_never_returns_is_ended_by_an_abort(new_stage: Any) -> None:
    """B-077"""

    async def main() -> None:
        stage, asked = new_stage(), asyncio.Event()

        async def for_ever(event: MessageEnd | AgentEnd) -> AgentEvent | None:
            if answer_of(event) is not None:
                asked.set()
                await asyncio.Event().wait()
            return None

        stage.agent.intercept(for_ever)
        run = asyncio.create_task(stage.go([Say("ok")]))
        await asked.wait()
        stage.agent.abort()
        await run
        assert asyncio.get_running_loop().time() <= 1.01
        assert (stage.last.text, stage.last.stop_reason) == ("ok", "stop")

    run_in_virtual_time(main())


async def test_events_of_tools_that_run_together_are_told_one_after_the_other(stage: Any) -> None:
    """A slow listener never hears of two at a time, and all hear the same order."""
    inside, most, order = 0, 0, []

    async def slow(event: AgentEvent) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        order.append(event)
        for _ in range(5):
            await asyncio.sleep(0)
        inside -= 1

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        for step in range(5):
            context.update(text_result(str(step)))
            stage.agent.steer(UserMessage(f"{context.tool_call_id} {step}"))
            await asyncio.sleep(0)
        return text_result("")

    stage.agent.steering.mode = "all"
    stage.agent.subscribe(slow)
    stage.add_tool("work", work)
    await stage.go([Call("work", id=str(number)) for number in range(4)], [Say("ok")])
    assert most == 1
    assert order == stage.events


async def test_a_listener_may_queue_messages_without_waiting_for_itself(stage: Any) -> None:
    async def listen(event: AgentEvent) -> None:
        if event.type == "turn_end" and len(stage.prompts) < 3:
            stage.agent.steer(UserMessage("again"))

    stage.agent.subscribe(listen)
    async with asyncio.timeout(30):
        await stage.go([Say("1")], [Say("2")], [Say("3")])
    assert stage.prompts == ["go", "again", "again"]


async def test_a_listener_that_throws_does_not_starve_the_others(stage: Any) -> None:
    seen: list[str] = []

    async def bad(event: AgentEvent) -> None:
        raise RuntimeError("bad listener")

    async def after(event: AgentEvent) -> None:
        seen.append(event.type)

    stage.agent.subscribe(bad)
    stage.agent.subscribe(after)
    await stage.go([Say("ok")])
    assert [each.type for each in stage.events] == seen


async def test_a_listener_may_take_itself_away(stage: Any) -> None:
    seen: list[str] = []

    async def once(event: AgentEvent) -> None:
        seen.append(event.type)
        remove()

    remove = stage.agent.subscribe(once)
    await stage.go([Say("ok")])
    assert seen == ["agent_start"]


async def test_the_run_is_over_when_its_last_listener_is(stage: Any) -> None:
    """`agent_end` < idle: a prompt from inside a listener of it is refused, not deadlocked."""
    gate, told = asyncio.Event(), asyncio.Event()
    refused: list[str] = []

    async def late(event: AgentEvent) -> None:
        if isinstance(event, AgentEnd):
            for start in (stage.agent.prompt([UserMessage("again")]), stage.agent.continue_()):
                try:
                    await start
                except Exception as error:
                    refused.append(error.code)  # type: ignore[attr-defined]
            told.set()
            await gate.wait()

    stage.agent.subscribe(late)
    run = asyncio.create_task(stage.go([Say("ok")]))
    await told.wait()
    assert refused == ["busy", "busy"]
    for _ in range(10):
        await asyncio.sleep(0)
    assert stage.agent.running
    assert not run.done()
    idle = asyncio.create_task(stage.agent.wait_idle())
    await asyncio.sleep(0)
    assert not idle.done()
    gate.set()
    await idle
    assert not stage.agent.running
    await run
    assert stage.prompts == ["go"]
