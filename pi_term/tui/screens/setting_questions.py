"""What is asked when a setting is changed: which value, and before that for which member of an object."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonValue, dumps_str
from pi_term.base.json_kinds import BAD
from pi_term.tui.choices import Choice
from pi_term.tui.screens.ask import AskScreen
from pi_term.tui.screens.choose import ChooseScreen
from pi_term.tui.setting_rows import SettingRow, members_of
from pi_term.tui.setting_values import editable_text, read_value

if TYPE_CHECKING:
    from textual.screen import ModalScreen

    from pi_term.render.theme import Theme
    from pi_term.tui.keymap.table import KeyTable

_ELSE = "…"  # the option that asks for another value


@dataclass(frozen=True, slots=True)
class SettingQuestions:
    """Asks on screens that `show` brings up; None is the answer to those that are closed.

    `suggested` are known values by key, and known names of the members that people add.
    """

    show: Callable[[ModalScreen[str | None]], Awaitable[str | None]]
    suggested: Mapping[str, Sequence[str]]
    theme: Theme
    keys: KeyTable

    async def member(self, row: SettingRow) -> SettingRow | None:
        """Which new member of the object is meant, and which field of it."""
        names = self.suggested.get(row.key, ())
        at = await self._choose(f"{row.key}\nFor which model?", [*names], 0, other="another model…")
        if at is None:
            return None
        name = names[int(at)] if at != _ELSE else await self._name(row)
        if name is None:
            return None
        fields = members_of(row.setting, name)
        if len(fields) == 1:
            return fields[0]
        chosen = await self._choose(
            f"{row.key}: {name}\nWhich value?", [each.member[-1] for each in fields], 0
        )
        return None if chosen is None else fields[int(chosen)]

    async def change(
        self, row: SettingRow, current: Any, own: Any, write: Callable[[JsonValue], Awaitable[None]]
    ) -> None:
        """Ask for a new value until one is written; what `write` refuses can be typed on.

        `current` is what holds, `own` what stands in the file that is written to.
        """
        options = row.kind.options or self.suggested.get(row.key)
        if options:
            shown = [each if isinstance(each, str) else dumps_str(each) for each in options]
            at = _place(row, options, current)
            other = "another value…" if row.kind.options is None else ""
            chosen = await self._choose(f"{row.key}\n{row.setting.doc}", shown, at, other=other, now=True)
            if chosen is None:
                return
            if chosen != _ELSE:
                await write(options[int(chosen)])
                return
        await self._ask(row, editable_text(own), write)

    async def _ask(self, row: SettingRow, text: str, write: Callable[[JsonValue], Awaitable[None]]) -> None:
        problem = ""
        while True:
            title = "\n".join(part for part in (row.key, row.setting.doc, problem or row.form) if part)
            answer = await self.show(AskScreen(title, theme=self.theme, keys=self.keys, prefill=text))
            if answer is None:
                return
            try:
                await write(read_value(row, answer))
                return
            except PiTermError as error:
                text, problem = answer, error.message

    async def _name(self, row: SettingRow) -> str | None:
        title = f"{row.key}\nFor which model? provider/model"
        answer = await self.show(AskScreen(title, theme=self.theme, keys=self.keys))
        return (answer or "").strip() or None

    async def _choose(
        self, title: str, labels: Sequence[str], at: int, *, other: str = "", now: bool = False
    ) -> str | None:
        """The number of the option, or `_ELSE`; with `now` the one `at` that place is marked as in force."""
        choices = [
            Choice(str(place), label, "← now" if now and place == at else "")
            for place, label in enumerate(labels)
        ]
        if other:
            choices.append(Choice(_ELSE, other))
        return await self.show(ChooseScreen(title, choices, theme=self.theme, keys=self.keys, at=max(0, at)))


def _place(row: SettingRow, options: Sequence[JsonValue], current: Any) -> int:
    """Which of the options is in force; -1 for none of them."""
    clean = [row.kind.clean(each, lambda path, message: None) for each in options]
    return next((at for at, each in enumerate(clean) if each is not BAD and each == current), -1)
