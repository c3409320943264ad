"""What waits: edited, moved and promoted while a run goes on; delivered once, or still there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from pi_term.agent.agent import Agent
from pi_term.agent.events import AgentEvent, MessageEnd, MessageStart, QueueUpdate
from pi_term.agent.queues import MessageQueue, QueuedMessage
from pi_term.agent.tools import AgentTool, ToolCallContext, ToolResult, text_result
from pi_term.ai.context import Context
from pi_term.ai.messages import AssistantMessage, UserMessage, text_of
from pi_term.ai.scripted import Call, Part, Say
from pi_term.testing.clock import VirtualLoop, run_in_virtual_time
from pi_term.testing.scripted import ScriptedModel, until


def texts(queue: MessageQueue) -> list[str]:
    return [text_of(each.message.content) for each in queue]


def filled(*names: str, changes: list[int] | None = None) -> tuple[MessageQueue, list[int]]:
    """A queue, the ids of what is in it, and a list that grows with every change."""
    counted = [] if changes is None else changes
    queue = MessageQueue(on_change=lambda: counted.append(1))
    ids = [queue.add(UserMessage(name)).id for name in names]
    counted.clear()
    return queue, ids


# --- a queue by itself


def test_each_change_is_told_once_and_what_changes_nothing_is_not() -> None:
    changes: list[int] = []
    queue, (a, b, c) = filled("a", "b", "c", changes=changes)
    assert queue.replace(b, UserMessage("B"))
    assert queue.move(c, 0)
    assert text_of(queue.remove(a).content) == "a"  # type: ignore[union-attr]
    assert len(changes) == 3
    assert texts(queue) == ["c", "B"]
    assert [each.id for each in queue] == [c, b]
    assert queue.move(c, 0)  # it is there
    assert not queue.replace(a, UserMessage("A"))
    assert not queue.move(a, 0)
    assert queue.remove(a) is None
    assert len(changes) == 3
    assert [each.content for each in queue.clear()] == ["c", "B"]
    assert queue.clear() == []
    assert queue.take_due() == []
    assert len(changes) == 4


@pytest.mark.parametrize(
    ("position", "order"), [(0, "cab"), (1, "acb"), (2, "abc"), (99, "abc"), (-5, "cab")]
)
def test_moving(position: int, order: str) -> None:
    queue, ids = filled("a", "b", "c")
    queue.move(ids[2], position)
    assert "".join(texts(queue)) == order


@pytest.mark.parametrize(("mode", "taken"), [("one-at-a-time", ["a"]), ("all", ["a", "b"])])
def test_what_a_turn_takes(mode: Any, taken: list[str]) -> None:
    changes: list[int] = []
    queue, _ = filled("a", "b", changes=changes)
    queue.mode = mode
    assert [each.content for each in queue.due()] == taken
    assert len(queue) == 2
    assert changes == []
    assert [each.content for each in queue.take_due()] == taken
    assert len(changes) == 1


# --- the queues of an agent


async def test_an_update_is_told_for_each_change_with_the_state_of_that_moment(stage: Any) -> None:
    agent = stage.agent
    one = agent.steer(UserMessage("one"))
    two = agent.follow_up(UserMessage("two"))
    agent.steering.replace(one.id, UserMessage("ONE"))
    agent.promote(two.id)
    agent.steering.move(two.id, 0)
    agent.demote(one.id)
    agent.follow_ups.clear()
    assert not agent.promote(one.id)
    await until(lambda: len(stage.events) == 7)
    assert [(event.steering, event.follow_up) for event in stage.events] == [
        (["one"], []),
        (["one"], ["two"]),
        (["ONE"], ["two"]),
        (["ONE", "two"], []),
        (["two", "ONE"], []),
        (["two"], ["ONE"]),
        (["two"], []),
    ]


async def test_a_message_changes_sides_where_the_queues_meet(stage: Any) -> None:
    """Steering, then follow-ups is the order of delivery: promoting the first of these keeps it."""
    agent = stage.agent
    for name in "ab":
        agent.steer(UserMessage(name))
    ids = [agent.follow_up(UserMessage(name)).id for name in "cd"]
    agent.promote(ids[0])
    assert (texts(agent.steering), texts(agent.follow_ups)) == (["a", "b", "c"], ["d"])
    agent.demote(ids[0])
    assert (texts(agent.steering), texts(agent.follow_ups)) == (["a", "b"], ["c", "d"])


@pytest.mark.parametrize(("mode", "order"), [("one-at-a-time", "go 1 a 2 b 3"), ("all", "go 1 a b 2")])
@pytest.mark.parametrize("name", ["steering", "follow_ups"])
async def test_modes(stage: Any, name: str, mode: Any, order: str) -> None:
    queue = getattr(stage.agent, name)

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        queue.mode = mode  # also while a run goes on
        queue.add(UserMessage("a"))
        queue.add(UserMessage("b"))
        return ToolResult(terminate=True)

    stage.add_tool("work", work)
    await stage.go([Say("1"), Call("work")], [Say("2")], [Say("3")])
    said = [
        each.text if isinstance(each, AssistantMessage) else each.content
        for each in stage.agent.state.messages
        if isinstance(each, AssistantMessage | UserMessage)
    ]
    assert " ".join(said) == order
    updates = [event for event in stage.events if isinstance(event, QueueUpdate)]
    waiting = [event.steering or event.follow_up for event in updates]
    assert waiting == [["a"], ["a", "b"], ["b"], []]


async def test_an_update_comes_right_before_each_delivered_message(stage: Any) -> None:
    stage.agent.steering.mode = "all"

    async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        stage.agent.steer(UserMessage("a"))
        stage.agent.steer(UserMessage("b"))
        return text_result("")

    stage.add_tool("work", work)
    await stage.go([Call("work")], [Say("ok")])
    delivery = ["queue_update", "message_start", "message_end"]
    assert stage.kinds()[-11:-4] == ["turn_start", *delivery, *delivery]


async def test_steering_that_comes_as_a_follow_up_is_delivered_goes_along(stage: Any) -> None:
    """It enters before the next model call, whatever that call is for."""

    async def listen(event: AgentEvent) -> None:
        if isinstance(event, MessageStart) and event.message.role == "user" and stage.prompts == ["go"]:
            stage.agent.steer(UserMessage("steer"))

    stage.agent.subscribe(listen)
    stage.agent.follow_up(UserMessage("follow"))
    await stage.go([Say("1")], [Say("2")], [Say("3")])
    assert stage.prompts == ["go", "follow", "steer"]
    assert len(stage.script.contexts) == 2


async def test_continuing_begins_with_what_waits_steering_first(stage: Any) -> None:
    await stage.go([Say("1")])
    stage.agent.follow_up(UserMessage("follow"))
    stage.agent.steer(UserMessage("steer"))
    stage.script.replies = [[Say("2")], [Say("3")]]
    await stage.agent.continue_()
    assert stage.prompts == ["go", "steer", "follow"]


# --- B-049


@settings(max_examples=60)
@given(moments=st.lists(st.integers(0, 25), min_size=20, max_size=20), data=st.data())
def test_twenty_messages_typed_during_five_tools(moments: list[int], data: st.DataObject) -> None:
    """B-049: at random moments, also exactly when a tool ends and when the run ends. Each is once in the
    history or still waits, in order, and never between a call and its result."""
    names = [f"m{number}" for number in range(20)]
    kinds = data.draw(st.lists(st.sampled_from(["steer", "follow_up"]), min_size=20, max_size=20))

    async def main() -> None:
        with ScriptedModel([*([Call("work")] for _ in range(5))], answer=lambda _: [Say("ok")]) as script:
            agent = Agent(script.model)

            async def work(args: dict[str, Any], context: ToolCallContext) -> ToolResult:
                await asyncio.sleep(0.2)
                return text_result("")

            async def type_all() -> None:
                time = 0
                for moment, name, kind in zip(sorted(moments), names, kinds, strict=True):
                    await asyncio.sleep((moment - time) / 20)  # tools end at multiples of 0.2
                    time = moment
                    getattr(agent, kind)(UserMessage(name))

            agent.state.tools = [AgentTool("work", "", "", {"type": "object"}, work)]
            await asyncio.gather(agent.prompt([UserMessage("go")]), type_all())
            heard = [text_of(m.content) for m in agent.state.messages if isinstance(m, UserMessage)]
            left = texts(agent.steering) + texts(agent.follow_ups)
            assert sorted(heard + left) == sorted(["go", *names])
            for kind in ("steer", "follow_up"):
                mine = [name for name, each in zip(names, kinds, strict=True) if each == kind]
                assert [name for name in heard + left if name in mine] == mine
            assert_no_message_comes_between(agent)

    run_in_virtual_time(main())


def assert_no_message_comes_between(agent: Agent) -> None:
    messages = agent.state.messages
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.stop_reason not in ("error", "aborted"):
            count = len(message.tool_calls)
            assert [each.role for each in messages[index + 1 : index + 1 + count]] == ["toolResult"] * count


# --- any sequence of what a user can do


class Typing(RuleBasedStateMachine):
    """A user types, edits, moves, takes back, aborts and goes on while runs come and go.

    The model asks for a tool whenever the history's length is odd, so that runs end by themselves; each
    step of the event loop that a rule allows is a moment at which the next thing may happen.
    """

    queued = Bundle("queued")

    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualLoop()
        self.script = ScriptedModel(answer=self._answer).__enter__()
        self.agent = self.loop.run_until_complete(self._make_agent())
        self.run: asyncio.Task[Any] | None = None
        self.typed: dict[int, str] = {}
        self.taken_back: list[str] = []
        self.delivered: list[str] = []
        self.updates: list[QueueUpdate] = []
        self.changes = 0
        self.names = iter(range(10_000))

    async def _make_agent(self) -> Agent:
        agent = Agent(self.script.model)
        agent.state.tools = [AgentTool("work", "", "", {"type": "object"}, self._work)]
        agent.subscribe(self._listen)
        return agent

    def _answer(self, context: Context) -> list[Part]:
        return [Call("work"), Call("work")] if len(context.messages) % 2 else [Say("ok")]

    async def _work(self, args: dict[str, Any], context: ToolCallContext) -> ToolResult:
        await asyncio.sleep(0.01)
        return text_result("")

    async def _listen(self, event: AgentEvent) -> None:
        await asyncio.sleep(0)
        if isinstance(event, QueueUpdate):
            self.updates.append(event)
        elif isinstance(event, MessageEnd) and isinstance(event.message, UserMessage):
            self.delivered.append(text_of(event.message.content))

    def _step(self, times: int = 1) -> None:
        async def steps() -> None:
            for _ in range(times):
                await asyncio.sleep(0)

        self.loop.run_until_complete(steps())

    async def _call(self, action: Callable[[], Any]) -> Any:
        return action()

    def _do(self, action: Callable[[], Any]) -> Any:
        """Do something on the loop, as the interface would."""
        return self.loop.run_until_complete(self._call(action))

    def _queues(self) -> tuple[MessageQueue, MessageQueue]:
        return self.agent.steering, self.agent.follow_ups

    def _name_one(self) -> str:
        return f"m{next(self.names)}"

    @rule(target=queued, kind=st.sampled_from(["steer", "follow_up"]))
    def queue(self, kind: str) -> QueuedMessage:
        name = self._name_one()
        queued: QueuedMessage = self._do(lambda: getattr(self.agent, kind)(UserMessage(name)))
        self.typed[queued.id] = name
        self.changes += 1
        return queued

    @rule(one=queued)
    def edit(self, one: QueuedMessage) -> None:
        name = self._name_one()
        for queue in self._queues():
            if self._do(lambda queue=queue: queue.replace(one.id, UserMessage(name))):
                self.typed[one.id] = name
                self.changes += 1

    @rule(one=queued, position=st.integers(-1, 5))
    def move(self, one: QueuedMessage, position: int) -> None:
        def move_in(queue: MessageQueue) -> tuple[list[str], list[str]]:
            before = texts(queue)
            queue.move(one.id, position)
            return before, texts(queue)

        for queue in self._queues():
            before, after = self._do(lambda queue=queue: move_in(queue))
            assert sorted(after) == sorted(before)
            self.changes += after != before

    @rule(one=queued)
    def change_sides(self, one: QueuedMessage) -> None:
        changed = self._do(lambda: self.agent.promote(one.id) or self.agent.demote(one.id))
        self.changes += changed

    @rule(one=consumes(queued))
    def take_back(self, one: QueuedMessage) -> None:
        for queue in self._queues():
            message = self._do(lambda queue=queue: queue.remove(one.id))
            if message is not None:
                self.taken_back.append(text_of(message.content))
                self.changes += 1

    @rule()
    def escape(self) -> None:
        """What the interface does: take all that waits, then abort."""
        for queue in self._queues():
            taken = self._do(queue.clear)
            self.taken_back += [text_of(message.content) for message in taken]
            self.changes += bool(taken)
        self.abort()

    @rule()
    def abort(self) -> None:
        self._do(self.agent.abort)

    @rule(name=st.sampled_from(["steering", "follow_ups"]), mode=st.sampled_from(["one-at-a-time", "all"]))
    def set_mode(self, name: str, mode: Any) -> None:
        getattr(self.agent, name).mode = mode

    @rule()
    def start(self) -> None:
        if self.run is None or self.run.done():
            name = self._name_one()
            self.typed[-int(name[1:]) - 1] = name
            self.run = self.loop.create_task(self.agent.prompt([UserMessage(name)]))

    @rule()
    def go_on(self) -> None:
        waits = len(self.agent.steering) + len(self.agent.follow_ups)
        if (self.run is None or self.run.done()) and waits:
            self.run = self.loop.create_task(self.agent.continue_())

    @rule(times=st.integers(1, 60))
    def time_passes(self, times: int) -> None:
        self._step(times)

    @rule()
    def the_run_ends(self) -> None:
        if self.run is not None:
            self.loop.run_until_complete(asyncio.wait([self.run], timeout=3600))
            assert self.run.done()
            error = self.run.exception()  # what it should have gone on with was taken back before
            assert error is None or getattr(error, "code", "") == "nothing_to_continue"

    @invariant()
    def nothing_is_twice(self) -> None:
        waiting = texts(self.agent.steering) + texts(self.agent.follow_ups)
        known = self.delivered + self.taken_back + waiting
        assert len(set(known)) == len(known)
        assert set(known) <= set(self.typed.values())

    def teardown(self) -> None:
        try:
            self.the_run_ends()
            self._step(1000)
            waiting = texts(self.agent.steering) + texts(self.agent.follow_ups)
            assert sorted(self.delivered + self.taken_back + waiting) == sorted(self.typed.values())
            delivered_from_queue = [
                name for key, name in self.typed.items() if key > 0 and name in self.delivered
            ]
            assert len(self.updates) == self.changes + len(delivered_from_queue)
            if self.updates:
                last = self.updates[-1]
                assert (last.steering, last.follow_up) == (
                    texts(self.agent.steering),
                    texts(self.agent.follow_ups),
                )
            assert_no_message_comes_between(self.agent)
        finally:
            self.script.__exit__(None, None, None)
            self.loop.close()


TestTyping = Typing.TestCase
TestTyping.settings = settings(
    max_examples=100, stateful_step_count=40, suppress_health_check=[HealthCheck.too_slow]
)
