"""What an edit changed, as Pi's `details` of an edit: for eyes (`diff`), for programs (`patch`)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.coding.tools.edit.align import aligned
from pi_term.coding.tools.edit.source import Source, pieces, printable

if TYPE_CHECKING:
    from pi_term.coding.tools.edit.apply import Splice

CONTEXT_LINES = 4


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the diff. `number` is its own: of the new text for added lines, else of the old."""

    sign: Literal[" ", "-", "+"]
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class _Change:
    """Old lines [start, end) become `added`, whose first is line `new_start` of the new text (from 0)."""

    start: int
    end: int
    new_start: int
    added: list[str]


class EditDiff:
    """The difference that splices make to a source."""

    def __init__(self, source: Source, splices: Sequence[Splice], path: str) -> None:
        self._source = source
        self._path = path
        self._changes = list(_changes(source, splices))

    def details(self) -> JsonObject:
        """`diff`, `patch` and `firstChangedLine`, as Pi's sessions have them."""
        first = self._changes[0].new_start + 1 if self._changes else None
        return {"diff": self._display(), "patch": self._patch(), "firstChangedLine": first}

    @property
    def added(self) -> int:
        """How many lines came."""
        return sum(len(change.added) for change in self._changes)

    @property
    def removed(self) -> int:
        """How many lines went."""
        return sum(change.end - change.start for change in self._changes)

    def _hunks(self) -> Iterator[list[_Change]]:
        """Changes whose context lines meet belong together."""
        hunk: list[_Change] = []
        for change in self._changes:
            if hunk and change.start - hunk[-1].end > 2 * CONTEXT_LINES:
                yield hunk
                hunk = []
            hunk.append(change)
        if hunk:
            yield hunk

    def _range(self, hunk: list[_Change]) -> tuple[int, int]:
        """The old lines of a hunk, context included."""
        last = min(len(self._source.line_starts), hunk[-1].end + CONTEXT_LINES)
        return max(0, hunk[0].start - CONTEXT_LINES), last

    def _rows(self, hunk: list[_Change]) -> Iterator[_Row]:
        position, end = self._range(hunk)
        for change in hunk:
            yield from self._old_rows(" ", position, change.start)
            yield from self._old_rows("-", change.start, change.end)
            for number, text in enumerate(change.added, change.new_start + 1):
                yield _Row("+", number, text)
            position = change.end
        yield from self._old_rows(" ", position, end)

    def _old_rows(self, sign: Literal[" ", "-"], start: int, end: int) -> Iterator[_Row]:
        for line in range(start, end):
            yield _Row(sign, line + 1, _line(self._source, line))

    def _display(self) -> str:
        count = self._source.text.count("\n") + 1
        grown = sum(_newlines(change.added) - self._newlines_of(change) for change in self._changes)
        width = len(str(max(count, count + grown)))
        gap = f" {'':{width}} ..."
        out: list[str] = []
        shown_to = 0
        for hunk in self._hunks():
            start, end = self._range(hunk)
            out += [gap] if start > shown_to else []
            out += [
                f"{row.sign}{row.number:>{width}} {row.text.removesuffix(chr(10))}"
                for row in self._rows(hunk)
            ]
            shown_to = end
        out += [gap] if out and shown_to < len(self._source.line_starts) else []
        return printable("\n".join(out))

    def _newlines_of(self, change: _Change) -> int:
        return _newlines(_line(self._source, line) for line in range(change.start, change.end))

    def _patch(self) -> str:
        out = [f"--- {self._path}\n", f"+++ {self._path}\n"]
        for hunk in self._hunks():
            start, end = self._range(hunk)
            new_start = start + hunk[0].new_start - hunk[0].start
            grown = sum(len(change.added) - (change.end - change.start) for change in hunk)
            out.append(
                f"@@ -{_from_to(start, end)} +{_from_to(new_start, new_start + end - start + grown)} @@\n"
            )
            for row in self._rows(hunk):
                ended = row.text.endswith("\n")
                out.append(
                    f"{row.sign}{row.text}"
                    if ended
                    else f"{row.sign}{row.text}\n\\ No newline at end of file\n"
                )
        return printable("".join(out))


def _from_to(start: int, end: int) -> str:
    """A hunk's range: first line and count; an empty range names the line before it."""
    return f"{start + 1 if end > start else start},{end - start}"


def _changes(source: Source, splices: Sequence[Splice]) -> Iterator[_Change]:
    """Each splice widened to whole lines (together with others on those lines), then only what differs."""
    grown = 0
    for start, end, new in _passages(source, splices):
        old = [_line(source, line) for line in range(start, end)]
        for span in aligned(old, new):
            if not span.same:
                added = new[span.new_start : span.new_end]
                begin = start + grown + span.new_start
                yield _Change(start + span.old_start, start + span.old_end, begin, added)
        grown += len(new) - len(old)


def _passages(source: Source, splices: Sequence[Splice]) -> Iterator[tuple[int, int, list[str]]]:
    """Old lines [start, end) and the new lines in their place."""
    lines = _Lines(source)
    index = 0
    while index < len(splices):
        start, end = lines.around(splices[index])
        group = [splices[index]]
        index += 1
        while index < len(splices) and lines.around(splices[index])[0] <= end:
            group.append(splices[index])
            end = lines.around(splices[index])[1]
            index += 1
        yield start, end, pieces(lines.spliced(start, end, group))


class _Lines:
    """Whole lines around positions of a source."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def around(self, splice: Splice) -> tuple[int, int]:
        """The lines [start, end) that a splice touches; one that ends a line's end joins the next to it."""
        starts = self._source.line_starts
        if not starts:
            return 0, 0
        first = max(0, bisect_right(starts, splice.start) - 1)
        end = bisect_left(starts, splice.end)
        joins = splice.plain != "" and not splice.plain.endswith("\n")
        if splice.end in starts[end : end + 1] and (joins or splice.start != starts[first]):
            end += 1
        return first, max(end, first + 1)

    def spliced(self, start: int, end: int, splices: Sequence[Splice]) -> str:
        """The lines [start, end) with the splices put in."""
        starts, text = self._source.line_starts, self._source.text
        position = starts[start] if start < len(starts) else len(text)
        last = starts[end] if end < len(starts) else len(text)
        parts: list[str] = []
        for each in splices:
            parts += [text[position : each.start], each.plain]
            position = each.end
        return "".join([*parts, text[position:last]])


def _line(source: Source, number: int) -> str:
    starts = source.line_starts
    return source.text[starts[number] : starts[number + 1] if number + 1 < len(starts) else len(source.text)]


def _newlines(lines: Iterable[str]) -> int:
    return sum(line.endswith("\n") for line in lines)
