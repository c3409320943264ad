"""Applying edits: each located in the original text, all or none, touching nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from pi_term.agent.tools import ToolError
from pi_term.base.dataclass import dataclass
from pi_term.coding.tools.edit.align import aligned
from pi_term.coding.tools.edit.matching import MAX_COUNTED, Folded, Match, find_matches
from pi_term.coding.tools.edit.source import Source, pieces, with_plain_ends

_NAMED_LINES = 5


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old`, which must be there exactly once, by `new`. Line ends of both do not matter."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Splice:
    """`raw` takes the place of `text[start:end]` of the source; `plain` is `raw` with plain line ends."""

    start: int
    end: int
    raw: str
    plain: str


def locate(source: Source, edits: Sequence[Edit], path: str) -> list[Splice]:
    """What each edit changes, in the order of the file; raises `ToolError` unless all of them are sound."""
    return _Locator(source, edits, path).locate()


def splice(source: Source, splices: Sequence[Splice]) -> str:
    """The raw text with the splices (ordered, apart from each other) put in."""
    parts: list[str] = []
    position = 0
    for each in splices:
        parts += [source.raw_slice(position, each.start), each.raw]
        position = each.end
    parts.append(source.raw_slice(position, len(source.text)))
    return _joined(parts)


def _joined(parts: list[str]) -> str:
    """The parts in a row. Where a lone CR would meet a LF and so become one line end, a CR keeps them two."""
    out: list[str] = []
    for part in filter(None, parts):
        if out and out[-1].endswith("\r") and part.startswith("\n"):
            out.append("\r")
        out.append(part)
    return "".join(out)


class _Locator:
    def __init__(self, source: Source, edits: Sequence[Edit], path: str) -> None:
        self._source = source
        self._edits = [Edit(with_plain_ends(edit.old), with_plain_ends(edit.new)) for edit in edits]
        self._path = path

    @cached_property
    def _folded(self) -> Folded:
        return Folded(self._source.text)

    def locate(self) -> list[Splice]:
        if not self._edits:
            raise ToolError(f"edits is empty: nothing to change in {self._path}.")
        for number, edit in enumerate(self._edits):
            if not edit.old:
                raise ToolError(f"{self._name(number)} must not be empty (in {self._path}).")
            if not edit.new.isascii() and self._source.is_legacy:
                raise ToolError(self._unwritable(edit.new))
        found = sorted(
            ((self._the_match(number), number) for number in range(len(self._edits))),
            key=lambda pair: (pair[0].start, pair[0].end),
        )
        for (one, first), (other, second) in pairwise(found):
            if other.start < one.end:
                raise ToolError(self._overlap(first, second, other.start))
        return [self._splice(self._edits[number], match) for match, number in found]

    def _name(self, number: int) -> str:
        return f"edits[{number}].oldText" if len(self._edits) > 1 else "oldText"

    def _the_match(self, number: int) -> Match:
        matches = find_matches(self._source.text, self._edits[number].old, lambda: self._folded)
        if not matches:
            raise ToolError(self._missing(number))
        if len(matches) > 1:
            raise ToolError(self._ambiguous(number, matches))
        return matches[0]

    def _unwritable(self, new: str) -> str:
        character = next(each for each in new if not each.isascii())
        return (
            f"{self._path} is not UTF-8 and does not say what it is, so that nobody knows how to write "
            f"{character} in it. Its other text can be edited; for this, convert it first (iconv)."
        )

    def _missing(self, number: int) -> str:
        text = (
            f"{self._name(number)} was not found in {self._path}. "
            "It must repeat the file's text exactly, with its spaces and line breaks."
        )
        if "\ufffd" in self._edits[number].old:
            text += " The character \ufffd stands for bytes that are no text; edit around it."
        return text

    def _ambiguous(self, number: int, matches: list[Match]) -> str:
        lines = ", ".join(str(self._line(match.start)) for match in matches[:_NAMED_LINES])
        more = ", …" if len(matches) > _NAMED_LINES else ""
        count = f"at least {MAX_COUNTED}" if len(matches) == MAX_COUNTED else len(matches)
        return (
            f"{self._name(number)} is in {self._path} {count} times (at lines {lines}{more}). "
            "It must be unique: add lines around it."
        )

    def _overlap(self, first: int, second: int, position: int) -> str:
        one, other = sorted((first, second))
        return (
            f"edits[{one}] and edits[{other}] overlap in {self._path} (at line {self._line(position)}). "
            "Make them one edit."
        )

    def _line(self, position: int) -> int:
        return self._source.text.count("\n", 0, position) + 1

    def _splice(self, edit: Edit, match: Match) -> Splice:
        raw = _replacement(self._source, edit, match)
        return Splice(match.start, match.end, raw, with_plain_ends(raw))


def _replacement(source: Source, edit: Edit, match: Match) -> str:
    """The new text in the file's own line ends.

    New lines end like the line where the match begins. Lines that old and new text have in common keep
    their characters and ends, even where the match was loose or the ends are mixed.
    """
    end = source.line_end_at(match.start)
    before = source.raw_slice(match.start, match.end)
    if before == edit.old.replace("\n", end):
        return edit.new.replace("\n", end)
    kept = _raw_pieces(source, match)
    old, new = pieces(edit.old), pieces(edit.new)
    parts: list[str] = []
    for change in aligned(old, new):
        if change.same:
            parts += kept[change.old_start : change.old_end]
        else:
            parts += [line.replace("\n", end) for line in new[change.new_start : change.new_end]]
    return _joined(parts)


def _raw_pieces(source: Source, match: Match) -> list[str]:
    """The raw text of each line of the match."""
    out: list[str] = []
    position = match.start
    for line in pieces(source.text[match.start : match.end]):
        out.append(source.raw_slice(position, position + len(line)))
        position += len(line)
    return out
