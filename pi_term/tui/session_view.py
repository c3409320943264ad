"""Shows what a session does: its events become blocks of the transcript and rows around it.

The one place that knows both. Events come through a feed, at most once a frame, so that a flood of
deltas costs what is drawn and not what arrived.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pi_term.agent.events import (
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
from pi_term.base.dataclass import dataclass
from pi_term.base.turns import give_way
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import (
    AgentSettled,
    AutoRetryEnd,
    AutoRetryStart,
    CompactionEnd,
    DiagnosticRaised,
    LeafMoved,
    ModelChanged,
    SessionEvent,
    SessionInfoChanged,
    SessionSwitched,
    ShellEnded,
    ShellOutput,
    ShellStarted,
    StatsCounted,
    ThinkingLevelChanged,
)
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.session import SessionTree, StoredEntry
from pi_term.render.blocks import UserBlock
from pi_term.render.entries import blocks_of
from pi_term.render.line import Block
from pi_term.tui.answer_view import AnswerView
from pi_term.tui.background import run_in_background
from pi_term.tui.compaction_view import complete, fresh_block
from pi_term.tui.git import branch_of
from pi_term.tui.history_view import FIRST_PIECE, History
from pi_term.tui.shell_view import ShellView
from pi_term.tui.switch_view import SwitchView
from pi_term.tui.widgets.footer import FooterState
from pi_term.tui.work_view import WorkView

if TYPE_CHECKING:
    from pi_term.tui.screens.main import MainScreen

_PIECE = 200  # entries of the history that are shown with each look further back
_PIECE_CHARS = 4_000  # characters of an answer that are taken in one go: drawing them takes about 5 ms
_FRAME = 1 / 30  # seconds that text is collected before it is shown
_LOOKS = 2  # and how often in between it is looked whether something else has come


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a session was when it told of a move; by the time the move is shown, more has happened."""

    tree: SessionTree
    leaf: StoredEntry | None
    unsaved: tuple[BashExecutionMessage, ...]


