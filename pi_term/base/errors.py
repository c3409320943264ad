"""The one tree of errors that people get to see."""

from __future__ import annotations

from collections.abc import Sequence


class PiTermError(Exception):
    """Something went wrong in a way a user can understand.

    `code` is a stable name for programs (`"no_key"`), `message` a sentence for people,
    `hint` what to do about it ("" where nothing helps). `findings` are lines about what else was found
    wrong and may be the cause.
    """

    def __init__(self, code: str, message: str, hint: str = "", findings: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.findings = tuple(findings)

    def text(self) -> str:
        """Message and hint in one line."""
        return f"{self.message} {self.hint}" if self.hint else self.message
