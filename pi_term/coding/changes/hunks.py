"""Two states of a file, hunk by hunk: what can be taken back by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pi_term.base.dataclass import dataclass
from pi_term.coding.tools.edit.align import Span, aligned

CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that changed near to each other.

    Old lines [old_start, old_end) became new lines [new_start, new_end), counted from 0. `text` shows
    them with the lines around, in the form of an edit's `details.diff`.
    """

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    added: int
    removed: int
    text: str

    @property
    def place(self) -> str:
        """The lines of now that it is about, for people."""
        first, last = self.new_start + 1, self.new_end
        return f"line {first}" if last <= first else f"lines {first}-{last}"


def hunks_of(old: bytes, new: bytes) -> list[Hunk]:
    """The hunks that lead from `old` to `new`. Compares them: for a worker thread."""
    before, after = _split(old), _split(new)
    changed = [span for span in aligned(before, after) if not span.same]
    numbers = max(2, len(str(max(len(before), len(after)))))
    return [_hunk(group, before, after, numbers) for group in _grouped(changed)]


def without(new: bytes, old: bytes, hunk: Hunk) -> bytes:
    """`new` with the lines of `hunk` as they were in `old`."""
    before, after = _split(old), _split(new)
    lines = [*after[: hunk.new_start], *before[hunk.old_start : hunk.old_end], *after[hunk.new_end :]]
    return "".join(lines).encode("utf-8", "surrogateescape")


def _split(data: bytes) -> list[str]:
    """Only a line feed ends a line here: other ends are content that must not get lost."""
    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    last = lines.pop()
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def _grouped(changed: Sequence[Span]) -> Iterator[list[Span]]:
    """Changes whose surroundings meet belong together."""
    group: list[Span] = []
    for span in changed:
        if group and span.old_start - group[-1].old_end > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(span)
    if group:
        yield group


def _hunk(group: Sequence[Span], before: Sequence[str], after: Sequence[str], numbers: int) -> Hunk:
    first, last = group[0], group[-1]
    rows: list[str] = []
    at = max(0, first.old_start - CONTEXT_LINES)
    for span in group:
        rows += [_row(" ", number, before[number], numbers) for number in range(at, span.old_start)]
        rows += [_row("-", number, before[number], numbers) for number in range(span.old_start, span.old_end)]
        rows += [_row("+", number, after[number], numbers) for number in range(span.new_start, span.new_end)]
        at = span.old_end
    end = min(len(before), at + CONTEXT_LINES)
    rows += [_row(" ", number, before[number], numbers) for number in range(at, end)]
    return Hunk(
        first.old_start,
        last.old_end,
        first.new_start,
        last.new_end,
        sum(span.new_end - span.new_start for span in group),
        sum(span.old_end - span.old_start for span in group),
        "\n".join(rows),
    )


def _row(sign: str, number: int, line: str, numbers: int) -> str:
    text = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace").rstrip("\r\n")
    return f"{sign}{number + 1:>{numbers}} {text}"
