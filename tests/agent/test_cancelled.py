"""A run whose task is cancelled from outside: nothing of it goes on, and the agent is free again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pi_term.agent.events import AgentEvent
from pi_term.agent.tools import ToolCallContext, ToolResult, text_result
from pi_term.ai.messages import UserMessage
from pi_term.ai.scripted import Call, Say, Wait
from pi_term.base.abort import AbortSignal
from pi_term.testing.scripted import until


async def cancelled(stage: Any, ready: Callable[[], bool], *replies: Any) -> None:
    """Prompt, cancel when `ready`, and see that all tasks of the run are gone and another one works."""
    before = asyncio.all_tasks()
    run = asyncio.create_task(stage.go(*replies))
    await until(ready)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    left = asyncio.all_tasks() - before
    assert not {task.get_name() for task in left} - {"agent notes"}
    await stage.agent.wait_idle()
    state = stage.agent.state
    assert (stage.agent.running, state.is_streaming, *state.pending_tool_calls) == (False, False)
    stage.script.replies = []
    await stage.go([Say("fine")], prompt="again")
    assert stage.last.text == "fine"


@pytest.mark.parametrize("mode", ["parallel", "sequential"])
async def test_while_tools_run(stage: Any, mode: Any) -> None:
    cleaned: list[str] = []
    signals: list[AbortSignal] = []

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        signals.append(context.signal)
        context.update(text_result("half"))
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(context.tool_call_id)
        return text_result("")

    stage.agent.execution_mode = mode
    stage.add_tool("work", work)
    wanted = 2 if mode == "parallel" else 1
    await cancelled(stage, lambda: len(signals) == wanted, [Call("work", id="1"), Call("work", id="2")])
    assert sorted(cleaned) == ["1", "2"][:wanted]
    assert signals[0].aborted  # for whatever the tool has left behind


async def test_while_an_answer_streams(stage: Any) -> None:
    def streaming() -> bool:
        partial = stage.agent.state.partial
        return partial is not None and partial.text != ""

    await cancelled(stage, streaming, [Say("Half"), Wait(asyncio.Event())])


@pytest.mark.parametrize("name", ["transform_context", "before_tool_call", "prepare_next_turn"])
async def test_while_a_hook_is_awaited(stage: Any, name: str) -> None:
    asked: list[bool] = []
    default = getattr(stage.agent.hooks, name)

    async def hook(*args: Any) -> Any:
        asked.append(True)
        if len(asked) == 1:
            await asyncio.Event().wait()
        return await default(*args)

    setattr(stage.agent.hooks, name, hook)
    stage.add_tool("work")
    await cancelled(stage, lambda: bool(asked), [Call("work")], [Say("never")])


@pytest.mark.parametrize(
    "moment",
    [
        "turn_start", "message_update", "turn_end",
        "tool_execution_start", "tool_execution_update", "tool_execution_end",
    ],
)  # fmt: skip
async def test_while_a_listener_is_awaited(stage: Any, moment: str) -> None:
    told: list[str] = []

    async def listen(event: AgentEvent) -> None:
        if event.type == moment:
            told.append(moment)
            if len(told) == 1:
                await asyncio.Event().wait()

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        context.update(text_result("half"))
        return text_result("whole")

    stage.agent.subscribe(listen)
    stage.add_tool("work", work)
    await cancelled(stage, lambda: bool(told), [Say("Let me."), Call("work"), Call("work")], [Say("never")])


async def test_a_listener_that_awaits_something_cancelled_breaks_nothing(stage: Any) -> None:
    async def unlucky(event: AgentEvent) -> None:
        raise asyncio.CancelledError

    stage.agent.subscribe(unlucky)
    stage.add_tool("work")
    await stage.go([Call("work"), Call("work")], [Say("ok")])
    assert stage.last.text == "ok"


@pytest.mark.parametrize("moment", ["turn_start", "queue_update", "message_start", "message_end"])
async def test_no_message_is_lost_on_its_way_out_of_the_queue(stage: Any, moment: str) -> None:
    """It is in the history or still in the queue, never both."""
    told: list[str] = []

    async def listen(event: AgentEvent) -> None:
        if event.type == moment and stage.agent.follow_ups.mode == "all":
            told.append(moment)
            await asyncio.Event().wait()

    async def now(*args: Any) -> bool:
        stage.agent.follow_ups.mode = "all"
        return False

    stage.agent.subscribe(listen)
    stage.agent.hooks.should_stop_after_turn = now
    for text in ("a", "b"):
        stage.agent.follow_up(UserMessage(text))
    run = asyncio.create_task(stage.go([Say("one")], [Say("two")]))
    await until(lambda: bool(told))
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    waiting = [each.message.content for each in stage.agent.follow_ups]
    assert stage.prompts[1:] + waiting == ["a", "b"]
    assert len(waiting) == (1 if moment == "message_end" else 2)


async def test_a_fault_of_the_loop_itself_leaves_the_agent_free(stage: Any) -> None:
    stage.agent.options = None
    with pytest.raises(TypeError):
        await stage.go([Say("never")])
    assert not stage.agent.running
    await stage.agent.wait_idle()
