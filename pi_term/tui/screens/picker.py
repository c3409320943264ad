"""A list that explains what is selected: the base of the screens for models, settings, themes and keys."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from pi_term.base.dataclass import dataclass
from pi_term.base.sanitize import sanitize
from pi_term.render.line import EMPTY_LINE, Line
from pi_term.render.margin import Margin, to_lines
from pi_term.render.theme import Theme
from pi_term.render.wrap import wrap_runs
from pi_term.tui.choices import Choice
from pi_term.tui.keymap.table import KeyTable
from pi_term.tui.screens.choose import ChooseScreen

_MOST_ROWS = 18
_LEAST_ROWS = 3
_FRAME = 3  # rows of rules and hints around title, query and list
_INDENT = " "


@dataclass(frozen=True, slots=True)
class Remark:
    """A line of explanation in the colour `token`; long ones are wrapped."""

    text: str
    token: str = "muted"


class PickerScreen(ChooseScreen):
    """Dismissed with the value of the choice, or None when closed.

    `EXPLAINED` rows below the list explain what is selected (`explain`), `HINT` tells the keys. Of what is
    found, faded choices come last.
    """

    EXPLAINED = 0
    HINT = "enter chooses · esc closes"

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        theme: Theme,
        keys: KeyTable,
        at: int = 0,
        query: str = "",
    ) -> None:
        """`query` is what was searched for already."""
        super().__init__(title, choices, theme=theme, keys=keys, at=at)
        self._begun_with = query
        self._seen: str | None = None
        self.key_table = keys

    def on_mount(self) -> None:
        super().on_mount()
        if self._begun_with:
            self._search(self._begun_with)

    def explain(self, choice: Choice) -> Sequence[Remark]:
        """What is told about the selected choice."""
        return ()

    def show_selected(self, choice: Choice | None) -> None:
        """Another choice is the selected one."""

    def replace_choices(self, choices: Sequence[Choice]) -> None:
        """Show other choices in place of those there are, with the same one selected."""
        kept = self.selected
        self._choices = choices
        self._search(self._query)
        if kept is not None:
            self.select_value(kept.value)

    def select_value(self, value: str) -> None:
        """Select the choice of this value, if it is shown."""
        for place, number in enumerate(self._shown):
            if self._choices[number].value == value:
                self._at = place
                self._paint()
                return

    def _show(self, found: Sequence[int]) -> None:
        if self._query:
            found = sorted(found, key=lambda number: self._choices[number].faded)
        super()._show(found)

    def _paint(self) -> None:
        super()._paint()
        selected = self.selected
        value = None if selected is None else selected.value
        if value != self._seen:
            self._seen = value
            self.show_selected(selected)

    def _hint(self) -> str:
        return self.HINT

    def _title_style(self, row: int) -> Style:
        """Below the first row stands what is to be known, and what is wrong."""
        if row == 0:
            return super()._title_style(row)
        return self._theme.style("warning" if self._title_rows[row].startswith("!") else "muted")

    def _room(self) -> int:
        return max(_LEAST_ROWS, min(_MOST_ROWS, self._free - self.EXPLAINED))

    @property
    def _free(self) -> int:
        """Rows of the screen for the list and what explains it."""
        return self.app.size.height - _FRAME - len(self._head(self._width)) - int(self._searchable)

    def _below(self, width: int) -> list[Line]:
        if not self.EXPLAINED:
            return []
        selected = self.selected
        remarks = () if selected is None else self.explain(selected)
        rows: list[Line] = [EMPTY_LINE]
        for remark in remarks:
            style = self._theme.style(remark.token)
            margin = Margin.of_mark(Segment(_INDENT), width)
            rows += to_lines(wrap_runs([(sanitize(remark.text), style)], width - margin.cells - 1), margin)
        most = max(0, min(self.EXPLAINED, self._free - self._room()))
        return [*rows, *([EMPTY_LINE] * most)][:most]
