"""What an import came to."""

from __future__ import annotations

from dataclasses import field
from typing import Final

from pi_term.base.dataclass import dataclass
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
        """What came of it, in one line."""
        counts = [_counted(part) for part in self.parts.values() if part.taken]
        kept = sum(len(part.differs) for part in self.parts.values())
        left = [each for part in self.parts.values() for each in part.left]
        said = [f"Taken over from Pi: {', '.join(counts) or 'nothing'}."]
        said += [f"Kept as it is here: {kept}."] if kept else []
        said += [f"Left out: {sanitize_line('; '.join(left))}."] if left else []
        return " ".join(said)


def _counted(part: Part) -> str:
    count = len(part.taken)
    return f"{count} {part.name if count > 1 else part.name.removesuffix('s')}"


def named(names: list[str]) -> str:
    """The first of the names, and how many more there are."""
    shown = ", ".join(sanitize_line(each) for each in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
