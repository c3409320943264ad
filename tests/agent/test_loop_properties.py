"""Whatever models, tools, hooks and users do: what holds of every run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.agent.agent import Agent
from pi_term.agent.events import (
    AgentEnd,
    AgentEvent,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
)
from pi_term.agent.hooks import Blocked
from pi_term.agent.messages import AgentMessage
from pi_term.agent.tools import AgentTool, ExecutionMode, ToolCallContext, ToolError, ToolResult, text_result
from pi_term.ai.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, UserMessage
from pi_term.ai.scripted import Call, Fail, Reply, Say
from pi_term.testing.clock import run_in_virtual_time
from pi_term.testing.scripted import ScriptedModel

DEEDS = (
    "ok", "slow", "shows", "fails", "raises", "wrong", "deaf", "terminate", "cancels",
    "steer", "follow_up", "unknown", "misfit", "blocked", "hook raises", "hook waits",
)  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What happens in a run. The numbers in `typed` and `abort_at` count events that listeners hear."""

    replies: Sequence[Reply]
    mode: ExecutionMode
    typed: dict[int, str]
    abort_at: int | None
    replaces: bool


@st.composite
def replies(draw: st.DrawFn) -> Reply:
    # Ids are drawn from few, so that careless models are met that use one twice.
    ids = st.sampled_from(["a", "b", "c", "d", "e", "f"])
    deeds = st.sampled_from(DEEDS) if draw(st.integers(0, 4)) else st.just("terminate")
    calls = draw(st.lists(st.builds(Call, deeds, st.just({}), ids), max_size=4))
    parts: list[Any] = [Say("Well, then."), *calls] if draw(st.booleans()) else calls
    if draw(st.integers(0, 9)) == 0:
        parts = [*parts[:2], Fail("the line went dead")]
    cut = bool(calls) and draw(st.integers(0, 9)) == 0
    return Reply(parts or [Say("Done.")], stop="length" if cut else None)


plans = st.builds(
    Plan,
    replies=st.lists(replies(), min_size=1, max_size=5),
    mode=st.sampled_from(["parallel", "sequential"]),
    typed=st.dictionaries(st.integers(0, 60), st.sampled_from(["steer", "follow_up"]), max_size=5),
    abort_at=st.none() | st.integers(0, 60),
    replaces=st.booleans(),
)


class Play:
    """One run of a plan."""

    def __init__(self, plan: Plan, script: ScriptedModel) -> None:
        self.plan = plan
        self.script = script
        self.agent = agent = Agent(script.model, execution_mode=plan.mode)
        self.events: list[AgentEvent] = []
        self.after: list[str] = []
        self.ran: list[str] = []
        self.sent: list[str] = []
        self.run: asyncio.Task[Any] | None = None
        self.cancel_at: int | None = None
        agent.state.tools = [
            AgentTool(deed, deed, deed, self._schema(deed), self._tool(deed))
            for deed in DEEDS
            if deed != "unknown"
        ]
        agent.hooks.before_tool_call = self._before
        agent.hooks.after_tool_call = self._after
        agent.subscribe(self._listen)
        if plan.replaces:
            agent.intercept(self._replace)

    def _schema(self, deed: str) -> dict[str, Any]:
        return {"type": "object", "required": ["x"] if deed == "misfit" else []}

    def _tool(self, deed: str) -> Any:
        async def execute(args: dict[str, Any], context: ToolCallContext) -> Any:
            self.ran.append(deed)
            match deed:
                case "slow":
                    await asyncio.sleep(1)
                case "shows":
                    for number in range(3):
                        context.update(text_result(str(number)))
                        await asyncio.sleep(0)
                case "fails":
                    raise ToolError("on purpose")
                case "raises":
                    raise RuntimeError("kaput")
                case "wrong":
                    return "a string"
                case "cancels":
                    raise asyncio.CancelledError
                case "deaf":
                    try:
                        await asyncio.sleep(5)
                    except asyncio.CancelledError:
                        await asyncio.sleep(5)
                case "steer" | "follow_up":
                    self._type(deed)
            return ToolResult([TextContent(deed)], terminate=deed == "terminate")

        return execute

    async def _before(self, call: ToolCall, args: dict[str, Any], signal: Any) -> Blocked | None:
        if call.name == "hook raises":
            raise RuntimeError("a hook")
        if call.name == "hook waits":
            await asyncio.sleep(3)
        return Blocked("no") if call.name == "blocked" else None

    async def _after(self, call: ToolCall, args: Any, result: ToolResult, signal: Any) -> ToolResult:
        self.after.append(call.name)
        return result

    async def _replace(self, event: MessageEnd | AgentEnd) -> AgentEvent | None:
        if not isinstance(event, MessageEnd) or not isinstance(event.message, AssistantMessage):
            return None
        old = event.message
        return MessageEnd(
            AssistantMessage(old.content[1:], stop_reason=old.stop_reason, error_message=old.error_message)
        )

    async def _listen(self, event: AgentEvent) -> None:
        number = len(self.events)
        self.events.append(event)
        if number % 3 == 0:
            await asyncio.sleep(0)
        if number in self.plan.typed:
            self._type(self.plan.typed[number])
        if number == self.plan.abort_at:
            self.agent.abort()
        if number == self.cancel_at and self.run is not None:
            self.run.cancel()
            await asyncio.sleep(number % 2)

    def _type(self, kind: str) -> None:
        name = f"typed {len(self.sent)}"
        self.sent.append(name)
        getattr(self.agent, kind)(UserMessage(name))


