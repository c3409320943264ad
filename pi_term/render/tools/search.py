"""Calls of `grep`, `find` and `ls`: what was looked for, how much was found, and the beginning of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pi_term.base.sanitize import sanitize_line
from pi_term.render.cells import TERMINAL_TAB_WIDTH
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.sgr import SgrParser, plain_line
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.lazy import LazyRows, rows_of
from pi_term.render.tools.output import COLLAPSED, EXPANDED, first_lines, has_more, line_count, reason_rows
from pi_term.render.tools.panel import Panel, clipped
from pi_term.render.tools.renderer import Title

_FOUND = re.compile(r"(.+?)([:-])(\d+)\2 ", re.DOTALL)
"""What stands before a line that `grep` gives: the path, and the line's number between colons, or dashes for
a line that only stands near a match."""


class _SearchRenderer:
    """What the three have in common: lines, of which there may be none, and a note in brackets after them."""

    noun: str
    nouns: str
    limit: str
    """The key in the details that tells that there is more."""

    def title(self, call: ToolCallState) -> Title:
        """What the row says: the pattern and the place, then how much was found."""
        words = [sanitize_line(call.argument("pattern"))]
        if path := call.argument("path"):
            words.append(f"in {sanitize_line(path)}")
        return Title(
            " ".join(filter(None, words)), "  ".join(filter(None, (*self.options(call), self.outcome(call))))
        )

    def body(self, call: ToolCallState, panel: Panel) -> Sequence[Line]:
        """The lines found, as many as there is room for, and the note."""
        if call.status == "error":
            return reason_rows(call.text, panel)
        text, note = _parted(call)
        lines, hidden = first_lines(text, EXPANDED if panel.expanded else COLLAPSED)
        if hidden == 1 and not panel.expanded:
            lines, hidden = first_lines(text, COLLAPSED + 1)
        found = [self.parts(clipped(line)) for line in lines]
        counts = [
            rows_of(place + plain_line(rest), panel.room, TERMINAL_TAB_WIDTH) for place, rest, _ in found
        ]
        rows: Sequence[Line] = LazyRows(counts, lambda at: _rows(*found[at], panel))
        if not panel.expanded and len(rows) > 2 * COLLAPSED:
            rows, hidden = rows[: 2 * COLLAPSED], max(hidden, 1)
        hint = panel.hint(hidden) if hidden else []
        return JoinedLines([rows, hint, panel.words(sanitize_line(note), "warning") if note else []])

    def expandable(self, call: ToolCallState) -> bool:
        """Whether the body has more to show expanded."""
        return has_more(call.text if call.status == "error" else _parted(call)[0])

    def options(self, call: ToolCallState) -> Sequence[str]:
        """What else was asked for, in a few words."""
        return ()

    def outcome(self, call: ToolCallState) -> str:
        """How much was found: `12 files`, `1,000+ files`."""
        if call.status != "ok":
            return ""
        known = call.memo.get("found")
        if known is None:
            known = call.memo["found"] = self._found(call)
        return str(known)

    def count(self, text: str) -> int:
        """How many results the lines are."""
        return line_count(text)

    def parts(self, line: str) -> tuple[str, str, str]:
        """Where a line stands (sanitised), what it says, and the colour of that."""
        return "", line, "toolOutput"

    def _found(self, call: ToolCallState) -> str:
        details = call.details if isinstance(call.details, dict) else {}
        number = self.count(_parted(call)[0])
        if self.limit in details or "truncation" in details:
            return f"{number:,}+ {self.nouns}"
        return f"{f'{number:,}' if number else 'no'} {self.noun if number == 1 else self.nouns}"


def _parted(call: ToolCallState) -> tuple[str, str]:
    """The lines of a result, none if nothing was found, and the note without its brackets."""
    text, note = call.text, ""
    if text.endswith("]"):
        body, mark, end = text.rpartition("\n\n[")
        if mark:
            text, note = body, end[:-1]
    is_nothing = "\n" not in text and text.startswith(_NOTHINGS)
    return "" if is_nothing else text, note


_NOTHINGS = ("No matches found", "No files found matching pattern", "(empty directory)")


def _rows(place: str, text: str, token: str, panel: Panel) -> list[Line]:
    begin = [(place, panel.style("muted"))] if place else []
    return panel.rows([*begin, *SgrParser().runs(text, panel.style(token))], tab=TERMINAL_TAB_WIDTH)


class GrepRenderer(_SearchRenderer):
    """Lines that hold a pattern."""

    noun, nouns = "match", "matches"
    limit = "matchLimitReached"

    def options(self, call: ToolCallState) -> Sequence[str]:
        """The glob, and how the pattern is meant."""
        flags = (
            name
            for key, name in (("literal", "literal"), ("ignoreCase", "any case"))
            if call.args.get(key) is True
        )
        return (sanitize_line(call.argument("glob")), *flags)

    def count(self, text: str) -> int:
        """How many lines match; those around them do not count."""
        return sum(1 for line in text.split("\n") if (found := _FOUND.match(line)) and found[2] == ":")

    def parts(self, line: str) -> tuple[str, str, str]:
        """Where a line stands is set off from what it says; what only surrounds a match stands back."""
        found = _FOUND.match(line)
        if found is None:
            return super().parts(line)
        return sanitize_line(found[0]), line[found.end() :], "toolOutput" if found[2] == ":" else "dim"


class FindRenderer(_SearchRenderer):
    """Paths that fit a glob."""

    noun, nouns = "path", "paths"
    limit = "resultLimitReached"


class LsRenderer(_SearchRenderer):
    """What is in a folder."""

    noun, nouns = "name", "names"
    limit = "entryLimitReached"

    def title(self, call: ToolCallState) -> Title:
        """The folder, and how much is in it."""
        return Title(sanitize_line(call.argument("path") or "."), self.outcome(call), keep_end=True)
