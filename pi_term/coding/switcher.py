"""Going from one session to another: new ones, stored ones, forks, copies, imports."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.ai.catalog.levels import clamp_level, supported_levels
from pi_term.ai.messages import UserMessage, text_of
from pi_term.ai.models import THINKING_LEVELS, ThinkingLevel
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.log import log
from pi_term.coding.event_hub import BUSY
from pi_term.coding.events import SessionSwitched, StatsCounted
from pi_term.coding.session import (
    MessageEntry,
    ModelRef,
    SessionFile,
    SessionTree,
    StoredEntry,
    chosen_model,
    chosen_thinking_level,
)
from pi_term.coding.stats import SessionStats

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.harness import Harness

_SLICE = 300  # entries that are counted in one go, about 3 ms
_BREATH = 0.02  # seconds in which keys have their turn
_SAID = ("user", "assistant")


class Switcher:
    """Leaves the session that is open, as it is on disk, for another one.

    A run under way is called off and has settled first; messages that waited are dropped (front ends
    take them back before). What is sent on the way is for the other session.
    """

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    async def new(self, parent: Path | None = None) -> None:
        """Go to an empty session; `parent` is named in its file as where it comes from."""
        session = self._session
        async with self._away():
            session.conversation.open(session.harness.new_file(parent), is_new=True)
            session.compactor.forget()
            session.begin_file()
            await session.hub.emit(SessionSwitched())

    async def open(self, file: SessionFile, harness: Harness | None = None) -> None:
        """Go to the session in `file`, with its model and thinking level where they are known.

        With a `harness` it goes on in another working folder.
        """
        async with self._away():
            file = await asyncio.to_thread(_as_it_is_now, file, self._session.file)
            if harness is not None:
                await self._session.harness.checkpoints.aclose()
                self._session.harness = harness
            await self._enter(file)

    async def arrive(self) -> None:
        """Go on with the session whose file has been opened, as it says."""
        session = self._session
        file = session.file
        session.conversation.report_damage()
        if not file.stored and any(entry.role in _SAID for entry in file.tree.entries):
            await session.recorder.flush(force=True)
        model = chosen_model(file.tree)
        if model is not None:
            self._resume_model(model)
        self._resume_thinking(chosen_thinking_level(file.tree))
        session.hub.spawn(self._count_stored(file))
        await session.hub.emit(SessionSwitched())

    async def fork(self, entry_id: str, *, before: Callable[[], Awaitable[None]] | None = None) -> str:
        """Go to a new session that ends before a user message of this one; returns the message's text.

        `before` is awaited once nothing goes on in this one any more. Raises `PiTermError("no_entry")`
        where the id is not that of a user message.
        """
        entry = self._session.file.tree.get(entry_id)
        record = entry.record() if entry is not None else None
        message = record.message if isinstance(record, MessageEntry) else None
        if entry is None or not isinstance(message, UserMessage):
            raise PiTermError(
                "no_entry",
                f"There is no user message {entry_id} to fork from.",
                "Choose one of your prompts.",
            )
        async with self._away():
            if before is not None:
                await before()
            await self._enter(await self._forked(entry.parent))
        return text_of(message.content)

    async def clone(self) -> None:
        """Go to a new session that is a copy of the branch this one is at.

        Raises `PiTermError("nothing_to_clone")` before anything was said.
        """
        tree = self._session.file.tree
        if not any(entry.role in _SAID for entry in tree.walk(tree.leaf)):
            raise PiTermError(
                "nothing_to_clone", "Nothing was said yet in this session.", "Send a prompt first."
            )
        async with self._away():
            await self._enter(await self._forked(tree.leaf))

    # --- inside

    async def _forked(self, leaf: StoredEntry | None) -> SessionFile:
        session = self._session
        file, folder = session.file, session.harness.session_folder
        return await asyncio.to_thread(file.fork, leaf, folder, session.harness.cwd)

    @asynccontextmanager
    async def _away(self) -> AsyncIterator[None]:
        """Inside, nothing goes on in the old session and nothing begins in the new one.

        What is sent on the way is delivered where it ends. Raises `PiTermError("busy")` on the way already,
        and `PiTermError("not_stored")` where something would be lost and nobody said yes.
        """
        session = self._session
        if session.leaving:
            raise BUSY
        session.take_queued()
        session.leaving = True
        try:
            session.abort()
            session.shell.abort()
            await session.wait_settled()
            await session.shell.wait_ended()
            await session.recorder.save_point()
            await self._agree_to_lose()
            yield
        finally:
            session.leaving = False
            session.start(session.undelivered())

    async def _agree_to_lose(self) -> None:
        """What cannot be written is lost with the session that is left: only with somebody's yes."""
        problem = self._session.recorder.problem
        question = f"Its end is not stored, and would be lost. {problem}"
        if problem and not await self._session.harness.ui.confirm("Leave this session?", question):
            raise PiTermError("not_stored", "This session was not left: its end is not stored.", problem)

    async def _enter(self, file: SessionFile) -> None:
        session = self._session
        session.conversation.open(file)
        session.compactor.forget()
        await self.arrive()

    def _resume_model(self, model: ModelRef) -> None:
        """Go on with the session's model; without it, or without its key, with the one in use."""
        session = self._session
        registry = session.harness.registry
        name = f"{model.provider}/{model.model_id}"
        if registry.has_auth(model.provider):
            try:
                session.agent.state.model = registry.find(name).model
                return
            except PiTermError as error:
                log.info("the session's model is gone: %s", error)
        if name != session.model.key:
            text = f"The session's model {name} is not available; {session.model.key} goes on"
            session.hub.report(Diagnostic("warning", text))

    def _resume_thinking(self, level: str | None) -> None:
        session = self._session
        model = session.model
        known = next((each for each in supported_levels(model) if each == level), None)
        if known is not None and any(clamp_level(model, each) == known != each for each in THINKING_LEVELS):
            # It may be all that this model can do of what was chosen.
            wanted = _chosen_level(session.file.tree) or (known if model.reasoning else session.wanted_level)
            session.wanted_level = wanted if clamp_level(model, wanted) == known else known
        elif known is not None:
            session.wanted_level = known
        session.agent.state.thinking_level = clamp_level(model, session.wanted_level)

    async def _count_stored(self, file: SessionFile) -> None:
        """Add up what the session used before, a little at a time."""
        session = self._session
        stats = SessionStats()
        for number, entry in enumerate(tuple(file.tree.entries)):
            stats.add_stored(entry)
            if number % _SLICE == _SLICE - 1:
                await asyncio.sleep(_BREATH)
            if session.file is not file or session.leaving:
                return
        session.conversation.add_stored(stats)
        await session.hub.emit(StatsCounted())


def _chosen_level(tree: SessionTree) -> ThinkingLevel | None:
    """The thinking level that people chose last on the branch, or that the session began with.

    One that stands right behind a model was brought along by it; so was an "off" at the beginning.
    """
    for entry in tree.walk(tree.leaf):
        if entry.type != "thinking_level_change" or entry.damaged:
            continue
        level, model = entry.data.get("thinkingLevel"), entry.parent
        brought = model is not None and model.type == "model_change"
        begins = model is not None and model.parent is None and level != "off"
        if begins or not brought:
            return next((each for each in THINKING_LEVELS if each == level), None)
    return None


def _as_it_is_now(file: SessionFile, left: SessionFile) -> SessionFile:
    """`file`, opened again where it is the one that is left: what was added since then is in it, too.

    Blocks; raises what `SessionFile.open` does.
    """
    if file.path is None or left.path is None or os.path.realpath(file.path) != os.path.realpath(left.path):
        return file
    file.close()
    return SessionFile.open(file.path)
