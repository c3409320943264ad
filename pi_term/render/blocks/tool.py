"""A tool call: a row with name, subject and state, and under it what there is to see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rich.segment import Segment

from pi_term.ai.messages import UserPart
from pi_term.base.json import JsonObject, dumps_str
from pi_term.base.sanitize import sanitize_line
from pi_term.render.blocks.base import EXPAND_ACTION, BaseBlock
from pi_term.render.blocks.hints import duration, running_for
from pi_term.render.cells import fit, fit_end, width_of
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.tools.call import CallStatus, ToolCallState
from pi_term.render.tools.panel import Panel
from pi_term.render.tools.renderers import Title, ToolRenderer, renderer_for

_MARKS: dict[CallStatus, tuple[str, str]] = {
    "writing": ("◌", "muted"),
    "pending": ("○", "muted"),
    "running": ("◐", "accent"),
    "ok": ("●", "success"),
    "error": ("●", "error"),
    "cancelled": ("○", "dim"),
}
_SHORTEST = 0.1
_GROUNDS: dict[CallStatus, str] = {"ok": "toolSuccessBg", "error": "toolErrorBg"}


class Result(Protocol):
    """A tool's result, partial or final: `ToolResult` or `ToolResultMessage`."""

    content: list[UserPart]
    details: Any
    is_error: bool


class ToolBlock(BaseBlock):
    """One call from the first letter of its arguments to its result."""

    __slots__ = ("_call", "_shown_seconds")

    def __init__(
        self, name: str, args: JsonObject | None = None, *, writing: bool = False, id: str | None = None
    ) -> None:
        """`writing`: the model has not finished the arguments."""
        super().__init__(id)
        self._call = ToolCallState(name, args or {}, "writing" if writing else "pending")
        self._shown_seconds = 0

    @property
    def name(self) -> str:
        """The tool's name."""
        return self._call.name

    @property
    def status(self) -> CallStatus:
        """How far the call is."""
        return self._call.status

    @property
    def expandable(self) -> bool:
        return self._renderer.expandable(self._call)

    def set_arguments(self, args: JsonObject, *, complete: bool = False) -> None:
        """The arguments as far as they are known; the object may be one that grows."""
        if self._call.status in ("writing", "pending"):
            self._call.status = "pending" if complete else "writing"
        self._call.args = args
        self._changed()

    def start(self, now: float, args: JsonObject | None = None) -> None:
        """The tool runs since `now` (seconds)."""
        self._call.status = "running"
        self._call.started = now
        if args is not None:
            self._call.args = args
        self._changed()

    def update(self, partial: Result) -> None:
        """What the running tool shows so far."""
        if not self._call.done:
            self._call.content, self._call.details = partial.content, partial.details
            self._changed()

    def finish(self, result: Result, *, is_error: bool | None = None, duration_ms: int | None = None) -> None:
        """The call is over. `duration_ms`: how long it ran; None if that is not known."""
        failed = result.is_error if is_error is None else is_error
        call = self._call
        call.status = "error" if failed else "ok"
        call.content, call.details = result.content, result.details
        call.duration = None if duration_ms is None else duration_ms / 1000
        self._changed()

    def cancel(self) -> None:
        """There will be no result: the call's message ended badly, or the program did while it ran."""
        if not self._call.done:
            self._call.status = "cancelled"
            self._changed()

    def tick(self, now: float) -> bool:
        """Whether the time that a running call shows has changed; to be asked about once a second."""
        if self._call.status != "running" or self._call.started is None:
            return False
        seconds = int(now - self._call.started)
        if seconds == self._shown_seconds:
            return False
        self._shown_seconds = seconds
        self._touch()
        return True

    def refine(self, budget: float) -> bool:
        """See `Refinable`."""
        code = self._call.memo.get("code")
        if code is None or not code.behind:
            return False
        more = bool(code.refine(budget))
        if not more:
            self._touch()
        return more

    def release(self) -> None:
        super().release()
        self._call.memo.clear()

    def copy_text(self) -> str:
        call = self._call
        title = (
            call.argument("command") or call.argument("path") or (dumps_str(call.args) if call.args else "")
        )
        head = f"{call.name} {title}".rstrip()
        return f"{head}\n\n{call.text}" if call.text else head

    def estimate_height(self, width: int) -> int:
        rows = {"bash": 7, "read": 2, "write": 12, "edit": 12}.get(self._call.name, 6)
        return rows if self._call.content or self._call.args else 2

    def _changed(self) -> None:
        self._call.memo.clear()
        self._touch()

    @property
    def _renderer(self) -> ToolRenderer:
        return renderer_for(self._call.name)

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        ground = _GROUNDS.get(self._call.status, "toolPendingBg")
        panel = Panel(width, view, ground)
        renderer = self._renderer
        head = self._head(renderer.title(self._call), panel, view.now)
        return [EMPTY_LINE, head, *renderer.body(self._call, panel)]

    def _head(self, title: Title, panel: Panel, now: float) -> Line:
        """`● bash  pytest -q      ✓ 1.2 s`; what does not fit is left out from the right."""
        mark, token = _MARKS[self._call.status]
        width = panel.width
        name = fit(sanitize_line(self._call.name), max(0, width - 2))
        end = self._state_text(now)
        room = width - 2 - width_of(name) - 2 - width_of(end) - 3
        if room < 4:
            end, room = "", width - 2 - width_of(name) - 2
        subject = (fit_end if title.keep_end else fit)(title.text, room)
        extra = fit(title.extra, room - width_of(subject) - 2)
        parts = [(f"{mark} ", panel.style(token)), (name, panel.style("toolTitle", bold=True))]
        if subject:
            parts += [("  ", panel.fill), (subject, panel.style("toolTitle"))]
        if extra:
            parts += [("  ", panel.fill), (extra, panel.style("muted"))]
        gap = width - sum(width_of(text) for text, _ in parts) - width_of(end) - 1
        if end and gap > 0:
            parts += [(" " * gap, panel.fill), (end, panel.style(token))]
        segments = tuple(Segment(fit(text, width), style) for text, style in parts)
        actions = (EXPAND_ACTION,) if self.expandable else ()
        source = " ".join(part for part in (self._call.name, title.text) if part)
        line = Line(
            segments if width > 2 else segments[:1], sanitize_line(source), False, actions, min(2, width)
        )
        return panel.filled([line])[0]

    def _state_text(self, now: float) -> str:
        call = self._call
        match call.status:
            case "writing":
                return "writing…"
            case "pending":
                return "waiting"
            case "cancelled":
                return "no result"
            case "running":
                self._shown_seconds = int(max(0.0, now - (now if call.started is None else call.started)))
                return running_for(self._shown_seconds) if self._shown_seconds else "running"
            case _:
                mark = "✗" if call.status == "error" else "✓"
                worth_telling = call.duration is not None and call.duration >= _SHORTEST
                return f"{mark} {duration(call.duration or 0.0)}" if worth_telling else mark
