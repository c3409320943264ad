from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest

from pi_term.agent.batch import NOT_RUN, ToolBatch
from pi_term.agent.events import AgentEvent, ToolExecutionEnd, ToolExecutionUpdate
from pi_term.agent.hooks import Blocked, LoopHooks
from pi_term.agent.tools import ToolCallContext, ToolResult, text_result
from pi_term.agent.validate import validate_arguments
from pi_term.ai.messages import TextContent, ToolCall, Usage, text_of
from pi_term.ai.scripted import Call, Say
from pi_term.base.abort import AbortController


async def test_a_refused_call_tells_what_arrived_of_it() -> None:
    """B-042: with an answer that was cut off, the model sees where."""

    async def emit(event: AgentEvent) -> AgentEvent:
        return event

    batch = ToolBatch([], LoopHooks(), emit, AbortController().signal)
    half = '{"path":"a.py","content":"print(1)\\nprint('
    result = await batch.refuse(ToolCall("1", "write", {}, invalid_arguments=half), NOT_RUN)
    assert result.is_error
    assert text_of(result.content) == f"{NOT_RUN} Received: {half}"
    whole = await batch.refuse(ToolCall("2", "write", {"path": "a.py"}), NOT_RUN)
    assert text_of(whole.content) == NOT_RUN


async def test_a_careless_model_uses_an_id_twice(stage: Any) -> None:
    """Each call has its own events and its own result."""
    gate = asyncio.Event()

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        if args["x"] == 1:
            await gate.wait()
        return text_result(f"result {args['x']}")

    async def listen(event: AgentEvent) -> None:
        if isinstance(event, ToolExecutionEnd) and not gate.is_set():
            assert stage.agent.state.pending_tool_calls == {"same"}  # the other one still runs
            gate.set()

    stage.agent.subscribe(listen)
    stage.add_tool("work", work)
    await stage.go([Call("work", {"x": number}, id="same") for number in (1, 2)], [Say("ok")])
    assert stage.results == [("same", "result 1", False), ("same", "result 2", False)]
    told = [event.type for event in stage.events if event.type.startswith("tool_execution")]
    assert told == ["tool_execution_start"] * 2 + ["tool_execution_end"] * 2
    assert not stage.agent.state.pending_tool_calls


@pytest.mark.parametrize(
    "wrong", [None, "text", {"content": []}, ToolResult("text"), ToolResult(["text"])]  # type: ignore[arg-type, list-item]
)  # fmt: skip
async def test_what_is_no_result_is_an_error_result(stage: Any, wrong: Any) -> None:
    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        return wrong  # type: ignore[no-any-return]

    stage.add_tool("work", work)
    await stage.go([Call("work", id="1")], [Say("ok")])
    ((_, text, is_error),) = stage.results
    assert is_error
    assert "no usable result" in text


async def test_a_tool_that_cancels_itself_has_failed(stage: Any) -> None:
    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        inner = asyncio.ensure_future(asyncio.sleep(60))
        inner.cancel()
        await inner
        return text_result("never")

    stage.add_tool("work", work)
    stage.add_tool("other")
    await stage.go([Call("work", id="1"), Call("other", id="2")], [Say("ok")])
    assert stage.results[0][2]
    assert stage.results[1] == ("2", "other", False)
    assert stage.last.text == "ok"


async def test_no_tool_runs_while_a_hook_still_asks_about_the_next(stage: Any) -> None:
    """Preflight in source order; then all that may run, at the same time."""
    steps: list[str] = []

    async def asks(call: ToolCall, *rest: Any) -> Blocked | None:
        for _ in range(5):
            await asyncio.sleep(0)
        steps.append(f"asked {call.id}")
        return Blocked("no") if call.id == "2" else None

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        steps.append(f"begins {context.tool_call_id}")
        await asyncio.sleep(0)
        steps.append(f"ends {context.tool_call_id}")
        return text_result("")

    stage.agent.hooks.before_tool_call = asks
    stage.add_tool("work", work)
    await stage.go([Call("work", id=each) for each in "123"], [Say("ok")])
    assert steps == ["asked 1", "asked 2", "asked 3", "begins 1", "begins 3", "ends 1", "ends 3"]
    told = [
        f"{event.type[15:]} {event.tool_call_id}"
        for event in stage.events
        if event.type.startswith("tool_execution")
    ]
    assert told == ["start 1", "start 2", "end 2", "start 3", "end 1", "end 3"]


