"""The interactive program without a screen: prompts and commands in, labelled lines out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.base.log import log
from pi_term.coding.events import AgentSettled, SessionEvent, ShellEnded
from pi_term.coding.settings import schema
from pi_term.coding.startup import Started
from pi_term.headless.linear.commands import Commands
from pi_term.headless.linear.dialogue import Dialogue
from pi_term.headless.linear.signals import heard_signals
from pi_term.headless.linear.speech import Speech
from pi_term.headless.linear.ui import LinearUi
from pi_term.headless.prompt import Prompt

_INTERRUPTED = 130  # what shells make of SIGINT
_TWICE = 2.0  # seconds within which a second Ctrl+C quits
_BROKEN_PIPE = 141  # what shells make of SIGPIPE


T = TypeVar("T")


def _nothing() -> None:
    return None


async def run_linear_mode(
    start: Callable[[LinearUi], Awaitable[Started]],
    prompts: Sequence[Prompt | str] = (),
    *,
    resume: bool = False,
    on_end: Callable[[], None] = _nothing,
) -> int:
    """Talk until the user quits or the input ends; returns the exit code.

    `start` makes the session, asking the user where it must; `prompts` are sent first, one after the other.
    With `resume`, an earlier session is chosen before; `on_end` is called when the end begins.
    128 + n: signal n ended it; 141: nobody reads any more.
    """
    ended = asyncio.Event()
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        on_end()
        ended.set()

    dialogue = Dialogue(lambda: end(_BROKEN_PIPE))
    ui = LinearUi()
    ui.connect(dialogue.say, dialogue)
    conversation: _Conversation | None = None

    def interrupt() -> None:
        if conversation is None:
            end(_INTERRUPTED)
        else:
            conversation.interrupt()

    try:
        with heard_signals(interrupt, lambda number: end(128 + number)):
            started = await _unless(ended, start(ui))
            if started is not None:
                async with started:
                    conversation = _Conversation(started, dialogue, ui, end)
                    await conversation.run(prompts, ended, resume=resume)
                    on_end()
                    await started.session.aclose()  # which ends the events
                    await conversation.followed()
    finally:
        await dialogue.close()
    return codes[0] if codes else 0


async def _unless(ended: asyncio.Event, work: Awaitable[T]) -> T | None:
    """What `work` comes to; None when the end comes first."""
    task = asyncio.ensure_future(work)
    over = asyncio.ensure_future(ended.wait())
    await asyncio.wait((task, over), return_when=asyncio.FIRST_COMPLETED)
    over.cancel()
    if not task.done():
        task.cancel()
        return None
    return await task


class _Conversation:
    """One session and whoever talks to it."""

    def __init__(
        self, started: Started, dialogue: Dialogue, ui: LinearUi, end: Callable[[int], None]
    ) -> None:
        self._started = started
        self._dialogue = dialogue
        self._end = end
        thinking = not started.settings.get(schema.HIDE_THINKING)
        self._speech = Speech(started.session, dialogue.say, thinking=thinking)
        self._commands = Commands(started, dialogue.say, self._speech, ui)
        self._feed = started.session.feed()
        self._following: asyncio.Task[None] | None = None
        self._interrupted_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, prompts: Sequence[Prompt | str], ended: asyncio.Event, *, resume: bool) -> None:
        """Until `ended`, or until the input ends and what was asked for is done."""
        session = self._started.session
        for diagnostic in self._started.diagnostics:
            self._dialogue.say("Warning", diagnostic.text())
        self._dialogue.say("Status", f"pi-term, {session.model.label}. /help tells the commands.")
        if resume:
            await self._told(self._commands.run("resume", ""))
        else:
            self._speech.recall()
        self._following = asyncio.create_task(self._follow())
        talk = asyncio.create_task(self._talk([Prompt.of(each) for each in prompts]))
        waiting = [
            talk,
            asyncio.create_task(ended.wait()),
            asyncio.create_task(self._commands.quitting.wait()),
        ]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()

    async def followed(self) -> None:
        """Return when all that happened is said."""
        if self._following is not None:
            await self._following

    def interrupt(self) -> None:
        """Ctrl+C stops what goes on; when nothing does, the second one quits."""
        session = self._started.session
        if session.busy or session.shell.running:
            self._spawn("stop", "")
        elif time.monotonic() - self._interrupted_at < _TWICE:
            self._end(0)
        else:
            self._interrupted_at = time.monotonic()
            self._dialogue.say("Status", "Ctrl+C again quits.", at_once=True)

    # --- inside

    async def _follow(self) -> None:
        while events := await self._feed.take():
            for event in events:
                self._speech.show(event)
                self._invite(event)

    def _invite(self, event: SessionEvent) -> None:
        """When nothing goes on any more, it is the user's turn."""
        if isinstance(event, AgentSettled | ShellEnded) and not self._started.session.busy:
            self._dialogue.say("You", "")

    async def _talk(self, prompts: Sequence[Prompt]) -> None:
        session = self._started.session
        for prompt in prompts:
            session.submit(prompt.text, images=prompt.images)
            await session.wait_settled()
        if not prompts:
            self._dialogue.say("You", "")
        while (line := await self._dialogue.line()) is not None:
            self._take(line)
        while self._tasks:
            await asyncio.wait(self._tasks)
        await session.wait_settled()
        await session.shell.wait_ended()

    def _take(self, line: str) -> None:
        """A line that is no answer: a command, one for the shell, or a prompt."""
        text = line.strip()
        if not text:
            return
        if text.startswith("!"):
            excluded = text.startswith("!!")
            command = text[2 if excluded else 1 :].strip()
            if command:
                self._work(self._shell(command, excluded))
            return
        called = self._commands.calls(text)
        if called is not None:
            self._spawn(*called)
            return
        session = self._started.session
        if self._dialogue.reader.is_terminal:
            self._speech.typed.append(text)
        if session.busy:
            self._dialogue.say("Status", "this steers the agent, after what it is doing now.")
        session.submit(text)

    async def _shell(self, command: str, excluded: bool) -> None:
        await self._started.session.run_shell(command, exclude=excluded)

    def _spawn(self, name: str, argument: str) -> None:
        self._work(self._command(name, argument))

    async def _command(self, name: str, argument: str) -> None:
        await self._commands.run(name, argument)
        if name != "quit" and not self._started.session.busy:
            self._dialogue.say("You", "")

    def _work(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(self._told(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _told(self, work: Awaitable[None]) -> None:
        """Do it, and say what it fails with."""
        try:
            await work
        except PiTermError as error:
            self._dialogue.say("Error", error.text())
        except AbortError:
            self._dialogue.say("Status", "cancelled.")
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this command, not the session
            log.exception("a command failed")
            self._dialogue.say("Error", f"That broke off: {error or type(error).__name__}")
