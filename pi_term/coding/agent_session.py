"""A coding session: an agent, its file, its tools and prompt, and what happens between the runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from pi_term.agent.agent import Agent
from pi_term.agent.events import AgentEvent, MessageEnd
from pi_term.agent.hooks import LoopHooks
from pi_term.agent.messages import AgentMessage
from pi_term.agent.tools import AgentTool
from pi_term.ai.catalog import ModelRegistry
from pi_term.ai.catalog.levels import clamp_level, supported_levels
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import AssistantMessage, ImageContent, Message, UserMessage, text_of
from pi_term.ai.models import Model, ThinkingLevel
from pi_term.ai.registry import stream_model
from pi_term.ai.stream import AssistantStream
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.listeners import Listeners
from pi_term.base.log import log
from pi_term.coding.events import (
    AgentSettled,
    DiagnosticRaised,
    ModelChanged,
    SessionEvent,
    SessionSwitched,
    StatsCounted,
    ThinkingLevelChanged,
)
from pi_term.coding.feed import EventFeed
from pi_term.coding.messages import convert_to_llm, user_message
from pi_term.coding.recorder import Recorder
from pi_term.coding.session import (
    EntryRecord,
    ModelChangeEntry,
    ModelRef,
    SessionFile,
    SystemState,
    ThinkingLevelChangeEntry,
    build_context,
    chosen_model,
    chosen_thinking_level,
    diff_system,
    replay_system,
)
from pi_term.coding.stats import SessionStats, context_tokens, stored_context_tokens, stored_usage
from pi_term.coding.trace import trace

_SLICE = 200  # entries that are counted in one go, about 3 ms
_BREATH = 0.02  # seconds in which keys have their turn

Listener: TypeAlias = Callable[[SessionEvent], Awaitable[None]]


@dataclass(slots=True)
class Harness:
    """What a session stands on; the same for all sessions of one process.

    `declare()` gives the prompt and tool set that the next run should have, with the tools ready to run;
    `new_file()` a session file that is not on disk yet.
    """

    cwd: Path
    registry: ModelRegistry
    declare: Callable[[], tuple[SystemState, Sequence[AgentTool]]]
    new_file: Callable[[], SessionFile]
    options: Callable[[], StreamOptions]


class AgentSession:
    """One conversation at a time, with everything around its runs.

    `submit` is for front ends (it never waits and never refuses), `prompt` for programs. Listeners are
    awaited in order after the entry is on disk; feeds are for front ends and hold nothing up.
    """

    def __init__(self, harness: Harness, model: Model, thinking: ThinkingLevel = "off") -> None:
        self.harness = harness
        self.agent = Agent(model)
        self.agent.hooks = LoopHooks(convert_to_llm=_convert, stream=self._stream)
        self.agent.state.thinking_level = clamp_level(model, thinking)
        self.stats = SessionStats()
        self.unheard: list[Diagnostic] = []  # what was found while nobody listened
        self._listeners: Listeners[SessionEvent] = Listeners()
        self._feeds: list[EventFeed] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._context_due = False
        self._damage_told = 0
        self._called_off = False  # and nothing was sent since
        self._leaving = False  # for another session
        self._settled = asyncio.Event()
        self._settled.set()
        self.recorder = Recorder(harness.new_file(), self._report)
        self._begin_file()
        self.agent.subscribe(self._on_agent_event)

    # --- reading

    @property
    def file(self) -> SessionFile:
        """The session's file and tree."""
        return self.recorder.file

    @property
    def busy(self) -> bool:
        """Whether a prompt has not settled yet."""
        return not self._settled.is_set()

    @property
    def model(self) -> Model:
        """The model of the next request."""
        return self.agent.state.model

    @property
    def thinking_level(self) -> ThinkingLevel:
        """The thinking level of the next request."""
        return self.agent.state.thinking_level

    def context_tokens(self) -> int | None:
        """Tokens in the model's context, or None where nothing is known yet."""
        if self._context_due:
            return stored_context_tokens(self.file.tree)
        messages = self.agent.state.messages
        return context_tokens(messages) if messages else 0

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener that is awaited for every event; returns what takes it away."""
        return self._listeners.add(listener)

    def feed(self) -> EventFeed:
        """A queue of all events from now on, for one front end."""
        feed = EventFeed()
        self._feeds.append(feed)
        return feed

    # --- prompting

    async def prompt(self, text: str, images: Sequence[ImageContent] = ()) -> None:
        """Send a prompt and wait until it has settled.

        Raises `PiTermError("busy")` during a run: `submit` steers instead.
        """
        if self.busy:
            raise PiTermError("busy", "The agent is working.", "Steer it, or wait until it has settled.")
        self._settled.clear()
        self._called_off = False
        await self._run_prompts([user_message(text, images)])

    def submit(self, text: str, *, follow_up: bool = False, images: Sequence[ImageContent] = ()) -> None:
        """Start a run, or steer the one under way (`follow_up`: queue for its end). Blank text is dropped."""
        if not text.strip() and not images:
            return
        message = user_message(text, images)
        self._called_off = False
        if not self.busy and not self._leaving:
            self._start([message])
            return
        queue = self.agent.follow_ups if follow_up else self.agent.steering
        queue.add(message)
        self._spawn(self.agent.queue_changed())

    def abort(self) -> None:
        """Call off the run under way. Queued messages stay, see `take_queued`; later ones are a new run."""
        self._called_off = True
        self.agent.abort()

    def take_queued(self) -> list[str]:
        """Take all waiting messages out of both queues: their texts, steering first."""
        taken = [*self.agent.steering.clear(), *self.agent.follow_ups.clear()]
        if taken:
            self._spawn(self.agent.queue_changed())
        return [text_of(message.content) for message in taken]

    async def wait_settled(self) -> None:
        """Return when nothing goes on by itself any more."""
        await self._settled.wait()

    # --- changing

    async def set_model(self, model: Model) -> None:
        """Use another model from the next request on; the thinking level is fitted to it."""
        self.agent.state.model = model
        await self._write(ModelChangeEntry(provider=model.provider, model_id=model.id))
        await self._emit(ModelChanged(model))
        level = clamp_level(model, self.thinking_level)
        if level != self.thinking_level:
            await self.set_thinking_level(level)

    async def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Think harder or less from the next request on, as far as the model can."""
        level = clamp_level(self.model, level)
        self.agent.state.thinking_level = level
        await self._write(ThinkingLevelChangeEntry(thinking_level=level))
        await self._emit(ThinkingLevelChanged(level))

    async def cycle_thinking_level(self) -> ThinkingLevel:
        """The next level that the model supports, from the last back to the first."""
        levels = supported_levels(self.model)
        position = levels.index(self.thinking_level) if self.thinking_level in levels else -1
        await self.set_thinking_level(levels[(position + 1) % len(levels)])
        return self.thinking_level

    async def new_session(self) -> None:
        """Leave this session, as it is on disk, for an empty one."""
        await self._switch(self.harness.new_file())
        self._begin_file()
        await self._emit(SessionSwitched())
        self._start(self._undelivered())

    async def open_session(self, file: SessionFile) -> None:
        """Leave this session for the one in `file`, with its model and thinking level where they are known.

        Its messages are decoded with the next prompt: a long history opens at once.
        """
        await self._switch(file)
        self._context_due = True
        model = chosen_model(file.tree)
        if model is not None:
            self._resume_model(model)
        self._resume_thinking(chosen_thinking_level(file.tree))
        self._report_damage()
        self._spawn(self._count_usage(file))
        await self._emit(SessionSwitched())
        self._start(self._undelivered())

    async def aclose(self) -> None:
        """End the run under way, write what is pending and close the file and the feeds."""
        self.abort()
        await self.wait_settled()
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self.recorder.save_point()
        self.file.close()
        for feed in self._feeds:
            feed.close()

    # --- inside

    async def _switch(self, file: SessionFile) -> None:
        """Leave for `file`. What waits is dropped; what is sent from now on is for the other session."""
        self.take_queued()
        self._leaving = True
        self.abort()
        await self.wait_settled()
        self._leaving = False
        self.file.close()
        self.recorder.file = file
        self.agent.state.messages = []
        self.agent.state.last_error = None
        self.stats = SessionStats()
        self._context_due = False
        self._damage_told = 0

    async def _load_context(self) -> None:
        """Decode the history that the next request needs."""
        if not self._context_due:
            return
        context = await asyncio.to_thread(build_context, self.file.tree)
        self.agent.state.messages = [*context.messages]
        self._context_due = False
        self._report_damage()

    async def _count_usage(self, file: SessionFile) -> None:
        """Add up what the session used before, a little at a time."""
        stats = SessionStats()
        for number, usage in enumerate(stored_usage(file.tree)):
            stats.add(usage)
            if number % _SLICE == _SLICE - 1:
                await asyncio.sleep(_BREATH)
            if self.file is not file:
                return
        stats.merge(self.stats)
        self.stats = stats
        await self._emit(StatsCounted())

    def _report_damage(self) -> None:
        """Tell what was found wrong with the file since the last time."""
        found = self.file.diagnostics
        for diagnostic in found[self._damage_told :]:
            self._report(diagnostic)
        self._damage_told = len(found)

    def _begin_file(self) -> None:
        """A new session begins by telling which model it talks to."""
        self.recorder.add(ModelChangeEntry(provider=self.model.provider, model_id=self.model.id))
        self.recorder.add(ThinkingLevelChangeEntry(thinking_level=self.thinking_level))

    def _resume_model(self, model: ModelRef) -> None:
        """Go on with the session's model; without it, or without its key, with the one in use."""
        registry = self.harness.registry
        name = f"{model.provider}/{model.model_id}"
        if registry.has_auth(model.provider):
            try:
                self.agent.state.model = registry.find(name).model
                return
            except PiTermError as error:
                log.info("the session's model is gone: %s", error)
        if name != self.model.key:
            text = f"The session's model {name} is not available; {self.model.key} goes on"
            self._report(Diagnostic("warning", text))

    def _resume_thinking(self, level: str | None) -> None:
        supported = supported_levels(self.model)
        known = next((each for each in supported if each == level), None)
        self.agent.state.thinking_level = known or clamp_level(self.model, self.thinking_level)

    def _start(self, prompts: list[UserMessage]) -> None:
        if prompts:
            self._settled.clear()
            self._spawn(self._run_prompts(prompts))

    async def _run_prompts(self, prompts: list[UserMessage]) -> None:
        try:
            while prompts:
                await self._run(prompts)
                await self.recorder.save_point()
                if prompts := self._undelivered():
                    await self.agent.queue_changed()
        finally:
            self._settled.set()
            await self._emit(AgentSettled(self.agent.last_stop == "aborted"))

    async def _run(self, prompts: list[UserMessage]) -> None:
        try:
            await self._load_context()
            await self.agent.prompt([*self._declare(), *prompts])
        except Exception as error:  # noqa: BLE001 - a fault of ours must not leave the session busy for ever
            log.exception("a run failed")
            self._report(Diagnostic("error", f"The run broke off: {error or type(error).__name__}"))

    def _undelivered(self) -> list[UserMessage]:
        """What was sent in the very moment when the run ended, or since it was called off."""
        stop = self.agent.last_stop
        if self._leaving or stop == "error" or (stop == "aborted" and self._called_off):
            return []
        return self.agent.steering.take_due() or self.agent.follow_ups.take_due()

    def _declare(self) -> list[AgentMessage]:
        """Bring prompt and tools up to date; what changed is a message of its own."""
        wanted, tools = self.harness.declare()
        told = replay_system(self.agent.state.messages)
        change = diff_system(told, wanted)
        if change is not None:
            told.apply(change)
        self.agent.state.system_prompt = told.prompt()
        self.agent.state.tools = tools
        self.agent.options = replace(self.harness.options(), session_id=self.file.id)
        return [] if change is None else [change]

    async def _stream(self, model: Model, context: Context, options: StreamOptions) -> AssistantStream:
        log.info("request to %s: %d messages", model.key, len(context.messages))
        if self._called_off:  # before there was a run that could be aborted
            self.agent.abort()
        auth = await self.harness.registry.resolve_request_auth(model)
        return stream_model(model, context, replace(options, api_key=auth.api_key, headers=auth.headers))

    async def _write(self, record: EntryRecord) -> None:
        if self.agent.running:
            self.recorder.defer(record)
        else:
            self.recorder.add(record)
            await self.recorder.flush()

    async def _on_agent_event(self, event: AgentEvent) -> None:
        trace(event)
        await self.recorder.on_event(event)
        if isinstance(event, MessageEnd) and isinstance(event.message, AssistantMessage):
            self.stats.add(event.message.usage)
        await self._emit(event)

    async def _emit(self, event: SessionEvent) -> None:
        await self._listeners.tell(event)
        for feed in self._feeds:
            feed.push(event)

    def _report(self, diagnostic: Diagnostic) -> None:
        if not self._feeds and not self._listeners:
            self.unheard.append(diagnostic)
            return
        self._spawn(self._emit(DiagnosticRaised(diagnostic)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _convert(messages: Sequence[AgentMessage]) -> Sequence[Message]:
    return convert_to_llm(messages)
