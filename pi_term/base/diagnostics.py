"""What is wrong with a file or a value, told in one shape everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pi_term.base.dataclass import dataclass

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about settings, themes, keymaps, sessions or models.

    `line` counts from 1; `key` is the dotted key in the file; `hint` says what to do.
    """

    severity: Severity
    message: str
    file: Path | None = None
    line: int | None = None
    key: str | None = None
    hint: str = ""

    def text(self) -> str:
        """One line for people: `settings.json:3: theme: must be a string (write …)`."""
        place = "" if self.file is None else str(self.file)
        if place and self.line is not None:
            place = f"{place}:{self.line}"
        parts = [part for part in (place, self.key, self.message) if part]
        return ": ".join(parts) + (f" ({self.hint})" if self.hint else "")