class SessionView:
    """Follows the session of the app from the mounting of the main screen to its end."""

    def __init__(self, screen: MainScreen, session: AgentSession) -> None:
        self._screen = screen
        self._session = session
        self._answers = AnswerView(screen.transcript)
        self._shells = ShellView(screen.transcript, screen.status.clock)
        self._switches = SwitchView(screen.transcript)
        self.work = WorkView(session, screen.status, lambda: screen.program.keys.hint("app.interrupt"))
        self._git_branch: str | None = None
        self._name: str | None = None
        self._places: deque[_Place] = deque()
        self._arrived = asyncio.Event()  # no move is told that is not shown yet
        self._arrived.set()
        self._can_draw = asyncio.Event()  # what answers are drawn with is loaded
        self._can_draw.set()

    @property
    def tells_switches(self) -> bool:
        """Whether another model or level shows in the part of the transcript that is seen."""
        return self._switches.in_sight

    def start(self) -> None:
        """Show the history and follow what comes."""
        self._feed = self._session.feed()
        self._session.subscribe(self._note_place)
        self._show_place(self._here())
        run_in_background(self._screen, self._follow, "session view")
        self._screen.status.on_tick = self._tick

    async def _follow(self) -> None:
        while events := await self._feed.take():
            for event in events:
                if isinstance(event, MessageUpdate):
                    await self._can_draw.wait()
                for piece in _pieces(event):
                    newest = self._screen.transcript.newest
                    self._show(piece)
                    if piece is not event:
                        if self._screen.transcript.newest is newest:
                            # One block that grows and grows: drawn now, it need not be drawn in one go.
                            self._screen.transcript.prepare()
                        await give_way()  # keys are answered between the pieces
            for _ in range(_LOOKS):
                await asyncio.sleep(_FRAME / _LOOKS)
                if len(self._feed) > 1:  # more than text that goes on: say, its end
                    break

    async def _note_place(self, event: SessionEvent) -> None:
        if isinstance(event, LeafMoved | SessionSwitched):
            self._places.append(self._here())
            self._arrived.clear()

    def _here(self) -> _Place:
        tree = self._session.file.tree
        return _Place(tree, tree.leaf, self._session.shell.unsaved)

    def _tick(self) -> None:
        self._answers.tick()
        self._shells.tick()

    def _show(self, event: SessionEvent) -> None:
        match event:
            case MessageUpdate():
                self._answers.update(event.message, event.event)
                return
            case ToolExecutionUpdate():
                self._answers.tool_update(event)
                return
            case ShellOutput():
                self._shells.output(event)
                return
            case LeafMoved() | SessionSwitched():
                self._show_place(self._places.popleft())
                if not self._places:
                    self._arrived.set()
            case _:
                self._show_in_transcript(event)
        self._switches.show(event)
        self.work.show(event)
        self._screen.program.presence.show(event)
        self._show_around(event)

    def _show_in_transcript(self, event: SessionEvent) -> None:
        match event:
            case MessageStart(message=AssistantMessage()):
                self._answers.begin()
            case MessageEnd(message=AssistantMessage() as message):
                self._answers.end(message)
            case MessageEnd(message=UserMessage() as message):
                self._begin_talk()
                self._screen.transcript.append(UserBlock(message.content))
            case ToolExecutionStart():
                self._answers.tool_start(event)
            case ToolExecutionEnd():
                self._answers.tool_end(event)
            case ShellStarted():
                self._begin_talk()
                self._shells.started(event)
            case ShellEnded():
                self._shells.ended(event)
            case AutoRetryStart():
                self._answers.tried_again(True)
            case AutoRetryEnd(success=False):
                self._answers.tried_again(False)
            case CompactionEnd():
                self._show_compaction(event)
            case DiagnosticRaised():
                self._screen.notice(event.diagnostic.text(), event.diagnostic.severity)

    def _begin_talk(self) -> None:
        """What was told before the first prompt has been read; and soon there is an answer to be drawn."""
        if not self._switches.said:
            self._can_draw.clear()
            run_in_background(self._screen, self._load_rendering, "rendering")
        self._switches.said = True
        self._screen.end_welcome()

    async def _load_rendering(self) -> None:
        """Load what the first answer needs before it comes, if that has not been done in idle moments."""
        from pi_term.render.warm import warm_steps

        try:
            for _ in warm_steps():
                await give_way()
        finally:
            self._can_draw.set()

    def _show_around(self, event: SessionEvent) -> None:
        """Queue, header and footer."""
        match event:
            case QueueUpdate():
                self._screen.queue_desk.paint()
            case AgentSettled():
                self._git_branch = branch_of(self._session.harness.cwd)
                self.paint_footer()
            case SessionInfoChanged():
                self._name = event.name
                self.paint_footer()
            case MessageEnd(message=AssistantMessage()) | TurnEnd() | CompactionEnd() | LeafMoved():
                self.paint_footer()
            case SessionSwitched():
                self._screen.program.follow_folder()
                self._screen.paint()
            case ModelChanged() | ThinkingLevelChanged() | StatsCounted():
                self._screen.paint()

    def _show_compaction(self, event: CompactionEnd) -> None:
        """What it came to. What one on demand fails with is told to whoever asked for it."""
        result = event.result
        if result is not None:
            if event.will_retry:
                self._answers.tried_again(True)
            self._screen.transcript.append(fresh_block(result, self._session.file.tree))
        elif event.reason != "manual" and event.aborted:
            self._screen.status.note("Compaction cancelled.")
        elif event.reason != "manual" and event.error_message:
            self._screen.notice(event.error_message, "warning")

    def _show_place(self, place: _Place) -> None:
        """Replace what is shown by the branch that ends there; what runs goes on being shown."""
        transcript = self._screen.transcript
        self._screen.transcript_actions.close_row()
        transcript.clear()
        self._answers.reset()
        self._git_branch = branch_of(self._session.harness.cwd)
        self._name = self._session.name
        self._history = History(place.tree, place.leaf)
        self._switches.reset(said=self._history.more)
        self._screen.begin_welcome(new=not self._history.more)
        transcript.extend(complete(self._screen, place.tree, self._history.older(FIRST_PIECE)))
        transcript.extend(blocks_of((f"unsaved-{number}", each) for number, each in enumerate(place.unsaved)))
        self._shells.show_again()

    def show_older(self, count: int = _PIECE) -> bool:
        """Add what came before the oldest block, about `count` entries; False: there is nothing."""
        if not self._history.more:
            return False
        tree = self._session.file.tree
        self._screen.transcript.prepend(complete(self._screen, tree, self._history.older(count)))
        return True

    async def show_entry(self, entry_id: str) -> bool:
        """Scroll to an entry of the branch, loading what lies before it; False where nothing shows it."""
        transcript = self._screen.transcript
        await self._arrived.wait()
        for again in (False, True):
            if again:  # what was said since the session was opened is not known by its entries
                if self._session.busy:
                    return False
                self._show_place(self._here())
            while not transcript.show_block(entry_id):
                if not self.show_older():
                    break
                await asyncio.sleep(0)
            else:
                return True
        return False

    def earlier_blocks(self, wanted: Callable[[bytes], bool]) -> Iterator[Block | None]:
        """The blocks that were not shown yet, see `History.earlier`."""
        return self._history.earlier(wanted)

    def paint_footer(self) -> None:
        """Bring the footer up to date."""
        session = self._session
        model = session.model
        state = FooterState(
            cwd=session.harness.cwd,
            branch=self._git_branch,
            session_name=self._name,
            stats=session.stats,
            context_tokens=session.context_tokens(),
            context_window=model.context_window,
            model=model.label,
            thinking=session.thinking_level if model.reasoning else None,
        )
        self._screen.footer.update(state, self._screen.program.theme_colours)


def _pieces(event: SessionEvent) -> Iterator[SessionEvent]:
    """A long delta in pieces, so that a burst of text holds up no key."""
    delta = event.event if isinstance(event, MessageUpdate) else None
    if not isinstance(delta, (TextDelta, ThinkingDelta)) or len(delta.delta) <= _PIECE_CHARS:
        yield event
        return
    assert isinstance(event, MessageUpdate)
    for start in range(0, len(delta.delta), _PIECE_CHARS):
        part = replace(delta, delta=delta.delta[start : start + _PIECE_CHARS])
        yield replace(event, event=part)
