"""The row of a tool call: `● bash  pytest -q      ✗ exit 1 · 1.2 s`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from pi_term.base.dataclass import dataclass
from pi_term.base.sanitize import sanitize_line
from pi_term.render.cells import fit, fit_end, width_of
from pi_term.render.line import Line
from pi_term.render.tools.panel import Panel
from pi_term.render.tools.renderer import Title

_LEAST_TITLE = 12
"""Cells that a title should have before the state is said in full."""
_GAP = 2


@dataclass(frozen=True, slots=True)
class Head:
    """Name, title and state of a call. `states`: ways to say the state, the longest first."""

    name: str
    title: Title
    mark: str
    token: str
    states: Sequence[str]

    def line(self, panel: Panel, actions: tuple[str, ...]) -> Line:
        """The row. What does not fit is left out from the right, the state last."""
        width = panel.width
        name = fit(sanitize_line(self.name), max(0, width - 2))
        room = width - 2 - width_of(name) - _GAP - 1
        state = self._state(room)
        room -= width_of(state) + _GAP if state else 0
        parts = [
            (f"{self.mark} ", panel.style(self.token)),
            (name, panel.style("toolTitle", bold=True)),
            *self._title(panel, room),
        ]
        gap = width - sum(width_of(text) for text, _ in parts) - width_of(state) - 1
        if state and gap > 0:
            parts += [(" " * gap, panel.fill), (state, panel.style(self.token))]
        segments = tuple(Segment(fit(text, width), style) for text, style in parts)
        source = sanitize_line(" ".join(part for part in (self.name, self.title.text) if part))
        line = Line(segments if width > 2 else segments[:1], source, False, actions, min(2, width))
        return panel.filled([line])[0]

    def _state(self, room: int) -> str:
        """The longest way to say the state that leaves room for a title; at least the shortest."""
        least = min(_LEAST_TITLE, width_of(self.title.text)) + _GAP
        fitting = (state for state in self.states if width_of(state) + least <= room)
        last = self.states[-1]
        return next(fitting, last if width_of(last) <= room else "")

    def _title(self, panel: Panel, room: int) -> list[tuple[str, Style]]:
        """Subject, changes and extra, each after a gap; the last two whole or not at all."""
        title = self.title
        subject = (fit_end if title.keep_end else fit)(title.text, room)
        groups = [[(subject, "toolTitle")]]
        if title.changes is not None:
            added, removed = title.changes
            groups.append([(f"+{added:,}", "toolDiffAdded"), (f" -{removed:,}", "toolDiffRemoved")])
        room -= sum(width_of(text) + _GAP for group in groups for text, _ in group)
        if room < 0 and len(groups) > 1:
            groups.pop()
        if width_of(title.extra) <= room:
            groups.append([(title.extra, "muted")])
        parts: list[tuple[str, Style]] = []
        for group in groups:
            if group[0][0]:
                parts.append((" " * _GAP, panel.fill))
                parts += [(text, panel.style(token)) for text, token in group]
        return parts
