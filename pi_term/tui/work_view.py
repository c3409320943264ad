"""Tells on the status line what goes on, from the events of a session."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pi_term.agent.events import AgentStart, ToolExecutionEnd, ToolExecutionStart
from pi_term.coding.events import (
    AgentSettled,
    AutoRetryEnd,
    AutoRetryStart,
    BranchSummaryEnd,
    BranchSummaryStart,
    CompactionEnd,
    CompactionReason,
    CompactionStart,
    SessionEvent,
    SessionSwitched,
    ShellEnded,
    ShellStarted,
    StatsCounted,
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
)
from pi_term.tui.text import count_text
from pi_term.tui.widgets.status import Doing

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_term.coding.agent_session import AgentSession
    from pi_term.tui.widgets.status import StatusLine

_WHY: dict[CompactionReason, str] = {
    "manual": "",
    "threshold": "the context is nearly full",
    "overflow": "the context is full",
}


class _Tokens(NamedTuple):
    """What a session sent and received."""

    sent: int = 0
    received: int = 0

    def since(self, before: _Tokens) -> _Tokens:
        """The difference."""
        return _Tokens(self.sent - before.sent, self.received - before.received)


class WorkView:
    """Of several things that go on at once, the status line tells what Escape would end first.

    A prompt is under way until it has settled, whatever fails, waits or is compacted meanwhile.
    `escape_key()` is the key that ends things, as people read it.
    """

    def __init__(self, session: AgentSession, status: StatusLine, escape_key: Callable[[], str]) -> None:
        self._session = session
        self._status = status
        self._escape_key = escape_key
        self._prompt: Doing | None = None
        self._retry: Doing | None = None
        self._summary: Doing | None = None
        self._summary_retry: Doing | None = None
        self._shells: dict[int, Doing] = {}
        self._tools: dict[str, str] = {}  # names of what runs, by the id of the call
        self._before = _Tokens()  # when the prompt was sent
        self._seen = _Tokens()  # when they were last told

    def prompt_sent(self) -> None:
        """A prompt is under way, though nothing may have been heard of it yet."""
        if self._prompt is None and self._session.runs.active:
            self._before = self._tokens()
            self._prompt = self._doing("working", "interrupt")
        self._tell()

    def show(self, event: SessionEvent) -> None:
        """Something happened."""
        match event:
            case AgentStart():
                self._retry = None
                self.prompt_sent()
            case AgentSettled():
                self._settled()
            case AutoRetryStart() | SummarizationRetryScheduled():
                self._waits(event)
            case AutoRetryEnd():
                self._retry = None
            case SummarizationRetryAttemptStart() | SummarizationRetryFinished():
                self._summary_retry = None
            case CompactionStart():
                about = _WHY[event.reason]
                self._summary = replace(self._doing("compacting…", "cancel"), about=about)
            case BranchSummaryStart():
                self._summary = self._doing("summarising the branch…", "cancel")
            case CompactionEnd() | BranchSummaryEnd():
                self._summary = self._summary_retry = None
            case SessionSwitched():
                self._before = _Tokens()
            case StatsCounted():
                self._before = self._tokens().since(self._seen.since(self._before))
            case ToolExecutionStart():
                self._tools[event.tool_call_id] = event.tool_name
            case ToolExecutionEnd():
                self._tools.pop(event.tool_call_id, None)
            case ShellStarted():
                self._shells[event.run_id] = self._doing("running your command", "stop it")
            case ShellEnded():
                self._shells.pop(event.run_id, None)
        self._tell()

    def _settled(self) -> None:
        """One prompt has settled; perhaps another is under way already."""
        self._prompt = self._retry = None
        self._tools.clear()
        self.prompt_sent()

    def _waits(self, event: AutoRetryStart | SummarizationRetryScheduled) -> None:
        retry = Doing(
            "retrying",
            self._status.clock(),
            until=self._status.clock() + event.delay_ms / 1000,
            about=f" ({event.attempt}/{event.max_attempts}): {event.error_message}",
            hint=self._hint("cancel"),
        )
        if isinstance(event, AutoRetryStart):
            self._retry = retry
        else:
            self._summary_retry = retry

    def _doing(self, what: str, end: str) -> Doing:
        return Doing(what, self._status.clock(), hint=self._hint(end))

    def _hint(self, end: str) -> str:
        key = self._escape_key()
        return f"{key} to {end}" if key else ""

    def _tell(self) -> None:
        shell = next(reversed(self._shells.values()), None)
        working = self._prompt and replace(self._prompt, about=self._about())
        self._status.tell(self._summary_retry or self._summary or self._retry or working or shell)

    def _about(self) -> str:
        """The tools that run, the latest first, and the tokens of this prompt."""
        self._seen = self._tokens()
        sent, received = self._seen.since(self._before)
        tokens = f"↑ {count_text(sent)} ↓ {count_text(received)}" if sent > 0 or received > 0 else ""
        counts = Counter(reversed(self._tools.values()))
        tools = ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in counts.items())
        return " · ".join(part for part in (tools, tokens) if part)

    def _tokens(self) -> _Tokens:
        return _Tokens(self._session.stats.input, self._session.stats.output)
