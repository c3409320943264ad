"""Calling a run off: at any moment, whatever its tools and listeners do about it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pi_term.agent.events import AgentEvent, ToolExecutionEnd, ToolExecutionUpdate
from pi_term.agent.tools import ToolCallContext, ToolError, ToolResult, text_result
from pi_term.ai.messages import AssistantMessage, UserMessage
from pi_term.ai.scripted import Call, Say, Wait
from pi_term.testing.clock import run_in_virtual_time
from pi_term.testing.scripted import until

ABORTED = "Operation aborted"


async def deaf(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
    """Neither hears of the abort nor lets itself be cancelled, until long after the run."""
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        context.update(text_result("still here"))
        await asyncio.sleep(3600)
    context.update(text_result("and now"))
    return text_result("too late")


async def cancellable(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
    await asyncio.sleep(3600)
    return text_result("never")


async def obedient(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
    await context.signal.wait()
    raise ToolError("output so far\n\naborted")


@pytest.mark.parametrize("mode", ["parallel", "sequential"])
def test_a_run_ends_within_two_seconds_whatever_its_tools_do(new_stage: Any, mode: Any) -> None:
    """B-044: what was done stays, what reacts tells, the rest was aborted; each call has its result."""

    async def main() -> None:
        stage = new_stage()
        stage.agent.execution_mode = mode
        for name, run in (("quick", None), ("deaf", deaf), ("polite", obedient), ("plain", cancellable)):
            stage.add_tool(name, run)
        calls = [Call(name, id=name) for name in ("quick", "deaf", "polite", "plain")]
        run = asyncio.create_task(stage.go(calls, [Say("never")]))
        await asyncio.sleep(10)
        stage.agent.abort()
        await run
        assert asyncio.get_running_loop().time() <= 12.01
        reacted = ("polite", "output so far\n\naborted", True)
        assert stage.results == [
            ("quick", "quick", False),
            ("deaf", ABORTED, True),
            reacted if mode == "parallel" else ("polite", ABORTED, True),
            ("plain", ABORTED, True),
        ]
        assert (stage.last.stop_reason, stage.last.content) == ("aborted", [])
        assert stage.kinds()[-5:] == [
            "turn_start", "message_start", "message_end", "turn_end", "agent_end",
        ]  # fmt: skip
        await asyncio.sleep(7200)
        shown = [each for each in stage.events if isinstance(each, ToolExecutionUpdate)]
        assert len(shown) == 1  # within its two seconds; nothing after its end
        assert not stage.agent.state.pending_tool_calls

    run_in_virtual_time(main())


@pytest.mark.parametrize(
    "moment",
    [
        "agent_start", "turn_start", "message_start user", "message_end user",
        "message_start assistant", "message_update assistant", "message_end assistant",
        "tool_execution_start", "tool_execution_update", "tool_execution_end",
        "message_start toolResult", "message_end toolResult", "turn_end", "agent_end", "queue_update",
    ],
)  # fmt: skip
async def test_an_abort_in_a_listener_of_any_event(stage: Any, moment: str) -> None:
    """The run ends; where another answer would have come stands an aborted one."""

    async def listen(event: AgentEvent) -> None:
        message = getattr(event, "message", None)
        name = event.type if message is None or event.type == "turn_end" else f"{event.type} {message.role}"
        if name == moment:
            stage.agent.abort(moment)

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        context.update(text_result("half"))
        stage.agent.follow_up(UserMessage("later"))
        return text_result("whole")

    stage.agent.subscribe(listen)
    stage.add_tool("work", work)
    async with asyncio.timeout(30):
        await stage.go([Say("Let me."), Call("work", id="1")], [Say("done")], [Say("later, too")])
    assert stage.kinds()[-1] == "agent_end"
    assert stage.last.stop_reason == ("stop" if moment == "agent_end" else "aborted")
    answers = [each for each in stage.agent.state.messages if isinstance(each, AssistantMessage)]
    whole = [each for each in answers if each.stop_reason == "toolUse"]
    assert len(stage.results) == len(whole)
    if moment in ("message_end assistant", "tool_execution_start"):
        assert stage.results == [("1", ABORTED, True)]
    assert len([each for each in answers if each.stop_reason == "aborted"]) == (moment != "agent_end")
    assert stage.prompts == (["go", "later"] if moment == "agent_end" else ["go"])


async def test_calls_not_started_are_not_run(stage: Any) -> None:
    """Neither those that wait for their turn nor those that wait for the preflight of a later one."""
    ran: list[str] = []

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        ran.append(context.tool_call_id)
        return text_result("")

    async def abort_at_the_last(call: Any, *rest: Any) -> None:
        if call.id == "3":
            stage.agent.abort()

    stage.agent.hooks.before_tool_call = abort_at_the_last
    stage.add_tool("work", work)
    await stage.go([Call("work", id="1"), Call("work", id="2"), Call("work", id="3")])
    assert ran == []
    assert stage.results == [(each, ABORTED, True) for each in "123"]
    ends = [each for each in stage.events if isinstance(each, ToolExecutionEnd)]
    assert [each.duration_ms for each in ends] == [None] * 3


async def test_the_text_that_had_come_is_kept(stage: Any) -> None:
    run = asyncio.create_task(stage.go([Say("Half an "), Wait(asyncio.Event()), Say("answer")]))
    await until(lambda: stage.agent.state.partial is not None and stage.agent.state.partial.text != "")
    stage.agent.abort()
    await run
    assert (stage.last.text, stage.last.stop_reason) == ("Half an ", "aborted")
    assert stage.kinds()[-3:] == ["message_end", "turn_end", "agent_end"]


async def test_what_waits_stays_where_it_is(stage: Any) -> None:
    """It was not for this run any more, and the harness decides what becomes of it."""

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        stage.agent.steer(UserMessage("steer"))
        stage.agent.follow_up(UserMessage("follow"))
        stage.agent.abort()
        return text_result("")

    stage.add_tool("work", work)
    await stage.go([Call("work")], [Say("never")])
    assert stage.prompts == ["go"]
    assert [len(stage.agent.steering), len(stage.agent.follow_ups)] == [1, 1]


async def test_nothing_is_marked_where_nothing_more_was_asked_for(stage: Any) -> None:
    async def listen(event: AgentEvent) -> None:
        if event.type == "turn_end":
            stage.agent.abort()

    stage.agent.subscribe(listen)
    await stage.go([Say("complete")])
    assert (stage.last.text, stage.last.stop_reason) == ("complete", "stop")


async def test_an_abort_without_a_run_does_nothing(stage: Any) -> None:
    stage.agent.abort()
    await stage.go([Say("ok")])
    stage.agent.abort()
    await stage.go([Say("fine")])
    assert stage.last.text == "fine"
