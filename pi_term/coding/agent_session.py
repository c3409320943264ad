"""A coding session: an agent, its file, its tools and prompt, and what happens between the runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from pi_term.agent.agent import Agent
from pi_term.agent.events import AgentEnd, AgentEvent, MessageEnd
from pi_term.agent.hooks import LoopHooks
from pi_term.agent.messages import AgentMessage
from pi_term.ai.catalog.levels import clamp_level, supported_levels
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import (
    AssistantMessage,
    ImageContent,
    Message,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_term.ai.models import Model, ThinkingLevel
from pi_term.ai.stream import AssistantStream
from pi_term.base.abort import AbortSignal
from pi_term.coding.compactor import Compactor
from pi_term.coding.conversation import Conversation
from pi_term.coding.event_hub import BUSY, EventHub, Listener
from pi_term.coding.events import (
    CompactionResult,
    ModelChanged,
    SessionEvent,
    ThinkingLevelChanged,
)
from pi_term.coding.feed import EventFeed
from pi_term.coding.harness import Harness
from pi_term.coding.messages import BashExecutionMessage, convert_to_llm, user_message
from pi_term.coding.model_calls import ModelCalls
from pi_term.coding.navigator import Navigator
from pi_term.coding.recorder import Recorder
from pi_term.coding.rewind import Rewinder
from pi_term.coding.runs import RunParts, Runs
from pi_term.coding.session import (
    ModelChangeEntry,
    SessionFile,
    ThinkingLevelChangeEntry,
    diff_system,
    replay_system,
)
from pi_term.coding.shell import UserShell
from pi_term.coding.stats import SessionStats
from pi_term.coding.switcher import Switcher
from pi_term.coding.trace import trace


class AgentSession:
    """One conversation at a time, with everything around its runs.

    `submit` is for front ends (it never waits and never refuses), `prompt` for programs. Listeners of
    `hub` are awaited in order after the entry is on disk; feeds are for front ends and hold nothing up.
    `switcher` goes to other sessions, `navigator` to other places in this one's tree, `rewinder` does so with
    the files that the tools changed.
    """

    def __init__(
        self,
        harness: Harness,
        model: Model,
        thinking: ThinkingLevel,
        file: SessionFile,
        *,
        is_new: bool,
    ) -> None:
        """A file that `is_new` is begun; with another one `switcher.arrive` must follow."""
        self.harness = harness
        self.hub = EventHub()
        self.leaving = False  # for another session: what is sent is for that one
        self._called_off = False  # and nothing was sent since
        self._at_rest = asyncio.Event()  # no compaction on demand and no move in the tree is under way
        self._at_rest.set()
        self.agent = Agent(model)
        self.wanted_level = thinking  # what people chose last, whether or not the model of now can do it
        self.agent.state.thinking_level = clamp_level(model, thinking)
        self.conversation = Conversation(self.agent, file, self.hub.report, is_new=is_new)
        self.calls = ModelCalls(self.agent, self.conversation, self.hub, lambda: self.harness)
        self.shell = UserShell(
            self.conversation, self.hub, lambda: self.harness.command_place(), lambda: self.busy
        )
        self.compactor = Compactor(
            self.agent,
            self.conversation,
            self.hub,
            lambda: self.harness.settings,
            self.calls.summary_desk,
        )
        self.runs = Runs(
            RunParts(
                self.agent,
                self.conversation,
                self.compactor,
                self.hub,
                self.calls.retry_policy,
                self._declare,
                self.undelivered,
                self.shell.save_records,
            )
        )
        self.switcher = Switcher(self)
        self.navigator = Navigator(self)
        self.rewinder = Rewinder(self)
        self._wire()
        if is_new:
            self.begin_file()

    def _wire(self) -> None:
        """Put the session between the agent and those who watch it."""
        self.agent.hooks = LoopHooks(
            convert_to_llm=_convert, stream=self._stream, prepare_next_turn=self._prepare_next_turn
        )
        self.agent.intercept(self._foresee_retry)
        self.agent.subscribe(self._on_agent_event)
        self.agent.subscribe(self.runs.on_agent_event)

    # --- reading

    @property
    def file(self) -> SessionFile:
        """The session's file and tree."""
        return self.conversation.file

    @property
    def name(self) -> str | None:
        """What people called the session."""
        return self.recorder.name

    @property
    def stats(self) -> SessionStats:
        """What was said and used so far."""
        return self.conversation.stats

    @property
    def recorder(self) -> Recorder:
        """What brings the session to its file."""
        return self.conversation.recorder

    @property
    def busy(self) -> bool:
        """Whether a prompt has not settled yet, the context is being compacted, or a branch summarised."""
        return self.runs.active or not self._at_rest.is_set()

    @property
    def model(self) -> Model:
        """The model of the next request."""
        return self.agent.state.model

    @property
    def thinking_level(self) -> ThinkingLevel:
        """The thinking level of the next request."""
        return self.agent.state.thinking_level

    def last_answer(self) -> AssistantMessage | None:
        """What the model said last, since the session was opened here."""
        said = (each for each in reversed(self.agent.state.messages) if isinstance(each, AssistantMessage))
        return next(said, None)

    def context_tokens(self) -> int | None:
        """Tokens in the model's context; None where nothing is known, as right after a compaction."""
        return self.conversation.known_tokens()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener that is awaited for every event; returns what takes it away."""
        return self.hub.subscribe(listener)

    def feed(self) -> EventFeed[SessionEvent]:
        """A queue of all events from now on, for one front end."""
        return self.hub.feed()

    # --- prompting

    async def prompt(self, text: str, images: Sequence[ImageContent] = ()) -> None:
        """Send a prompt and wait until it has settled.

        Raises `PiTermError("busy")` during a run: `submit` steers instead.
        """
        if self.busy or self.leaving:
            raise BUSY
        message = user_message(self.harness.expand(text), images)
        self._called_off = False
        self.runs.begin()
        await self.runs.drive([message])

    def submit(self, text: str, *, follow_up: bool = False, images: Sequence[ImageContent] = ()) -> None:
        """Start a run, or steer the one under way (`follow_up`: queue for its end). Blank text is dropped."""
        if not text.strip() and not images:
            return
        message = user_message(self.harness.expand(text), images)
        self._called_off = False
        if not self.busy and not self.leaving:
            self.start([message])
            return
        queue = self.agent.follow_ups if follow_up else self.agent.steering
        queue.add(message)

    def start(self, prompts: Sequence[UserMessage]) -> None:
        """Start a run in the background; nothing happens without `prompts`."""
        if prompts:
            self.runs.begin()
            self.hub.spawn(self.runs.drive(prompts))

    def abort(self) -> None:
        """Call off what goes on: the run, a retry, a compaction, a branch summary.

        Queued messages stay, see `take_queued`; later ones are a new run.
        """
        self._called_off = True
        self.runs.abort()
        self.compactor.abort()
        self.navigator.abort()

    def take_queued(self) -> list[str]:
        """Take all waiting messages out of both queues: their texts, steering first."""
        taken = [*self.agent.steering.clear(), *self.agent.follow_ups.clear()]
        return [text_of(message.content) for message in taken]

    def undelivered(self) -> list[UserMessage]:
        """Take out what was sent in the very moment when the run ended, or since it was called off."""
        answer = self.agent.state.answer
        failed = answer is not None and answer.stop_reason == "error"
        if failed or self.leaving or self._called_off:
            return []
        return self.agent.steering.take_due() or self.agent.follow_ups.take_due()

    async def wait_settled(self) -> None:
        """Return when nothing goes on by itself any more."""
        while self.busy:
            await self.runs.wait_settled()
            await self._at_rest.wait()

    async def run_shell(self, command: str, *, exclude: bool = False) -> BashExecutionMessage:
        """Run the user's own command and record it; `exclude` keeps it from the model."""
        return await self.shell.run(command, exclude=exclude)

    async def compact(self, instructions: str = "") -> CompactionResult:
        """Shorten what the model sees, at the next save point where a run is under way.

        Raises `PiTermError` where there is nothing to compact or the summary failed, `AbortError` when
        called off; nothing has changed then. What was sent meanwhile is delivered afterwards.
        """
        if self.runs.active:
            return await self.runs.compact(instructions)
        async with self.occupied():
            return await self.compactor.compact(instructions)

    @asynccontextmanager
    async def occupied(self) -> AsyncIterator[None]:
        """Inside, what is sent waits; it is delivered afterwards. Raises `PiTermError("busy")`."""
        if self.busy or self.leaving:
            raise BUSY
        self._called_off = False
        self._at_rest.clear()
        try:
            yield
        finally:
            try:
                await self.shell.save_records()
            finally:
                self._at_rest.set()
                self.start(self.undelivered())

    # --- changing

    async def set_model(self, model: Model, level: ThinkingLevel | None = None) -> None:
        """Use another model from the next request on, and think at `level`, or at what was chosen last, as
        far as it can: what one model cannot do is not forgotten for the next.
        """
        self.agent.state.model = model
        self.compactor.forget()  # its window is another
        await self.conversation.write(ModelChangeEntry(provider=model.provider, model_id=model.id))
        await self.hub.emit(ModelChanged(model))
        if level is not None:
            await self.set_thinking_level(level)
        else:
            await self._think_as_wanted()

    async def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Think harder or less from the next request on, as far as the model can; with one that does not
        think, the level counts for the next that does.
        """
        self.wanted_level = clamp_level(self.model, level) if self.model.reasoning else level
        await self._think_as_wanted()

    async def _think_as_wanted(self) -> None:
        level = clamp_level(self.model, self.wanted_level)
        if level == self.thinking_level:
            return
        self.agent.state.thinking_level = level
        await self.conversation.write(ThinkingLevelChangeEntry(thinking_level=level))
        await self.hub.emit(ThinkingLevelChanged(level))

    async def cycle_thinking_level(self) -> ThinkingLevel:
        """The next level that the model supports, from the last back to the first."""
        levels = supported_levels(self.model)
        if not self.model.reasoning:
            return self.thinking_level
        position = levels.index(self.thinking_level) if self.thinking_level in levels else -1
        await self.set_thinking_level(levels[(position + 1) % len(levels)])
        return self.thinking_level

    def begin_file(self) -> None:
        """A new session begins by telling which model it talks to."""
        self.recorder.add(ModelChangeEntry(provider=self.model.provider, model_id=self.model.id))
        self.recorder.add(ThinkingLevelChangeEntry(thinking_level=self.thinking_level))

    async def aclose(self) -> None:
        """End what goes on, write what is pending and close the file and the feeds."""
        self.leaving = True
        self.abort()
        self.shell.abort()
        await self.wait_settled()
        await self.shell.wait_ended()
        await self.hub.drain()
        await self.harness.checkpoints.aclose()
        await self.recorder.save_point()
        self.file.close()
        self.hub.close()

    # --- inside

    def _declare(self) -> list[AgentMessage]:
        """Bring prompt and tools up to date; what changed is a message of its own."""
        wanted, tools = self.harness.declare()
        told = replay_system(self.agent.state.messages)
        change = diff_system(told, wanted)
        if change is not None:
            told.apply(change)
        self.agent.state.system_prompt = told.prompt()
        by_name = {tool.name: tool for tool in tools}
        self.agent.state.tools = [by_name[name] for name in told.tools]  # providers keep what comes first
        self.agent.options = replace(self.harness.options(), session_id=self.file.id)
        return [] if change is None else [change]

    async def _stream(self, model: Model, context: Context, options: StreamOptions) -> AssistantStream:
        if self._called_off:  # before there was a run that could be aborted
            self.agent.abort()
        return await self.calls.answer(model, context, options)

    async def _prepare_next_turn(
        self, message: AssistantMessage, results: Sequence[ToolResultMessage], signal: AbortSignal
    ) -> Sequence[AgentMessage]:
        if not signal.aborted:
            await self.runs.between_turns()
        return ()

    async def _foresee_retry(self, event: AgentEvent) -> AgentEvent | None:
        if isinstance(event, AgentEnd) and self.runs.will_retry():
            return replace(event, will_retry=True)
        return None

    async def _on_agent_event(self, event: AgentEvent) -> None:
        trace(event)
        await self.recorder.on_event(event)
        if isinstance(event, MessageEnd):
            self.stats.add_message(event.message)
        await self.hub.emit(event)


async def _convert(messages: Sequence[AgentMessage]) -> Sequence[Message]:
    return convert_to_llm(messages)
