"""Shows what a session does: its events become blocks of the transcript and rows around it.

The one place that knows both. Events come through a feed, at most once a frame, so that a flood of
deltas costs what is drawn and not what arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pi_term.agent.events import (
    AgentStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    QueueUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
)
from pi_term.ai.events import TextDelta, ThinkingDelta
from pi_term.ai.messages import AssistantMessage, UserMessage
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import (
    AgentSettled,
    DiagnosticRaised,
    ModelChanged,
    SessionEvent,
    SessionSwitched,
    StatsCounted,
    ThinkingLevelChanged,
)
from pi_term.coding.stats import SessionStats
from pi_term.render.blocks import UserBlock
from pi_term.tui.answer_view import AnswerView
from pi_term.tui.background import run_in_background
from pi_term.tui.git import branch_of
from pi_term.tui.history_view import History
from pi_term.tui.text import count_text
from pi_term.tui.widgets.footer import FooterState

if TYPE_CHECKING:
    from pi_term.tui.screens.main import MainScreen

_FIRST_PIECE = 60  # entries of the history that are shown at once: more than any screen holds
_PIECE = 300  # and with each look further back
_PIECE_CHARS = 24_000  # characters of an answer that are drawn in one go: about 40 ms
_FRAME = 1 / 30  # seconds between looks at the feed while events keep coming


class SessionView:
    """Follows the session of the app from the mounting of the main screen to its end."""

    def __init__(self, screen: MainScreen, session: AgentSession) -> None:
        self._screen = screen
        self._session = session
        self._answers = AnswerView(screen.transcript)
        self._queued: tuple[list[str], list[str]] = ([], [])
        self._branch: str | None = None
        self._before = SessionStats()  # what had been used when the run began

    def start(self) -> None:
        """Show the history and follow what comes."""
        self._feed = self._session.feed()
        self._show_history()
        run_in_background(self._screen, self._follow, "session view")
        self._screen.status.on_tick = self._answers.tick

    async def _follow(self) -> None:
        while events := await self._feed.take():
            for event in events:
                for piece in _pieces(event):
                    self._show(piece)
                    if piece is not event:
                        await self._screen.transcript.painted()
            await asyncio.sleep(_FRAME)

    def _show(self, event: SessionEvent) -> None:
        match event:
            case MessageUpdate():
                self._answers.update(event.message, event.event)
            case ToolExecutionUpdate():
                self._answers.tool_update(event)
            case MessageStart(message=AssistantMessage()):
                self._answers.begin()
            case MessageEnd(message=AssistantMessage() as message):
                self._answers.end(message)
                self._progress()
            case MessageEnd(message=UserMessage() as message):
                self._screen.header.display = False
                self._screen.transcript.append(UserBlock(message.content))
            case ToolExecutionStart():
                self._answers.tool_start(event)
                self._screen.status.update(event.tool_name, self._detail())
            case ToolExecutionEnd():
                self._answers.tool_end(event)
                self._screen.status.update("", self._detail())
            case QueueUpdate():
                self._queued = (event.steering, event.follow_up)
                self.paint_queue()
            case AgentStart():
                self._before = replace(self._session.stats)
                self._screen.status.begin()
            case TurnEnd():
                self._progress()
            case AgentSettled():
                self._settled()
            case SessionSwitched():
                self._show_history()
                self._screen.paint()
            case ModelChanged() | ThinkingLevelChanged() | StatsCounted():
                self._screen.paint()
            case DiagnosticRaised():
                self._screen.notice(event.diagnostic.text(), event.diagnostic.severity)

    def _settled(self) -> None:
        self._screen.status.end()
        self._branch = branch_of(self._session.harness.cwd)
        self.paint_footer()

    def _progress(self) -> None:
        self._screen.status.update("", self._detail())
        self.paint_footer()

    def _detail(self) -> str:
        """Tokens of this run."""
        stats, before = self._session.stats, self._before
        sent, received = stats.input - before.input, stats.output - before.output
        return f"↑ {count_text(sent)} ↓ {count_text(received)}" if sent > 0 or received > 0 else ""

    def _show_history(self) -> None:
        session = self._session
        transcript = self._screen.transcript
        transcript.clear()
        self._answers.reset()
        self._branch = branch_of(session.harness.cwd)
        self._history = History(session.file.tree)
        self._screen.header.display = not self._history.more
        transcript.extend(self._history.older(_FIRST_PIECE))

    def show_older(self) -> None:
        """The oldest block is on the screen: add what came before it."""
        if self._history.more:
            self._screen.transcript.prepend(self._history.older(_PIECE))

    def paint_queue(self) -> None:
        """Bring the queue strip up to date."""
        app = self._screen.program
        key = app.keys.hint("app.message.dequeue")
        self._screen.queue.update(*self._queued, app.theme_colours, f"{key} to edit" if key else "")

    def paint_footer(self) -> None:
        """Bring the footer up to date."""
        session = self._session
        model = session.model
        state = FooterState(
            cwd=session.harness.cwd,
            branch=self._branch,
            session_name=session.file.tree.name,
            stats=session.stats,
            context_tokens=session.context_tokens(),
            context_window=model.context_window,
            model=model.label,
            thinking=session.thinking_level if model.reasoning else None,
        )
        self._screen.footer.update(state, self._screen.program.theme_colours)


def _pieces(event: SessionEvent) -> Iterator[SessionEvent]:
    """A long delta in pieces that a frame has time for, so that a burst of text holds up no key."""
    delta = event.event if isinstance(event, MessageUpdate) else None
    if not isinstance(delta, (TextDelta, ThinkingDelta)) or len(delta.delta) <= _PIECE_CHARS:
        yield event
        return
    assert isinstance(event, MessageUpdate)
    for start in range(0, len(delta.delta), _PIECE_CHARS):
        part = replace(delta, delta=delta.delta[start : start + _PIECE_CHARS])
        yield replace(event, event=part)
