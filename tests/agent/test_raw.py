"""A run beside the agent: its consumers are no barrier."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from pi_term.agent import LoopInput, RequestSetup, run_agent_loop
from pi_term.agent.events import AgentEnd, MessageUpdate
from pi_term.agent.messages import AgentMessage
from pi_term.agent.raw import AgentLoopStream
from pi_term.agent.tools import AgentTool, ToolCallContext, ToolResult, text_result
from pi_term.ai.messages import AssistantMessage, UserMessage
from pi_term.ai.scripted import Call, Say, Wait
from pi_term.base.abort import AbortController
from pi_term.base.errors import PiTermError
from pi_term.testing.scripted import until


@pytest.fixture
def controller() -> AbortController:
    return AbortController()


class Runner:
    """Starts raw runs on the stage's model with one tool, `work`."""

    def __init__(self, stage: Any, controller: AbortController) -> None:
        self.stage = stage
        self.history: list[AgentMessage] = []
        self.working = asyncio.Event()
        self.gate = asyncio.Event()
        self.given = LoopInput(self.history, self._setup, controller.signal)

    def start(self, *replies: Any, prompt: str | None = "go") -> AgentLoopStream:
        self.stage.script.replies += replies
        return run_agent_loop([] if prompt is None else [UserMessage(prompt)], self.given)

    def _setup(self) -> RequestSetup:
        work = AgentTool("work", "work", "work", {"type": "object"}, self._work)
        return RequestSetup(self.stage.script.model, tools=[work])

    async def _work(self, args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        self.working.set()
        await self.gate.wait()
        return text_result("done")

    @property
    def stops(self) -> list[str]:
        return [each.stop_reason for each in self.history if isinstance(each, AssistantMessage)]


@pytest.fixture
def runner(stage: Any, controller: AbortController) -> Runner:
    return Runner(stage, controller)


async def test_events_to_iterate_and_messages_to_await(runner: Runner) -> None:
    runner.gate.set()
    stream = runner.start([Call("work")], [Say("ok")])
    kinds = [event.type async for event in stream if not isinstance(event, MessageUpdate)]
    added = await stream.result()
    assert kinds == [
        "agent_start", "turn_start", "message_start", "message_end", "message_start", "message_end",
        "tool_execution_start", "tool_execution_end", "message_start", "message_end", "turn_end",
        "turn_start", "message_start", "message_end", "turn_end", "agent_end",
    ]  # fmt: skip
    assert [each.role for each in added] == ["user", "assistant", "toolResult", "assistant"]
    assert added == runner.history


async def test_nobody_has_to_read(runner: Runner) -> None:
    runner.gate.set()
    stream = runner.start([Call("work")], [Say("ok")])
    added = await stream.result()
    assert len(added) == 4
    events = [event async for event in stream]  # they are still there
    assert isinstance(events[-1], AgentEnd)
    assert list(events[-1].messages) == added


async def test_a_slow_reader_holds_nothing_up(runner: Runner) -> None:
    runner.gate.set()
    stream = runner.start([Call("work")], [Say("ok")])
    reader = aiter(stream)
    assert (await anext(reader)).type == "agent_start"
    await stream.result()
    assert [event async for event in reader][-1].type == "agent_end"


async def test_the_signal_ends_it(runner: Runner, controller: AbortController) -> None:
    stream = runner.start([Call("work", id="1")], [Say("never")])
    await runner.working.wait()
    controller.abort()
    runner.gate.set()
    kinds = [event.type async for event in stream]
    assert kinds[-1] == "agent_end"
    assert runner.stops == ["toolUse", "aborted"]


async def test_an_aborted_signal_lets_nothing_begin(runner: Runner, controller: AbortController) -> None:
    controller.abort()
    await runner.start([Say("never")]).result()
    assert runner.stops == ["aborted"]
    assert runner.stage.script.contexts == []


async def test_closing_the_iterator_ends_the_run(runner: Runner, controller: AbortController) -> None:
    stream = runner.start([Say("Half"), Wait(asyncio.Event())])
    async with aclosing(aiter(stream)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, MessageUpdate):
                break
    assert runner.stops == ["aborted"]
    assert len(await stream.result()) == 2
    assert not controller.signal.aborted  # which is not ours


async def test_leaving_the_loop_ends_the_run(runner: Runner) -> None:
    stream = runner.start([Say("Half"), Wait(asyncio.Event())])
    async for event in stream:
        if isinstance(event, MessageUpdate):
            break
    async with asyncio.timeout(30):
        await stream.result()
    assert runner.stops == ["aborted"]


async def test_cancelling_the_reader_ends_the_run(runner: Runner) -> None:
    stream = runner.start([Call("work")], [Say("never")])

    async def read() -> None:
        async for _ in stream:
            pass

    reader = asyncio.create_task(read())
    await runner.working.wait()
    runner.gate.set()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert runner.stops == ["toolUse", "aborted"]
    assert len(await stream.result()) == 4


async def test_closing_the_stream_ends_the_run(runner: Runner) -> None:
    stream = runner.start([Say("Half"), Wait(asyncio.Event())])
    await until(lambda: len(runner.history) == 1)
    await stream.aclose()
    assert [event.type async for event in stream][-1] == "agent_end"
    await stream.aclose()


async def test_it_leaves_nothing_on_the_signal(runner: Runner, controller: AbortController) -> None:
    await runner.start([Say("ok")]).result()
    await until(lambda: not controller.signal._callbacks)


async def test_a_run_goes_on_from_the_tail_or_not_at_all(runner: Runner) -> None:
    runner.history.append(UserMessage("asked before"))
    await runner.start([Say("ok")], prompt=None).result()
    assert [each.role for each in runner.history] == ["user", "assistant"]
    with pytest.raises(PiTermError, match="nothing to continue"):
        await runner.start(prompt=None).result()
    with pytest.raises(PiTermError, match="nothing to continue"):
        async for _ in runner.start(prompt=None):
            raise AssertionError
    runner.given.follow_ups.add(UserMessage("queued"))
    await runner.start([Say("fine")], prompt=None).result()
    assert [each.role for each in runner.history] == ["user", "assistant"] * 2
