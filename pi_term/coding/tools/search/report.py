"""What ripgrep says of a search beside its results: what it left out or could not read, why it failed.

It tells what it left out only in its debugging log. Should a version word that otherwise, the notes of
ignored files and, in `find`, symbolic links are missing, and nothing else.
"""

from __future__ import annotations

import re

from pi_term.base.dataclass import dataclass
from pi_term.coding.tools.search.paths import ROOT, outside_git

DEBUG = "--debug"

_ENTRIES = re.compile(r"^(?:rg: )?DEBUG\|", re.MULTILINE)
_LEFT_OUT = re.compile(
    r"[^|\n]*\|[^\n]*?: ignoring (.*?): (?:Ignore\(IgnoreMatch\((\w+)|failed to pass )", re.DOTALL
)
_UNREADABLE = re.compile(r"(?:rg: )?(.*?): ([^:\n]+) \(os error \d+\)$")
_EXIT = re.compile(r"\s(\d+)\s*\Z")
_FAILED = 2
_NOT_FOUND = (126, 127)


@dataclass(frozen=True, slots=True)
class Report:
    """The log of a run.

    `ignored`: files and folders that an ignore file left out, the topmost only; which of the two is not
    known. `special`: symbolic links, pipes and the like, which are never searched. `unreadable`: a path and
    a cause for each. `failure`: why nothing was searched, in ripgrep's words. `is_missing`: there is no
    ripgrep.
    """

    ignored: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    failure: str = ""
    is_missing: bool = False


def read_log(log: str | None) -> Report:
    """The report in a log, which ends with the exit code; without one, nothing is known."""
    end = _EXIT.search(log) if log else None
    if log is None or end is None:
        return Report()
    code = int(end[1])
    messages, *entries = _ENTRIES.split(log[: end.start()])
    ignored: list[str] = []
    special: list[str] = []
    for entry in entries:
        found = _LEFT_OUT.match(entry)
        if found:
            kind = {"Gitignore": ignored, None: special}.get(found[2])
            if kind is not None:
                kind.append(found[1].removeprefix(ROOT))
        messages += entry[_line_end(entry, found.end() if found else 0) :]
    unreadable, others = _sorted_out(messages)
    failure = "\n".join(others).removeprefix("rg: ") if code == _FAILED else ""
    return Report(
        tuple(sorted(outside_git(ignored))),
        tuple(special),
        tuple(unreadable),
        failure,
        is_missing=code in _NOT_FOUND,
    )


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1


def _sorted_out(messages: str) -> tuple[list[str], list[str]]:
    """What could not be read, and the other messages."""
    unreadable: list[str] = []
    others: list[str] = []
    for line in messages.split("\n"):
        if found := _UNREADABLE.match(line):
            unreadable.append(f"{found[1].removeprefix(ROOT)} ({found[2]})")
        elif line.strip():
            others.append(line)
    return unreadable, others
