"""A tool call: a row with name, subject and state, and under it what there is to see."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol

from pi_term.ai.messages import UserPart
from pi_term.base.json import JsonObject, dumps_str
from pi_term.render.blocks.base import EXPAND_ACTION, BaseBlock
from pi_term.render.blocks.hints import duration, running_for
from pi_term.render.blocks.image import picture_lines
from pi_term.render.joined import JoinedLines
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.tools.call import CallStatus, Colours, ToolCallState
from pi_term.render.tools.failure import Failure, failure_of
from pi_term.render.tools.head import Head
from pi_term.render.tools.panel import Panel
from pi_term.render.tools.renderer import ToolRenderer
from pi_term.render.tools.renderers import renderer_for

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

    __slots__ = ("_body", "_body_key", "_call", "_change", "_failure", "_shown_seconds")

    def __init__(
        self, name: str, args: JsonObject | None = None, *, writing: bool = False, id: str | None = None
    ) -> None:
        """`writing`: the model has not finished the arguments."""
        super().__init__(id)
        self._call = ToolCallState(name, args or {}, "writing" if writing else "pending")
        self._shown_seconds = 0
        self._failure: Failure | None = None
        self._change = 0  # grows whenever what is under the row changes
        self._body: Sequence[Line] = ()
        self._body_key: Hashable = None

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
        if self._call.status != "writing":
            self._call.live.clear()
        self._call.args = args
        self._changed()

    def start(self, now: float, args: JsonObject | None = None) -> None:
        """The tool runs since `now` (seconds)."""
        self._call.status = "running"
        self._call.started = now
        self._call.live.clear()
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
        call.live.clear()
        call.forget()  # the text that it had while it ran
        self._failure = failure_of(call.text) if failed else None
        self._changed()

    def cancel(self) -> None:
        """There will be no result: the call's message ended badly, or the program did while it ran."""
        if not self._call.done:
            self._call.status = "cancelled"
            self._call.live.clear()
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
        behind = [each for each in self._colours() if each.behind]
        deadline = time.perf_counter() + budget
        found = [each.refine(deadline) for each in behind]
        if any(found):
            self._change += 1
            self._touch()
        return any(each.behind for each in behind)

    def _colours(self) -> list[Colours]:
        call = self._call
        return [*call.live.values(), *([] if call.colours is None else [call.colours])]

    def release(self) -> None:
        super().release()
        self._body, self._body_key = (), None
        self._call.forget()
        self._call.live.clear()

    def copy_text(self) -> str:
        call = self._call
        title = (
            call.argument("command") or call.argument("path") or (dumps_str(call.args) if call.args else "")
        )
        head = f"{call.name} {title}".rstrip()
        return f"{head}\n\n{call.text}" if call.text else head

    def search_text(self) -> str:
        call = self._call
        diff = call.details.get("diff") if isinstance(call.details, dict) else None
        return "\n".join([call.name, *_strings(call.args), call.text, *_strings(diff)])

    def estimate_height(self, width: int) -> int:
        rows = {"bash": 7, "read": 2, "write": 12, "edit": 12}.get(self._call.name, 6)
        return rows if self._call.content or self._call.args else 2

    def _changed(self) -> None:
        self._call.forget()
        self._change += 1
        self._touch()

    @property
    def _renderer(self) -> ToolRenderer:
        return renderer_for(self._call.name)

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        mark, token = _MARKS[self._call.status]
        ground = _GROUNDS.get(self._call.status, "toolPendingBg")
        if self._failure is not None and self._failure.called_off:
            token, ground = "warning", "toolPendingBg"
        panel = Panel(width, view, ground)
        renderer = self._renderer
        body = self._body_rows(renderer, panel)
        head = Head(self._call.name, renderer.title(self._call), mark, token, self._state(view.now))
        actions = (EXPAND_ACTION,) if self.expandable else ()
        return JoinedLines([(EMPTY_LINE, head.line(panel, actions)), body, *self._pictures(panel)])

    def _pictures(self, panel: Panel) -> Iterator[Sequence[Line]]:
        """The images that came back, where they can be drawn; the body tells of them in words."""
        if panel.view.pictures is not None:
            for image in self._call.images:
                yield panel.filled(picture_lines(image, panel.width, panel.view, panel.margin, self))

    def _body_rows(self, renderer: ToolRenderer, panel: Panel) -> Sequence[Line]:
        """What is under the row; the same rows as long as only the row itself changes."""
        view = panel.view
        key = (self._change, panel.width, view.theme.version, view.expanded, view.expand_key)
        if key != self._body_key:
            self._body, self._body_key = renderer.body(self._call, panel), key
        return self._body

    def _state(self, now: float) -> tuple[str, ...]:
        """What stands at the end of the row: in full, then shorter ways to say it."""
        call = self._call
        match call.status:
            case "writing":
                return ("writing…",)
            case "pending":
                return ("waiting",)
            case "cancelled":
                return ("no result",)
            case "running":
                self._shown_seconds = int(max(0.0, now - (now if call.started is None else call.started)))
                return (running_for(self._shown_seconds) if self._shown_seconds else "running",)
        mark = "✗" if call.status == "error" else "✓"
        took = "" if call.duration is None or call.duration < _SHORTEST else f" {duration(call.duration)}"
        failure = self._failure or Failure("")
        if not failure.label:
            return (f"{mark}{took}", mark)
        told = f"{mark} {failure.label}"
        return (f"{told} ·{took}", told, mark) if took and not failure.times else (told, mark)


def _strings(value: object) -> Iterator[str]:
    """The texts in a JSON value."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting.extend(reversed(each.values()))
        elif isinstance(each, list):
            waiting.extend(reversed(each))