def play(plan: Plan) -> Play:
    async def main() -> Play:
        with ScriptedModel(plan.replies, answer=lambda _: [Say("Nothing more.")]) as script:
            played = Play(plan, script)
            added = await played.agent.prompt([UserMessage("go")])
            assert added == played.agent.state.messages
            assert asyncio.get_running_loop().time() < 60
            await asyncio.sleep(60)  # for what was abandoned
            assert asyncio.all_tasks() == {asyncio.current_task()}
            return played

    return run_in_virtual_time(main())


@settings(max_examples=300)
@given(plans)
def test_what_holds_of_every_run(plan: Plan) -> None:
    played = play(plan)
    assert_brackets(played.events)
    assert_tools_are_told(played.events)
    assert_history(played)
    assert_answered(played.agent.state.messages)
    assert_requests(played)
    assert_end(played)


@settings(max_examples=150)
@given(plans, st.integers(0, 40))
def test_what_holds_of_a_run_that_is_cancelled_from_outside(plan: Plan, cancel_at: int) -> None:
    """Nothing of it goes on, nothing that was typed is lost or told twice, and another run works."""

    async def main() -> None:
        with ScriptedModel(plan.replies, answer=lambda _: [Say("Nothing more.")]) as script:
            played = Play(plan, script)
            played.cancel_at = cancel_at
            played.run = asyncio.create_task(played.agent.prompt([UserMessage("go")]))
            await asyncio.wait([played.run])
            assert not played.agent.running
            assert not played.agent.state.pending_tool_calls
            ran = len(played.ran)
            await asyncio.sleep(60)  # for what was abandoned
            assert len(played.ran) == ran
            assert asyncio.all_tasks() == {asyncio.current_task()}
            told = [event.message for event in played.events if isinstance(event, MessageEnd)]
            history = played.agent.state.messages
            assert told in (history, history[:-1])
            prompts = [each.content for each in history if isinstance(each, UserMessage)]
            queues = (played.agent.steering, played.agent.follow_ups)
            waiting = [each.message.content for queue in queues for each in queue]
            assert sorted([*prompts, *waiting]) in (
                sorted(["go", *played.sent]),
                sorted(played.sent),  # the prompt itself had not yet come in
            )
            played.cancel_at = None
            await played.agent.prompt([UserMessage("again")])

    run_in_virtual_time(main())


def assert_brackets(events: list[AgentEvent]) -> None:
    """agent ( turn ( message ( update* ) | tool )* turn )* agent; deltas belong to the open message."""
    kinds = [event.type for event in events if event.type != "queue_update"]
    assert (kinds[0], kinds[-1]) == ("agent_start", "agent_end")
    assert kinds.count("agent_start") == kinds.count("agent_end") == 1
    turn, message, answers = False, None, 0
    for event in events:
        match event:
            case MessageStart():
                assert turn
                assert message is None
                message = event.message
            case MessageUpdate():
                assert event.message is message is event.event.partial
            case MessageEnd():
                assert message is not None
                assert event.message.role == message.role
                answers += message.role == "assistant"
                message = None
            case ToolExecutionStart() | ToolExecutionUpdate() | ToolExecutionEnd():
                assert turn
                assert message is None
                assert answers == 1
        if event.type in ("turn_start", "turn_end"):
            assert message is None
            assert turn == (event.type == "turn_end")
            assert answers == (1 if turn else 0)
            turn, answers = not turn, 0
    assert not turn


def assert_tools_are_told(events: list[AgentEvent]) -> None:
    running: Counter[str] = Counter()
    for event in events:
        match event:
            case ToolExecutionStart():
                running[event.tool_call_id] += 1
            case ToolExecutionUpdate():
                assert running[event.tool_call_id] > 0
            case ToolExecutionEnd():
                running[event.tool_call_id] -= 1
                assert running[event.tool_call_id] >= 0
            case MessageStart() | MessageEnd():
                assert not +running


def assert_history(played: Play) -> None:
    """State, events and the end of the run tell of the very same messages."""
    told = [event.message for event in played.events if isinstance(event, MessageEnd)]
    (end,) = [event for event in played.events if isinstance(event, AgentEnd)]
    for one, other, third in zip(told, played.agent.state.messages, end.messages, strict=True):
        assert one is other is third
    heard = [each.content for each in told if isinstance(each, UserMessage)]
    queues = (played.agent.steering, played.agent.follow_ups)
    waiting = [each.message.content for queue in queues for each in queue]
    assert sorted([*heard, *waiting]) == sorted(["go", *played.sent])


def assert_answered(messages: Sequence[AgentMessage]) -> None:
    """Each call of a whole answer is followed by its result, in order, before anything else."""
    expected: list[str] = []
    for message in messages:
        if expected:
            assert isinstance(message, ToolResultMessage)
            assert message.tool_call_id == expected.pop(0)
        else:
            assert not isinstance(message, ToolResultMessage)
        if isinstance(message, AssistantMessage) and message.stop_reason not in ("error", "aborted"):
            expected = [call.id for call in message.tool_calls]
    assert not expected


def assert_requests(played: Play) -> None:
    """A model is asked only where it has something to answer."""
    for context in played.script.contexts:
        assert context.messages[-1].role in ("user", "toolResult")
        assert_answered(context.messages)


def assert_end(played: Play) -> None:
    last = played.agent.state.messages[-1]
    answers = [each for each in played.agent.state.messages if isinstance(each, AssistantMessage)]
    stops = [each.stop_reason for each in answers]
    assert stops.count("aborted") <= (played.plan.abort_at is not None)
    assert not {"error", "aborted"} & set(stops[:-1])
    if isinstance(last, AssistantMessage):
        assert played.agent.state.last_error == last.error_message
    assert not played.agent.running
    assert not played.agent.state.pending_tool_calls
    assert not {"unknown", "misfit", "blocked", "hook raises"} & set(played.ran + played.after)
    assert Counter(played.after) <= Counter(played.ran)
