"""Which tools are on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase

from pi_term.base.dataclass import dataclass
from pi_term.coding.settings.schema import change_selection
from pi_term.coding.tools.definition import ToolDefinition


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """What the command line or a program says about tools, beyond the settings.

    `names` replaces the default selection, in its order; `*` in a name stands for anything. A list of only
    `+name` and `-name` changes the default instead. `without` takes tools away from whatever is selected.
    `builtin` says whether the built-in tools are on by default, `own` the same of the program's own.
    """

    names: Sequence[str] | None = None
    without: Sequence[str] = ()
    builtin: bool = True
    own: bool = True

    def choose(
        self,
        default: Sequence[str],
        builtin: Mapping[str, ToolDefinition],
        own: Mapping[str, ToolDefinition],
    ) -> list[ToolDefinition]:
        """The tools that are on, of the `builtin` ones and the program's `own`; others do not count."""
        known = {**builtin, **own}
        selected = self._selected([*(default if self.builtin else ()), *(own if self.own else ())], known)
        return [
            known[name]
            for name in dict.fromkeys(selected)
            if name in known and not any(fnmatchcase(name, pattern) for pattern in self.without)
        ]

    def _selected(self, default: Sequence[str], known: Collection[str]) -> Sequence[str]:
        if self.names is None:
            return default
        if is_change(self.names):
            return change_selection(default, self.names)
        return [each for name in self.names for each in _meant(name, known)]

    def unknown(self, known: Collection[str]) -> list[str]:
        """The names that mean no tool."""
        names = [name.removeprefix("+") for name in self.names or () if not name.startswith("-")]
        return [name for name in names if not any(each in known for each in _meant(name, known))]


def is_change(names: Sequence[str]) -> bool:
    """Whether a list changes the default selection instead of replacing it."""
    return bool(names) and all(name[:1] in ("+", "-") for name in names)


def _meant(name: str, known: Collection[str]) -> Sequence[str]:
    return [each for each in known if fnmatchcase(each, name)] if "*" in name else [name]
