"""The Program Status Protocol (OSC 7501): terminals and dashboards learn what the program is doing.

Pi reports the same; the variable `PI_PROGRAM_STATUS` is its, too: "1" reports without asking, "0" never
does. Otherwise the terminal is asked, and nothing is reported unless it answers.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Literal, TypeAlias

from pi_term.base.sanitize import sanitize_line
from pi_term.base.text import shortened

ProgramState: TypeAlias = Literal["idle", "working", "blocked", "done", "error"]

_QUERY = "\x1b]7501;?\x1b\\"
_CLEAR = "\x1b]7501;state=clear\x1b\\"
_LONGEST = 200  # characters of a message


class ProgramStatus:
    """What is reported, and whether anybody listens."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        wish = environ.get("PI_PROGRAM_STATUS", "")
        self._heard = wish == "1"
        self._asked = wish in ("0", "1") or environ.get("TERM", "") in ("linux", "dumb", "")
        self._report = ""

    def enter(self) -> str:
        """The terminal is taken over, or taken back; the first time it is asked."""
        asked, self._asked = self._asked, True
        return ("" if asked else _QUERY) + (self._report if self._heard else "")

    def answered(self) -> str:
        """The terminal listens; returns what it missed."""
        heard, self._heard = self._heard, True
        return "" if heard else self._report

    def tell(self, state: ProgramState, message: str) -> str:
        """Report a state; returns the bytes."""
        safe = shortened(sanitize_line(message), _LONGEST).encode("utf-8", "replace")
        text = f":msg={base64.b64encode(safe).decode()}" if safe else ""
        report = f"\x1b]7501;state={state}:app=pi-term{text}\x1b\\"
        before, self._report = self._report, report
        return report if self._heard and report != before else ""

    def leave(self) -> str:
        """The terminal is given back."""
        return _CLEAR if self._heard and self._report else ""
