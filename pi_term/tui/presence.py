"""What the terminal shows of the program while people look elsewhere: title, progress, notifications."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pi_term.coding.settings import schema
from pi_term.tui.driver.program_status import ProgramState
from pi_term.tui.driver.surroundings import notification

if TYPE_CHECKING:
    from textual.timer import Timer

    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.events import SessionEvent
    from pi_term.tui.app import PiTermApp

_WORKING, _ASKING, _DONE, _FAILED = "● ", "? ", "✓ ", "✗ "
_REMIND = 5.0  # seconds after which some terminals forget that work goes on
_NAME = "pi-term"


class Presence:
    """Tells the terminal: in its title the session, the folder and a mark for what goes on.

    Somebody who looks elsewhere, as far as the terminal says so, is told when the agent is done or asks
    something. Nothing that was prompted or answered is part of it.
    """

    def __init__(self, app: PiTermApp) -> None:
        self._app = app
        self._working = False
        self._question = ""
        self._unseen = ""  # the mark for what happened while nobody looked
        self._outcome: tuple[ProgramState, str] = ("idle", "")  # of the last run
        self._reminder: Timer | None = None

    def show(self, event: SessionEvent) -> None:
        """Something happened, and the status line tells what goes on."""
        self._work(self._app.main.status.working)
        if event.type == "agent_settled":
            self._settled()
        self._paint()

    @contextmanager
    def asking(self, title: str) -> Iterator[None]:
        """Inside, a question is on the screen that came unasked."""
        self._question = title.partition("\n")[0]
        if not self._app.app_focus:
            self._notify(f"asks: {self._question}")
        self._paint()
        try:
            yield
        finally:
            self._question = ""
            self._paint()

    def seen(self) -> None:
        """Somebody looks."""
        self._unseen = ""
        self._paint()

    # --- inside

    @property
    def _session(self) -> AgentSession | None:
        return self._app.started.session if self._app.started is not None else None

    def _work(self, working: bool) -> None:
        if working == self._working:
            return
        self._working = working
        if working:
            self._unseen = ""
        if self._reminder is not None:
            self._reminder.stop()
            self._reminder = None
        if self._setting(schema.TERMINAL_PROGRESS) or not working:
            self._app.surround(lambda around: around.progress(working))
        if working and self._setting(schema.TERMINAL_PROGRESS):
            self._reminder = self._app.set_interval(
                _REMIND, lambda: self._app.surround(lambda around: around.progress(True))
            )

    def _settled(self) -> None:
        session = self._session
        if session is None or self._working:
            return
        answer = session.last_answer()
        reason = "stop" if answer is None else answer.stop_reason
        failed, stopped = reason == "error", reason == "aborted"
        error = (answer.error_message or "").partition("\n")[0] if answer is not None and failed else ""
        self._outcome = ("error", error) if failed else ("idle" if stopped else "done", "")
        if not stopped and not self._app.app_focus:
            self._unseen = _FAILED if failed else _DONE
            self._notify("failed" if failed else "done")

    def _notify(self, what: str) -> None:
        where = " · ".join(self._names()[1:])
        self._app.surround(
            lambda _: notification(
                self._setting(schema.NOTIFY), _NAME, f"{what} · {where}" if where else what
            )
        )

    def _report(self) -> None:
        """Tell who watches programs. Nothing that was prompted or answered is part of it."""
        name = (self._session.file.tree.name or "") if self._session is not None else ""
        state: ProgramState
        if self._question:
            state, message = "blocked", self._question
        elif self._working:
            state, message = "working", name
        else:
            state, message = self._outcome
            message = message or (name if state == "done" else "")
        self._app.surround(lambda around: around.program.tell(state, message))

    def _paint(self) -> None:
        self._report()
        if not self._setting(schema.TERMINAL_TITLE):
            return
        mark = _ASKING if self._question else _WORKING if self._working else self._unseen
        title = mark + " - ".join(self._names())
        self._app.surround(lambda around: around.title(title))

    def _names(self) -> list[str]:
        """The program, the session and the folder, as far as there are names."""
        session = self._session
        if session is None:
            return [_NAME]
        name, folder = session.file.tree.name, session.harness.cwd.name
        return [part for part in (_NAME, name, folder) if part]

    def _setting(self, setting: schema.Setting[schema.T]) -> schema.T:
        session = self._session
        return setting.default if session is None else session.harness.settings.get(setting)
