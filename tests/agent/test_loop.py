from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import pytest

from pi_term.agent.agent import Agent
from pi_term.agent.events import (
    AgentEvent,
    QueueUpdate,
    ToolExecutionEnd,
    ToolExecutionUpdate,
)
from pi_term.agent.hooks import Blocked
from pi_term.agent.tools import (
    AgentTool,
    ExecutionMode,
    ToolCallContext,
    ToolError,
    ToolResult,
    text_result,
)
from pi_term.ai.messages import (
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_term.ai.scripted import Call, Fail, Reply, Say, Wait
from pi_term.base.abort import AbortSignal
from pi_term.base.errors import PiTermError
from pi_term.testing.scripted import ScriptedModel, until


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    with ScriptedModel(reasoning=True) as script:
        yield script


@pytest.fixture
def agent(script: ScriptedModel) -> Agent:
    return Agent(script.model)


@pytest.fixture
def events(agent: Agent) -> list[AgentEvent]:
    seen: list[AgentEvent] = []

    async def listen(event: AgentEvent) -> None:
        seen.append(event)

    agent.subscribe(listen)
    return seen


def tool(
    name: str,
    run: Callable[[dict[str, Any], ToolCallContext], Awaitable[ToolResult]] | None = None,
    mode: ExecutionMode = "parallel",
) -> AgentTool:
    """A tool that echoes its argument, or does what `run` does."""

    async def echo(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        return text_result(f"{name}:{args.get('x', '')}")

    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    return AgentTool(name, name, f"the tool {name}", schema, run or echo, execution_mode=mode)


def kinds(events: Sequence[AgentEvent]) -> list[str]:
    """Event names without the deltas."""
    return [event.type for event in events if event.type != "message_update"]


def roles(agent: Agent) -> list[str]:
    return [message.role for message in agent.state.messages]


def results(agent: Agent) -> dict[str, tuple[str, bool]]:
    return {
        message.tool_call_id: (text_of(message.content), message.is_error)
        for message in agent.state.messages
        if isinstance(message, ToolResultMessage)
    }


async def test_a_turn_with_a_tool(agent: Agent, script: ScriptedModel, events: list[AgentEvent]) -> None:
    agent.state.tools = [tool("echo")]
    script.replies = [[Say("Let me."), Call("echo", {"x": "hi"}, id="c1")], [Say("Done.")]]
    added = await agent.prompt([UserMessage("go")])
    assert roles(agent) == ["user", "assistant", "toolResult", "assistant"]
    assert added == agent.state.messages
    assert results(agent) == {"c1": ("echo:hi", False)}
    assert kinds(events) == [
        "agent_start", "turn_start", "message_start", "message_end",
        "message_start", "message_end",
        "tool_execution_start", "tool_execution_end", "message_start", "message_end", "turn_end",
        "turn_start", "message_start", "message_end", "turn_end", "agent_end",
    ]  # fmt: skip
    assert [message.role for message in script.contexts[1].messages] == ["user", "assistant", "toolResult"]


async def test_calls_run_together_and_results_keep_their_order(
    agent: Agent, script: ScriptedModel, events: list[AgentEvent]
) -> None:
    gate = asyncio.Event()

    async def slow(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        await gate.wait()
        return text_result("slow")

    async def quick(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        gate.set()
        return text_result("quick")

    agent.state.tools = [tool("slow", slow), tool("quick", quick)]
    script.replies = [[Call("slow", id="1"), Call("quick", id="2"), Call("nope", id="3")], [Say("ok")]]
    await agent.prompt([UserMessage("go")])
    ends = [event.tool_call_id for event in events if isinstance(event, ToolExecutionEnd)]
    assert ends == ["3", "2", "1"]
    assert list(results(agent)) == ["1", "2", "3"]
    assert "nope not found" in results(agent)["3"][0]


async def test_one_sequential_tool_makes_the_batch_sequential(agent: Agent, script: ScriptedModel) -> None:
    running, most = 0, 0

    async def count(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return text_result("")

    agent.state.tools = [tool("a", count), tool("b", count, mode="sequential")]
    script.replies = [[Call("a"), Call("b"), Call("a")], [Say("ok")]]
    await agent.prompt([UserMessage("go")])
    assert most == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (Call("strict", {}, id="c"), "x"),
        (Call("raises", id="c"), "kaput"),
        (Call("fails", id="c"), "on purpose"),
        (Call("blocked", id="c"), "not today"),
        (Call("missing", id="c"), "missing not found"),
    ],
)
async def test_what_goes_wrong_is_an_error_result(
    agent: Agent, script: ScriptedModel, call: Call, said: str
) -> None:
    async def raises(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        raise RuntimeError("kaput")

    async def fails(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        raise ToolError("on purpose")

    async def guard(call: ToolCall, args: dict[str, Any], signal: AbortSignal) -> Blocked | None:
        return Blocked("not today") if call.name == "blocked" else None

    strict = tool("strict")
    strict.parameters["required"] = ["x"]
    agent.state.tools = [strict, tool("raises", raises), tool("fails", fails), tool("blocked")]
    agent.hooks.before_tool_call = guard
    script.replies = [[call], [Say("I see.")]]
    await agent.prompt([UserMessage("go")])
    text, is_error = results(agent)["c"]
    assert is_error
    assert said in text
    assert roles(agent)[-1] == "assistant"


async def test_after_tool_call_sees_only_what_ran(agent: Agent, script: ScriptedModel) -> None:
    async def shout(
        call: ToolCall, args: dict[str, Any], result: ToolResult, signal: AbortSignal
    ) -> ToolResult:
        return text_result(text_of(result.content).upper())

    agent.hooks.after_tool_call = shout
    agent.state.tools = [tool("echo")]
    script.replies = [[Call("echo", {"x": "hi"}, id="1"), Call("nope", id="2")], [Say("ok")]]
    await agent.prompt([UserMessage("go")])
    assert results(agent)["1"][0] == "ECHO:HI"
    assert "nope not found" in results(agent)["2"][0]


async def test_an_answer_cut_by_its_limit_runs_nothing(agent: Agent, script: ScriptedModel) -> None:
    """B-042: every call of such an answer gets an error result, and the loop goes on."""
    ran = []

    async def run(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        ran.append(args)
        return text_result("")

    agent.state.tools = [tool("write", run)]
    script.replies = [Reply([Call("write", {"x": "half"}, id="1")], stop="length"), [Say("Again.")]]
    await agent.prompt([UserMessage("go")])
    assert not ran
    assert results(agent)["1"][1]
    assert roles(agent) == ["user", "assistant", "toolResult", "assistant"]


async def test_terminating_results_end_the_run_unless_something_waits(
    agent: Agent, script: ScriptedModel
) -> None:
    async def stop(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        return ToolResult([TextContent("bye")], terminate=True)

    agent.state.tools = [tool("stop", stop)]
    script.replies = [[Call("stop")], [Call("stop")], [Say("after the follow-up")]]
    await agent.prompt([UserMessage("one")])
    assert roles(agent) == ["user", "assistant", "toolResult"]
    agent.follow_up(UserMessage("more"))
    await agent.prompt([UserMessage("two")])
    assert roles(agent)[3:] == ["user", "assistant", "toolResult", "user", "assistant"]


async def test_steering_enters_after_the_whole_batch_and_before_the_next_call(
    agent: Agent, script: ScriptedModel, events: list[AgentEvent]
) -> None:
    async def steered(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        agent.steer(UserMessage("not that"))
        return text_result("done")

    agent.state.tools = [tool("work", steered), tool("echo")]
    script.replies = [[Call("work", id="1"), Call("echo", id="2")], [Say("Fine.")]]
    await agent.prompt([UserMessage("go")])
    assert roles(agent) == ["user", "assistant", "toolResult", "toolResult", "user", "assistant"]
    updates = [event.steering for event in events if isinstance(event, QueueUpdate)]
    assert updates == [["not that"], []]


async def test_follow_ups_come_when_the_run_would_stop_and_steering_goes_first(
    agent: Agent, script: ScriptedModel
) -> None:
    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        agent.follow_up(UserMessage("later"))
        agent.steer(UserMessage("now"))
        return text_result("")

    agent.state.tools = [tool("work", work)]
    script.replies = [[Call("work")], [Say("steered")], [Say("followed up")]]
    await agent.prompt([UserMessage("go")])
    texts = [text_of(m.content) for m in agent.state.messages if not isinstance(m, ToolResultMessage)]
    assert texts == ["go", "", "now", "steered", "later", "followed up"]


async def test_a_failure_of_the_provider_is_a_message(agent: Agent, script: ScriptedModel) -> None:
    script.replies = [[Say("I "), Call("echo", id="1"), Fail("the line went dead")]]
    agent.state.tools = [tool("echo")]
    await agent.prompt([UserMessage("go")])
    last = agent.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert (last.stop_reason, last.error_message) == ("error", "the line went dead")
    assert agent.state.last_error == "the line went dead"
    assert not results(agent)


async def test_what_keeps_a_request_from_starting_is_a_message(agent: Agent) -> None:
    async def no_key(*args: Any) -> Any:
        raise PiTermError("no_key", "No key for test.", "Set TEST_API_KEY.")

    agent.hooks.stream = no_key
    await agent.prompt([UserMessage("go")])
    last = agent.state.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert last.error_message == "No key for test. Set TEST_API_KEY."


async def test_updates_come_before_the_end_and_late_ones_do_not(
    agent: Agent, script: ScriptedModel, events: list[AgentEvent]
) -> None:
    leaked: list[ToolCallContext] = []

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        leaked.append(context)
        context.update(text_result("half"))
        return text_result("whole")

    agent.state.tools = [tool("work", work)]
    script.replies = [[Call("work")], [Say("ok")]]
    await agent.prompt([UserMessage("go")])
    leaked[0].update(text_result("late"))
    await asyncio.sleep(0)
    shown = [
        text_of(event.partial_result.content) for event in events if isinstance(event, ToolExecutionUpdate)
    ]
    assert shown == ["half"]
    order = [event.type for event in events if event.type.startswith("tool_execution")]
    assert order == ["tool_execution_start", "tool_execution_update", "tool_execution_end"]


async def test_a_second_prompt_during_a_run_is_refused(agent: Agent, script: ScriptedModel) -> None:
    gate = asyncio.Event()
    script.replies = [[Wait(gate), Say("ok")]]
    run = asyncio.create_task(agent.prompt([UserMessage("go")]))
    await until(lambda: agent.running)
    with pytest.raises(PiTermError, match="working"):
        await agent.prompt([UserMessage("again")])
    gate.set()
    await run
    await agent.wait_idle()


async def test_continue_needs_a_tail_or_a_queue(agent: Agent, script: ScriptedModel) -> None:
    script.replies = [[Say("one")], [Say("two")], [Say("three")]]
    await agent.prompt([UserMessage("go")])
    with pytest.raises(PiTermError, match="nothing to continue"):
        await agent.continue_()
    agent.steer(UserMessage("queued"))
    await agent.continue_()
    agent.state.messages.append(UserMessage("tail"))
    await agent.continue_()
    assert roles(agent) == ["user", "assistant", "user", "assistant", "user", "assistant"]


async def test_continue_during_a_run_takes_nothing_from_the_queues(
    agent: Agent, script: ScriptedModel
) -> None:
    gate = asyncio.Event()

    async def hold(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        await gate.wait()
        return text_result("")

    agent.state.tools = [tool("hold", hold)]
    script.replies = [[Call("hold")], [Say("one")], [Say("two")]]
    run = asyncio.create_task(agent.prompt([UserMessage("go")]))
    await until(lambda: bool(agent.state.pending_tool_calls))
    agent.follow_up(UserMessage("next"))
    with pytest.raises(PiTermError, match="working"):
        await agent.continue_()
    gate.set()
    await run
    assert roles(agent) == ["user", "assistant", "toolResult", "assistant", "user", "assistant"]


async def test_an_open_request_keeps_its_setup(agent: Agent, script: ScriptedModel) -> None:
    async def switch(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        agent.state.system_prompt = "new"
        agent.state.thinking_level = "high"
        return text_result("")

    agent.state.system_prompt = "old"
    agent.state.tools = [tool("switch", switch)]
    script.replies = [[Call("switch")], [Say("ok")]]
    await agent.prompt([UserMessage("go")])
    assert [context.system_prompt for context in script.contexts] == ["old", "new"]
    assert [options.thinking for options in script.options] == ["off", "high"]
