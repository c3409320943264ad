"""What the actions do that change which session, or which place of it, is shown; and the user's shell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pi_term.base.errors import PiTermError
from pi_term.tui.shell_line import shell_line
from pi_term.tui.text import typed_path
from pi_term.tui.told import Questions, do, told

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.checkpoints.preview import Restoration
    from pi_term.coding.session import StoredEntry
    from pi_term.tui.screens.main import MainScreen
    from pi_term.tui.screens.tree_moves import TreeMoves


class SessionActions:
    """Handlers of the action table. What fails is told; what was written in the editor stays."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._ask = Questions(screen).ask
        self._moves = 0  # to other sessions that are under way

    @property
    def moving(self) -> bool:
        """Whether another session is being gone to: what is sent meanwhile is for that one."""
        return self._moves > 0

    # --- the user's shell

    def run_shell(self, text: str) -> None:
        """Run the command of a text that begins with `!`, whatever else goes on."""
        line = shell_line(text)
        if line is None:
            return
        command, excluded = line
        session = self._session

        async def run() -> None:
            await session.run_shell(command, exclude=excluded)

        self._screen.transcript.scroll_to_end()
        # The session owns it, so that its record is written whatever becomes of the screen.
        session.hub.spawn(told(self._screen, run))

    # --- other sessions

    def action_new_session(self) -> bool:
        """Leave this session for a new one; what was queued comes back into the editor."""
        self._leave()
        do(self._screen, partial(self._move, self._new))
        return True

    def action_resume(self) -> bool:
        """Go on with an earlier session of this folder."""
        return self._ask(self._resume)

    async def resume(self) -> None:
        """Let people choose an earlier session; returns when it is open."""
        await told(self._screen, self._resume)

    def action_fork(self) -> bool:
        """Go to a new session that ends before one of the user's prompts, which comes into the editor."""
        return self._ask(self._fork)

    def action_clone(self) -> bool:
        """Go to a new session that is a copy of this branch."""
        self._leave()
        do(self._screen, partial(self._move, self._clone))
        return True

    def action_import(self, path: str = "") -> bool:
        """Take in a session file from elsewhere and go to it."""
        return self._ask(partial(self._import, path))

    # --- this session

    def action_tree(self) -> bool:
        """Go to another place in the session."""
        return self._ask(self._tree)

    def action_rewind(self) -> bool:
        """Take files, the conversation or both back to before a prompt, or undo that."""
        return self._ask(self._rewind)

    def action_compact(self, instructions: str = "") -> bool:
        """Shorten what the model sees."""
        do(self._screen, partial(self._compact, instructions), "warning")
        return True

    def action_name_session(self, name: str = "") -> bool:
        """Name the session, or show its name."""
        if name:
            do(self._screen, partial(self._rename, name))
            return True
        known = self._session.name
        self._screen.status.note(
            f"This session is named “{known}”." if known else "No name yet: /name NAME gives one."
        )
        return True

    def action_session_info(self) -> bool:
        """Tell where the session is and what is in it."""
        return self._ask(self._info)

    # --- inside

    @property
    def _session(self) -> AgentSession:
        return self._screen.program.session

    def _leave(self) -> None:
        """Begin to go to another session: messages that wait are not for that one and come back."""
        self._bring(self._session.take_queued())
        self._moves += 1

    async def _move(self, work: Callable[[], Awaitable[None]]) -> None:
        """Go there, after `_leave`."""
        try:
            await work()
        finally:
            self._moves -= 1
            self._screen.deliver()

    def _bring(self, texts: Sequence[str]) -> None:
        """Put texts into the editor, before what is being written there."""
        if texts:
            self._screen.editor.prepend(texts)

    async def _new(self) -> None:
        said = self._session.file.stored
        await self._session.switcher.new()
        key = self._screen.program.keys.hint("app.session.resume")
        if said:
            self._screen.status.note(f"This is a new session; {key or '/resume'} goes back to others.")

    async def _rename(self, name: str) -> None:
        before = self._session.name
        await self._session.navigator.rename(name)
        undo = f" It was “{before}”." if before and before != self._session.name else ""
        self._screen.status.note(f"Named “{self._session.name}”.{undo}")

    async def _clone(self) -> None:
        await self._session.switcher.clone()
        self._screen.status.note("This is a copy of the session, which stays as it was.")

    async def _compact(self, instructions: str) -> None:
        status = self._screen.status
        if self._session.compactor.running:
            status.note("The context is being compacted already.")
            return
        if self._session.runs.active:
            status.note("The context will be compacted after this step.")
        try:
            await self._session.compact(instructions)
        finally:
            status.note("")

    async def _import(self, path: str) -> None:
        if not path:
            path = await self._screen.program.bridge.input("Which session file is to be imported?") or ""
        started = self._screen.program.started
        if path and started is not None:
            self._leave()
            await self._move(partial(started.import_file, typed_path(path, self._session.harness.cwd)))

    async def _fork(self) -> None:
        moves = self._moves_in_tree()
        found = await moves.fork_point()
        if found is not None:
            self._leave()
            await self._move(partial(self._fork_before, moves, *found))

    async def _fork_before(self, moves: TreeMoves, prompt: StoredEntry, files: Restoration | None) -> None:
        rewound = await self._session.rewinder.fork(prompt.id, files)
        text = rewound.arrival.editor_text
        self._bring([text] if text else [])
        there = " Your prompt is in the editor." if text else ""
        self._screen.status.note(f"This is a new session; the other one stays as it was.{there}")
        if rewound.restored is not None:
            moves.tell(rewound.restored)

    async def _resume(self) -> None:
        from pi_term.tui.screens.resume import ResumeScreen, SessionChoice
        from pi_term.tui.screens.resume_landing import show_entry

        app = self._screen.program
        started = app.started
        if started is None:
            return
        screen = ResumeScreen(app.looks, self._session, started.places, app.copy_to_clipboard)
        chosen = await app.bridge.custom(screen)
        if not isinstance(chosen, SessionChoice):
            return
        if chosen.path != self._session.file.path:
            self._leave()
            try:
                await self._move(partial(started.open, chosen.path, app.bridge))
            except PiTermError as error:
                if error.code != "folder_gone":
                    raise
                self._screen.status.note("It was not opened.")
                return
        elif chosen.entry_id is None:
            self._screen.status.note("That is the session you are in.")
        if chosen.entry_id is not None:
            await show_entry(self._screen, chosen.entry_id)

    async def _info(self) -> None:
        from pi_term.tui.screens.session_info import SessionInfoScreen

        app = self._screen.program
        await app.bridge.custom(SessionInfoScreen(app.looks, self._session, app.copy_to_clipboard))

    async def _tree(self) -> None:
        await self._moves_in_tree().tree()

    async def _rewind(self) -> None:
        from pi_term.tui.screens.rewind import rewind

        await rewind(self._screen)

    def _moves_in_tree(self) -> TreeMoves:
        from pi_term.tui.screens.tree_moves import TreeMoves

        return TreeMoves(self._screen.program, self._bring)
