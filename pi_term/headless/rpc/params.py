"""The parameters of a command, checked when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_term.ai.messages import ImageContent
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject


class Params:
    """What a command says; every method raises `PiTermError("bad_command")` naming the key."""

    def __init__(self, command: JsonObject) -> None:
        self._command = command

    @property
    def id(self) -> Any:
        """What the client calls the command; None: nothing."""
        return self._command.get("id")

    def text(self, key: str) -> str:
        """A string that has to be there."""
        value = self._command.get(key)
        if not isinstance(value, str):
            raise _bad(key, "must be a string")
        return value

    def optional_text(self, key: str) -> str | None:
        """A string, or None where there is none."""
        return None if self._command.get(key) is None else self.text(key)

    def flag(self, key: str) -> bool:
        """True or false; it has to be there."""
        value = self._command.get(key)
        if not isinstance(value, bool):
            raise _bad(key, "must be true or false")
        return value

    def optional_flag(self, key: str) -> bool:
        """True or false; false where there is none."""
        return self._command.get(key) is not None and self.flag(key)

    def choice(self, key: str, values: Sequence[str]) -> str:
        """One of `values`."""
        value = self._command.get(key)
        if value not in values:
            raise _bad(key, f"must be one of {', '.join(values)}")
        return str(value)

    def optional_choice(self, key: str, values: Sequence[str]) -> str | None:
        """One of `values`, or None where there is none."""
        return None if self._command.get(key) is None else self.choice(key, values)

    def images(self) -> list[ImageContent]:
        """The images of a prompt; none where there are none."""
        given = self._command.get("images")
        if given is None:
            return []
        if not isinstance(given, list) or not all(_is_image(each) for each in given):
            raise _bad("images", 'must be a list of {"type": "image", "data": BASE64, "mimeType": TYPE}')
        return [ImageContent(each["data"], each["mimeType"]) for each in given]


def _is_image(value: object) -> bool:
    if not isinstance(value, dict) or value.get("type", "image") != "image":
        return False
    return isinstance(value.get("data"), str) and isinstance(value.get("mimeType"), str)


def _bad(key: str, problem: str) -> PiTermError:
    return PiTermError("bad_command", f'"{key}" {problem}.')