async def test_a_sequential_batch_asks_and_runs_one_after_the_other(stage: Any) -> None:
    steps: list[str] = []

    async def asks(call: ToolCall, *rest: Any) -> None:
        steps.append(f"asked {call.id}")

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        steps.append(f"runs {context.tool_call_id}")
        await asyncio.sleep(0)
        return text_result("")

    stage.agent.hooks.before_tool_call = asks
    stage.add_tool("work", work)
    stage.add_tool("alone", work, mode="sequential")
    await stage.go([Call("work", id="1"), Call("alone", id="2"), Call("nope", id="3")], [Say("ok")])
    assert steps == ["asked 1", "runs 1", "asked 2", "runs 2"]
    assert [call for call, _, _ in stage.results] == ["1", "2", "3"]


async def test_what_a_tool_spent_stays_with_its_result(stage: Any) -> None:
    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        return ToolResult([TextContent("x")], usage=Usage(input=5), details={"a": 1})

    stage.add_tool("work", work)
    await stage.go([Call("work")], [Say("ok")])
    result = stage.agent.state.messages[2]
    assert (result.usage, result.details) == (Usage(input=5), {"a": 1})
    assert result.duration_ms is not None


async def test_all_that_a_tool_shows_is_told_before_its_end(stage: Any) -> None:
    """In order; of a flood that listeners cannot keep up with, the newest and a bounded number."""
    gate = asyncio.Event()

    async def slow(event: AgentEvent) -> None:
        if isinstance(event, ToolExecutionUpdate):
            await gate.wait()
            for _ in range(10):  # still at it when the tool is over
                await asyncio.sleep(0)

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        for number in range(args["count"]):
            context.update(text_result(str(number)))
        gate.set()
        return text_result("")

    stage.agent.subscribe(slow)
    stage.add_tool("work", work)
    for count in (3, 1000):
        before = len(stage.events)
        await stage.go([Call("work", {"count": count})], [Say("ok")])
        events = stage.events[before:]
        shown = [
            int(text_of(event.partial_result.content))
            for event in events
            if isinstance(event, ToolExecutionUpdate)
        ]
        assert shown == sorted(shown)
        assert shown[-1] == count - 1
        assert len(shown) == min(count, 100)
        kinds = [event.type for event in events]
        assert kinds.index("tool_execution_end") > len(kinds) - kinds[::-1].index("tool_execution_update") - 1


async def test_arguments_of_an_unusual_schema_are_checked_beside_the_event_loop(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loading the library takes a tenth of a second, and patterns may take for ever."""
    threads: list[bool] = []

    def check(schema: Any, args: Any) -> Any:
        threads.append(threading.current_thread() is threading.main_thread())
        return validate_arguments(schema, args)

    monkeypatch.setattr("pi_term.agent.batch.validate_arguments", check)
    stage.add_tool("work")
    (work,) = stage.agent.state.tools
    unusual = {"type": "object", "properties": {"x": {"type": "string", "pattern": "^a+$"}}}
    stage.agent.state.tools = [replace(work, name="unusual", parameters=unusual), work]
    await stage.go(
        [Call("unusual", {"x": "b"}, id="1"), Call("unusual", {"x": "aa"}, id="2"), Call("work", id="3")],
        [Say("ok")],
    )
    assert [is_error for _, _, is_error in stage.results] == [True, False, False]
    assert threads == [False, False, True]
