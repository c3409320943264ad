"""What an import came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pi_term.base.sanitize import sanitize_line

_MOST_NAMED = 8
PARTS: Final = ("sessions", "settings", "models", "keys", "themes", "prompts", "skills")


@dataclass(slots=True)
class Part:
    """One kind of thing: the names of what was `taken`, what was `there` already just so, what `differs`
    here and was kept, and what was `left` out, with the reason.
    """

    name: str
    taken: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def lines(self, width: int) -> list[str]:
        """One line that counts, and more about what was not taken over."""
        taken = "" if self.name == "sessions" else f" ({named(self.taken)})"
        counts = [f"{len(self.taken)} taken over{taken}"] if self.taken else []
        counts += [f"{len(self.there)} there already"] if self.there else []
        head = f"{self.name:<{width}}  {', '.join(counts) or 'nothing to take over'}"
        lines = [head]
        if self.differs:
            lines.append(f"{'':<{width}}  kept as it is here: {named(self.differs)}")
        lines += [f"{'':<{width}}  left out: {sanitize_line(each)}" for each in self.left]
        return lines


@dataclass(slots=True)
class ImportReport:
    """An import, part by part."""

    parts: dict[str, Part] = field(default_factory=lambda: {name: Part(name) for name in PARTS})

    def __getitem__(self, name: str) -> Part:
        return self.parts[name]

    @property
    def taken(self) -> int:
        """How many things were taken over."""
        return sum(len(part.taken) for part in self.parts.values())

    def text(self) -> str:
        """All of it for people, a line or more for each part."""
        width = max(len(name) for name in self.parts)
        return "\n".join(line for part in self.parts.values() for line in part.lines(width))

    def short(self) -> str:
        """What was taken over, in one line."""
        counts = [f"{len(part.taken)} {part.name}" for part in self.parts.values() if part.taken]
        kept = sum(len(part.differs) for part in self.parts.values())
        said = f"Taken over from Pi: {', '.join(counts) or 'nothing'}."
        return f"{said} {kept} kept as they are here." if kept else said


def named(names: list[str]) -> str:
    """The first of the names, and how many more there are."""
    shown = ", ".join(sanitize_line(each) for each in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
