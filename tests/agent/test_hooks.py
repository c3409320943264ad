"""Hooks: what they get, what they may do, and what becomes of a turn when one fails or never returns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pi_term.agent.events import ToolExecutionEnd
from pi_term.agent.hooks import Blocked
from pi_term.agent.messages import AgentMessage
from pi_term.agent.tools import ToolCallContext, ToolResult, text_result
from pi_term.ai.messages import AssistantMessage, TextContent, ToolCall, Usage, UserMessage, text_of
from pi_term.ai.scripted import Call, Say
from pi_term.base.abort import AbortSignal
from pi_term.testing.clock import run_in_virtual_time
from pi_term.testing.scripted import until

HOOKS_WITH_A_SIGNAL = [
    "transform_context",
    "before_tool_call",
    "after_tool_call",
    "should_stop_after_turn",
    "prepare_next_turn",
]
HOOKS = [*HOOKS_WITH_A_SIGNAL, "convert_to_llm", "stream"]


def replaced(stage: Any, name: str, instead: Callable[..., Any]) -> None:
    setattr(stage.agent.hooks, name, instead)


async def test_the_order_in_which_a_turn_comes_by_them(stage: Any) -> None:
    asked: list[str] = []

    def noting(name: str) -> None:
        default = getattr(stage.agent.hooks, name)

        async def note(*args: Any) -> Any:
            asked.append(name)
            return await default(*args)

        replaced(stage, name, note)

    for name in HOOKS:
        noting(name)
    stage.add_tool("work")
    await stage.go([Call("work")], [Say("ok")])
    request = ["transform_context", "convert_to_llm", "stream"]
    tools = ["before_tool_call", "after_tool_call"]
    assert asked == [
        *request, *tools, "should_stop_after_turn", "prepare_next_turn", *request, "should_stop_after_turn",
    ]  # fmt: skip


async def test_all_get_the_signal_of_the_run(stage: Any) -> None:
    signals: list[AbortSignal] = []

    def keeping(name: str) -> None:
        default = getattr(stage.agent.hooks, name)

        async def keep(*args: Any) -> Any:
            signals.append(args[-1])
            return await default(*args)

        replaced(stage, name, keep)

    for name in HOOKS_WITH_A_SIGNAL:
        keeping(name)

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        signals.append(context.signal)
        return text_result("")

    stage.add_tool("work", work)
    await stage.go([Call("work")], [Say("ok")])
    assert len(signals) == 8
    assert len(set(signals)) == 1
    assert [options.signal for options in stage.script.options] == signals[:2]
    assert not signals[0].aborted


@pytest.mark.parametrize("name", HOOKS)
def test_one_that_never_returns_is_ended_by_an_abort(new_stage: Any, name: str) -> None:
    """B-077: within a second; no tool runs after it, and the run ends as called off."""

    async def main() -> None:
        stage, ran, waiting = new_stage(), [], asyncio.Event()

        async def for_ever(*args: Any) -> Any:
            waiting.set()
            await asyncio.Event().wait()

        async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
            ran.append(1)
            return text_result("done")

        replaced(stage, name, for_ever)
        stage.add_tool("work", work)
        loop = asyncio.get_running_loop()
        run = asyncio.create_task(stage.go([Call("work", id="1")], [Say("never")]))
        await waiting.wait()
        asked_at = loop.time()
        stage.agent.abort()
        await run
        assert loop.time() - asked_at <= 1.01
        assert (stage.last.stop_reason, stage.last.content) == ("aborted", [])
        if name == "before_tool_call":
            assert not ran
            assert stage.results == [("1", "Operation aborted", True)]
        elif name == "after_tool_call":
            assert stage.results == [("1", "done", False)]

    run_in_virtual_time(main())


async def test_a_hook_that_ends_with_the_abort_lets_no_tool_run(stage: Any) -> None:
    async def asks(call: ToolCall, args: dict[str, Any], signal: AbortSignal) -> Blocked | None:
        stage.agent.abort()
        await signal.wait()
        return None

    stage.agent.hooks.before_tool_call = asks
    stage.add_tool("work")
    await stage.go([Call("work", id="1"), Call("work", id="2")])
    assert stage.results == [("1", "Operation aborted", True), ("2", "Operation aborted", True)]


async def test_no_hook_is_asked_once_the_run_is_called_off(stage: Any) -> None:
    asked: list[str] = []

    def noting(name: str) -> None:
        default = getattr(stage.agent.hooks, name)

        async def note(*args: Any) -> Any:
            asked.append(name)
            return await default(*args)

        replaced(stage, name, note)

    async def aborts(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        for name in HOOKS:
            noting(name)
        stage.agent.abort()
        return text_result("what ran may be looked at")

    stage.agent.execution_mode = "sequential"
    stage.add_tool("work", aborts)
    await stage.go([Call("work"), Call("work")], [Say("never")])
    assert asked == ["after_tool_call"]


# --- hooks that throw


async def boom(*args: Any) -> Any:
    raise RuntimeError("boom")


@pytest.mark.parametrize("name", ["transform_context", "convert_to_llm", "stream"])
async def test_what_fails_before_the_request_is_the_answer(stage: Any, name: str) -> None:
    replaced(stage, name, boom)
    await stage.go()
    assert (stage.last.stop_reason, stage.last.error_message) == ("error", "boom")
    assert stage.kinds()[-2:] == ["turn_end", "agent_end"]


async def test_before_tool_call_fails_closed(stage: Any) -> None:
    stage.agent.hooks.before_tool_call = boom
    stage.add_tool("work")
    await stage.go([Call("work", id="1")], [Say("ok")])
    ((_, text, is_error),) = stage.results
    assert is_error
    assert "not run" in text
    assert "boom" in text


async def nothing(*args: Any) -> Any:
    return None


@pytest.mark.parametrize("hook", [boom, nothing])
async def test_the_result_stands_when_after_tool_call_gives_none(stage: Any, hook: Any) -> None:
    stage.agent.hooks.after_tool_call = hook
    stage.add_tool("work")
    await stage.go([Call("work", id="1")], [Say("ok")])
    assert stage.results == [("1", "work", False)]


@pytest.mark.parametrize("name", ["should_stop_after_turn", "prepare_next_turn"])
async def test_the_run_goes_on_when_a_hook_between_the_turns_fails(stage: Any, name: str) -> None:
    replaced(stage, name, boom)
    stage.add_tool("work")
    await stage.go([Call("work")], [Say("ok")])
    assert stage.last.text == "ok"


async def test_a_hook_that_cancels_itself_is_one_that_throws(stage: Any) -> None:
    async def unlucky(*args: Any) -> Any:
        raise asyncio.CancelledError

    for name in ("should_stop_after_turn", "prepare_next_turn", "after_tool_call"):
        replaced(stage, name, unlucky)
    stage.add_tool("work")
    await stage.go([Call("work")], [Say("ok")])
    assert stage.last.text == "ok"


# --- before and after a tool


async def test_before_tool_call_may_change_the_arguments_but_not_what_was_asked_for(stage: Any) -> None:
    got: list[Any] = []

    async def patch(call: ToolCall, args: dict[str, Any], signal: AbortSignal) -> Blocked | None:
        args["nested"]["list"].append("patched")
        args["more"] = 1
        return None

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        got.append(args)
        return text_result("")

    stage.agent.hooks.before_tool_call = patch
    stage.add_tool("work", work)
    await stage.go([Call("work", {"nested": {"list": []}})], [Say("ok")])
    assert got == [{"nested": {"list": ["patched"]}, "more": 1}]
    asked = stage.agent.state.messages[1].tool_calls[0]
    assert asked.arguments == {"nested": {"list": []}}


async def test_a_blocked_call_is_told_and_never_reaches_after_tool_call(stage: Any) -> None:
    seen: list[str] = []

    async def guard(call: ToolCall, args: dict[str, Any], signal: AbortSignal) -> Blocked | None:
        return Blocked("not today") if call.id == "1" else None

    async def after(
        call: ToolCall, args: dict[str, Any], result: ToolResult, signal: AbortSignal
    ) -> ToolResult:
        seen.append(call.id)
        return result

    stage.agent.hooks.before_tool_call, stage.agent.hooks.after_tool_call = guard, after
    stage.add_tool("work")
    await stage.go([Call("work", id="1"), Call("work", id="2")], [Say("ok")])
    assert seen == ["2"]
    assert stage.results == [("1", "not today", True), ("2", "work", False)]
    ends = {each.tool_call_id: each for each in stage.events if isinstance(each, ToolExecutionEnd)}
    assert ends["1"].is_error
    assert ends["1"].duration_ms is None
    assert ends["2"].duration_ms is not None


@pytest.mark.parametrize(("terminate", "calls"), [(True, 1), (False, 2)])
async def test_a_block_may_end_the_run(stage: Any, terminate: bool, calls: int) -> None:
    async def guard(*args: Any) -> Blocked | None:
        return Blocked("enough", terminate=terminate)

    stage.agent.hooks.before_tool_call = guard
    stage.add_tool("work")
    await stage.go([Call("work"), Call("work")], [Say("ok")])
    assert len(stage.script.contexts) == calls


async def test_after_tool_call_may_replace_all_of_a_result(stage: Any) -> None:
    async def replace_all(*args: Any) -> ToolResult:
        return ToolResult(
            [TextContent("new")], details={"x": 1}, is_error=True, terminate=True, usage=Usage(input=7)
        )

    stage.agent.hooks.after_tool_call = replace_all
    stage.add_tool("work")
    await stage.go([Call("work")])
    result = stage.agent.state.messages[-1]
    assert (text_of(result.content), result.details, result.is_error) == ("new", {"x": 1}, True)
    assert result.usage == Usage(input=7)
    assert len(stage.script.contexts) == 1
    (end,) = [each for each in stage.events if isinstance(each, ToolExecutionEnd)]
    assert (end.result.content, end.is_error) == ([TextContent("new")], True)


# --- the request


async def test_transform_context_gets_a_list_of_its_own(stage: Any) -> None:
    async def drops(messages: Sequence[AgentMessage], signal: AbortSignal) -> Sequence[AgentMessage]:
        assert isinstance(messages, list)
        messages.clear()
        return [UserMessage("injected")]

    stage.agent.hooks.transform_context = drops
    await stage.go([Say("ok")])
    assert [text_of(each.content) for each in stage.script.contexts[0].messages] == ["injected"]
    assert stage.prompts == ["go"]


# --- between the turns


class Preparation:
    """A `prepare_next_turn` that notes when it is asked and does what it is told."""

    def __init__(self, stage: Any, returns: Sequence[AgentMessage] = ()) -> None:
        self.stage = stage
        self.returns = returns
        self.asked_after: list[str] = []

    async def __call__(self, *args: Any) -> Sequence[AgentMessage]:
        self.asked_after.append(self.stage.events[-1].type)
        return self.returns


async def test_prepare_next_turn_is_asked_when_another_call_follows_and_only_then(stage: Any) -> None:
    preparation = stage.agent.hooks.prepare_next_turn = Preparation(stage)
    stage.add_tool("work")
    await stage.go([Say("no tools, nothing waits")])
    assert preparation.asked_after == []
    await stage.go([Call("work")], [Say("ok")])
    assert preparation.asked_after == ["turn_end"]
    stage.agent.follow_up(UserMessage("later"))
    await stage.go([Say("one")], [Say("two")])
    assert preparation.asked_after == ["turn_end"] * 2


async def test_it_is_not_asked_after_a_terminating_batch_a_failure_or_a_stop(stage: Any) -> None:
    preparation = stage.agent.hooks.prepare_next_turn = Preparation(stage)

    async def stop(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        return ToolResult(terminate=True)

    async def enough(*args: Any) -> bool:
        return True

    stage.add_tool("stop", stop)
    stage.add_tool("work")
    await stage.go([Call("stop")])
    await stage.go()  # the script has no more replies: an error
    stage.agent.hooks.should_stop_after_turn = enough
    await stage.go([Call("work")])
    assert preparation.asked_after == []
    assert stage.results[-1][1] == "work"


async def test_what_it_returns_comes_first_and_steering_is_looked_for_again(stage: Any) -> None:
    async def prepare(*args: Any) -> Sequence[AgentMessage]:
        stage.agent.steer(UserMessage("typed meanwhile"))
        return [UserMessage("injected")]

    stage.agent.hooks.prepare_next_turn = prepare
    stage.add_tool("work")
    before = len(stage.events)
    await stage.go([Call("work")], [Say("ok")])
    assert stage.prompts == ["go", "injected", "typed meanwhile"]
    kinds = stage.kinds(after=before)
    second = kinds.index("turn_start", 2)
    assert kinds[second - 2 : second + 6] == [
        "turn_end", "queue_update", "turn_start",
        "message_start", "message_end", "queue_update", "message_start", "message_end",
    ]  # fmt: skip


async def test_the_history_may_be_replaced_in_place(stage: Any) -> None:
    async def compact(message: AssistantMessage, *args: Any) -> Sequence[AgentMessage]:
        stage.agent.state.messages[:] = [UserMessage("the summary"), message, *args[0]]
        return ()

    stage.agent.hooks.prepare_next_turn = compact
    stage.add_tool("work")
    await stage.go([Call("work")], [Say("ok")])
    seen = stage.script.contexts[1].messages
    assert [each.role for each in seen] == ["user", "assistant", "toolResult"]
    assert seen[0].content == "the summary"
    assert [each.role for each in stage.agent.state.messages] == [
        "user", "assistant", "toolResult", "assistant",
    ]  # fmt: skip


async def test_what_is_taken_back_during_the_preparation_starts_no_turn(stage: Any) -> None:
    """Nothing is left to answer then, and a model must not be asked to answer itself."""

    async def slow(*args: Any) -> Sequence[AgentMessage]:
        stage.agent.follow_ups.clear()
        return ()

    stage.agent.hooks.prepare_next_turn = slow
    stage.agent.follow_up(UserMessage("no, wait"))
    await stage.go([Say("one")], [Say("two")])
    assert len(stage.script.contexts) == 1
    assert stage.kinds()[-3:] == ["turn_end", "queue_update", "agent_end"]


async def test_what_waits_only_after_the_preparation_is_delivered(stage: Any) -> None:
    """B-048: typed while the history is compacted between two turns."""
    gate, compacting = asyncio.Event(), asyncio.Event()

    async def compact(*args: Any) -> Sequence[AgentMessage]:
        compacting.set()
        await gate.wait()
        return ()

    stage.agent.hooks.prepare_next_turn = compact
    stage.add_tool("work")
    run = asyncio.create_task(stage.go([Call("work")], [Say("one")], [Say("two")]))
    await compacting.wait()
    stage.agent.steer(UserMessage("steer"))
    stage.agent.follow_up(UserMessage("follow"))
    await until(lambda: stage.kinds()[-2:] == ["queue_update", "queue_update"])
    gate.set()
    await run
    assert stage.prompts == ["go", "steer", "follow"]
