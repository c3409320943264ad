"""Why a call failed, in a few words that fit behind its name."""

from __future__ import annotations

import re
from typing import NamedTuple

from pi_term.base.sanitize import sanitize_line
from pi_term.render.cells import fit
from pi_term.render.tools.output import last_lines

_LONGEST_STATUS = 200
"""Characters; a longer last paragraph is output."""
_HEAD = 400
"""Characters of an error that tell what it is."""
_LONGEST_LABEL = 40


class Failure(NamedTuple):
    """`label` is for the first row, "" if the text alone can tell. `called_off`: nothing went wrong, somebody
    did not want it any more. `times`: whether the label tells how long it took."""

    label: str
    called_off: bool = False
    times: bool = False


_ENDS = (
    (r"Command exited with code (-?\d+)", "exit {0}"),
    (r"Command killed by (\w+), exited with code (\d+)", "{0} (exit {1})"),
    (r"Command timed out after ([\d.]+) ?s\w*", "timed out after {0} s"),
)
"""How the last paragraph of a failed command tells its end."""
_CALLED_OFF = r"(?:Command|Operation|Request)(?: was)? aborted\.?|Cancelled\.?"
_KINDS = (
    (r"\AInvalid arguments|\AValidation failed|arguments of \S+ are incomplete", "bad arguments"),
    (r"\ATool \S+ not found", "no such tool"),
    (r"was not run: the answer hit its output limit", "not run: answer cut off"),
    (r"no such file or directory|\bENOENT\b|\b(?:file|path) not found\b|\bdoes not exist\b", "not found"),
    (r"permission denied|operation not permitted|\bEACCES\b|\bEPERM\b", "permission denied"),
    (r"read-only file system|\bEROFS\b", "read-only"),
    (r"no space left|disk quota exceeded|\bENOSPC\b", "disk full"),
    (r"\bis a directory\b|\bEISDIR\b", "is a directory"),
    (r"\bis not a (?:directory|regular file)|\bnot a directory\b|\bENOTDIR\b", "wrong kind of file"),
    (r"\bis past the end\b|\bbeyond (?:the )?end of (?:the )?file", "past the end"),
    (r"edits\[\d+\] and edits\[\d+\] overlap|\boverlap", "edits overlap"),
    (r"\bis in .+ times \(at lines|\bfound \d+ occurrences|must be unique", "not unique"),
    (r"\bwas not found in\b|could not find (?:the )?(?:exact )?text|could not find edits\[", "no match"),
    (r"\btimed out\b", "timed out"),
)
"""What an error begins with or says, and what to call it; the first that applies."""


def failure_of(text: str) -> Failure:
    """What the text of an error result amounts to."""
    _, status = parted(text)
    if re.fullmatch(_CALLED_OFF, status, re.IGNORECASE):
        return Failure("aborted", called_off=True)
    for pattern, label in _ENDS:
        if match := re.fullmatch(pattern, status):
            label = fit(label.format(*match.groups()), _LONGEST_LABEL)
            return Failure(label, times=label.startswith("timed out"))
    head = text[:_HEAD]
    kinds = (label for pattern, label in _KINDS if re.search(pattern, head, re.IGNORECASE))
    return Failure(next(kinds, ""))


def parted(text: str) -> tuple[str, str]:
    """The output of a failed command, and the last paragraph, which tells how it ended; "" if none does."""
    lines, _ = last_lines(text[-2 * _LONGEST_STATUS :], 2)
    status = sanitize_line(lines[-1]) if lines else ""
    if not status or len(status) > _LONGEST_STATUS or (len(lines) > 1 and lines[0]):
        return text, ""
    body = text.rstrip("\r\n")
    return body[: len(body) - len(lines[-1])].removesuffix("\n\n"), status
