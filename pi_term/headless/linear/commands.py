"""What can be asked for in linear mode: a line that begins with a slash."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import field
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.ai.catalog.levels import supported_levels
from pi_term.ai.messages import text_of
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.base.text import shortened
from pi_term.coding.session import landing
from pi_term.coding.startup import Started
from pi_term.headless.linear.speech import Say, Speech, numbered
from pi_term.headless.linear.ui import chosen

if TYPE_CHECKING:
    from pi_term.coding.session.listing import SessionSummary
    from pi_term.coding.ui_bridge import UiBridge

_MOST_SESSIONS = 20
_Handler = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class Commands:
    """Does what a command names. What fails raises `PiTermError`."""

    started: Started
    say: Say
    speech: Speech
    ui: UiBridge
    quitting: asyncio.Event = field(default_factory=asyncio.Event)

    def calls(self, text: str) -> tuple[str, str] | None:
        """The command that a line calls, and what follows it; None where the line is a prompt."""
        word, _, rest = text.partition(" ")
        name = word.removeprefix("/")
        if not word.startswith("/") or "/" in name or not name:
            return None
        if name not in TABLE and (self.started.resources.called(text) is not None or Path(word).exists()):
            return None
        return name, rest.strip()

    async def run(self, name: str, argument: str) -> None:
        """Do what `name` names."""
        if name not in TABLE:
            close = get_close_matches(name, TABLE, n=1, cutoff=0.6)
            hint = f"Did you mean /{close[0]}?" if close else "/help tells what there is."
            raise PiTermError("no_command", f"There is no command /{name}.", hint)
        handler: _Handler = getattr(self, f"_{name}")
        await handler(argument)

    async def _help(self, _: str) -> None:
        lines = [f"/{name}{f' {row[0]}' if row[0] else ''}: {row[1]}" for name, row in TABLE.items()]
        self.say("Help", "\n".join(("a line that begins with a slash is a command.", *lines, _HELP)))

    async def _queue(self, text: str) -> None:
        session = self.started.session
        waits = session.busy
        if text:
            session.submit(text, follow_up=True)
        if waits or not text:
            await self._waiting("")

    async def _waiting(self, _: str) -> None:
        agent = self.started.session.agent
        rows = [
            f"{label}: {text_of(each.message.content)}"
            for label, queue in (("steer", agent.steering), ("follow-up", agent.follow_ups))
            for each in queue
        ]
        self.say("Status", f"{len(rows)} waiting\n{numbered(rows)}" if rows else "nothing waits.")

    async def _takeback(self, number: str) -> None:
        agent = self.started.session.agent
        all_waiting = [(queue, each.id) for queue in (agent.steering, agent.follow_ups) for each in queue]
        if number and not (number.isdecimal() and 1 <= int(number) <= len(all_waiting)):
            raise PiTermError("usage", f"There is no waiting message {number}.", "/waiting tells them.")
        wanted = [all_waiting[int(number) - 1]] if number else all_waiting
        taken = [message for queue, id in wanted if (message := queue.remove(id)) is not None]
        texts = [text_of(message.content) for message in taken]
        self.say("Status", "taken back\n" + "\n".join(texts) if texts else "nothing waits.")

    async def _stop(self, _: str) -> None:
        session = self.started.session
        if session.busy:
            session.abort()
            if session.agent.steering or session.agent.follow_ups:
                await self._takeback("")
        else:
            session.shell.abort()

    async def _status(self, _: str) -> None:
        session = self.started.session
        stats = session.stats
        used = session.context_tokens()
        context = "unknown" if used is None else f"{used:,} of {session.model.context_window:,} tokens"
        lines = [
            "working" if session.busy else "ready",
            f"model {session.model.key}, thinking {session.thinking_level}",
            f"context {context}",
            f"{stats.input:,} tokens in, {stats.output:,} out, ${stats.cost:.3f}",
        ]
        self.say("Status", "\n".join(lines))

    async def _session(self, _: str) -> None:
        file = self.started.session.file
        where = str(file.path) if file.path is not None else "in memory only"
        self.say("Status", f"session {file.tree.name or file.id}\nfile {where}")

    async def _output(self, _: str) -> None:
        self.say("Output", self.speech.last_output or "there is none.")

    async def _model(self, name: str) -> None:
        registry = self.started.registry
        if not name:
            keys = [model.key for model in registry.available()]
            name = await self.ui.select("Which model?", keys) or ""
        if name:
            found = registry.find(name)
            await self.started.session.set_model(found.model, found.level)

    async def _thinking(self, level: str) -> None:
        session = self.started.session
        levels = supported_levels(session.model)
        if not level:
            level = await self.ui.select("How hard shall it think?", levels) or session.thinking_level
        place = chosen(level, levels)
        if place is None:
            raise PiTermError("usage", f"{session.model.label} has {', '.join(levels)}.")
        await session.set_thinking_level(levels[place])

    async def _name(self, name: str) -> None:
        if name:
            await self.started.session.navigator.rename(name)
        else:
            await self._session("")

    async def _compact(self, instructions: str) -> None:
        await self.started.session.compact(instructions)

    async def _new(self, _: str) -> None:
        await self.started.session.switcher.new()

    async def _resume(self, _: str) -> None:
        session = self.started.session
        folder = session.harness.session_folder
        found = await asyncio.to_thread(_sessions, folder, session.harness.cwd)
        if not found:
            self.say("Status", "there is no other session here.")
            return
        titles = [shortened(each.name or each.first_message or each.id, 100) for each in found]
        title = await self.ui.select("Which session?", [f"{at}: {each}" for at, each in enumerate(titles, 1)])
        if title is not None:
            await self.started.open(found[int(title.partition(":")[0]) - 1].path)

    async def _back(self, _: str) -> None:
        """Go back before one of the prompts of this branch."""
        session = self.started.session
        prompts = [each for each in session.file.tree.branch() if each.role == "user"]
        said = [landing(each)[1] or "" for each in prompts]
        texts = [f"{at}: {shortened(text, 100)}" for at, text in enumerate(said, 1)]
        title = await self.ui.select("Before which of your prompts?", texts)
        if title is not None:
            arrival = await session.navigator.go_to(prompts[int(title.partition(":")[0]) - 1].id)
            self.say("Status", f"went back; the prompt was: {arrival.editor_text or ''}")

    async def _quit(self, _: str) -> None:
        self.quitting.set()


def _sessions(folder: Path | None, cwd: Path) -> list[SessionSummary]:
    from pi_term.coding.session.folders import files_in
    from pi_term.coding.session.listing import list_sessions

    def shown() -> Iterator[SessionSummary]:
        if folder is not None:
            yield from list_sessions(files_in(folder), cwd=cwd)

    return list(islice(shown(), _MOST_SESSIONS))


TABLE: dict[str, tuple[str, str]] = {
    "help": ("", "tell what there is"),
    "queue": ("TEXT", "send a text when the agent is done"),
    "waiting": ("", "tell what waits to be delivered"),
    "takeback": ("[NUMBER]", "take back what waits, or one of it"),
    "stop": ("", "stop the agent, or your command"),
    "status": ("", "tell what goes on, the model, tokens and cost"),
    "output": ("", "say all of what the last tool or command printed"),
    "model": ("[NAME]", "use another model"),
    "thinking": ("[LEVEL]", "think harder or less"),
    "compact": ("[INSTRUCTIONS]", "shorten what the model sees"),
    "new": ("", "begin another session"),
    "resume": ("", "go on with an earlier session of this folder"),
    "back": ("", "go back before one of your prompts"),
    "name": ("[NAME]", "name the session"),
    "session": ("", "tell which session this is"),
    "quit": ("", "end the program"),
}
"""What may follow a command, and what it does."""

_HELP = (
    "Any other line is a prompt; while the agent works it steers it. A line that ends in a backslash goes on "
    "in the next. !COMMAND runs a command of yours, !!COMMAND one that the model never sees. Ctrl+C stops, "
    "twice when nothing goes on it quits, and so does Ctrl+D."
)
