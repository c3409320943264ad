"""The JSON text of a tool call's arguments, while it arrives and when it is whole.

While it streams, people want to see what there is: `value` is the object as far as it can be read.
Re-reading everything for each piece would cost quadratic time, so it is read again only when it has
grown by a sixteenth: at most that much is stale, and the work stays linear. Only the whole text counts
for running a tool, and it is read strictly: nothing is repaired or guessed.
"""

from __future__ import annotations

import re

import jiter

from pi_term.base.json import JsonError, JsonObject, loads

_GROWTH_SHIFT = 4
# Half of an escaped surrogate pair at the end, which would make the parser drop the whole string.
_HALF_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z")
_LONGEST_HALF_PAIR = 12


class PartialArguments:
    """Collects the pieces of one call's arguments."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._read_up_to = 0
        self.value: JsonObject = {}

    def feed(self, piece: str) -> JsonObject | None:
        """Add text; gives the object so far when it was read anew, else None."""
        self._text += piece.encode("utf-8", "surrogatepass")
        if len(self._text) - self._read_up_to <= self._read_up_to >> _GROWTH_SHIFT:
            return None
        return self.refresh()

    def refresh(self) -> JsonObject:
        """Read the object anew from all that has arrived."""
        self._read_up_to = len(self._text)
        half = _HALF_PAIR.search(self._text, max(0, len(self._text) - _LONGEST_HALF_PAIR))
        whole = bytes(self._text[: half.start()] if half else self._text)
        try:
            value = jiter.from_json(whole, partial_mode="trailing-strings", cache_mode="keys")
        except ValueError:
            # What came may be no JSON at all; the object read before stays on show.
            return self.value
        if isinstance(value, dict):
            self.value = value
        return self.value

    @property
    def text(self) -> str:
        """All that was received."""
        return self._text.decode("utf-8", "replace")

    def finish(self) -> JsonObject | None:
        """The arguments, or None where the text is no JSON object. No text at all means no arguments."""
        if not self._text.strip():
            return {}
        try:
            value = loads(bytes(self._text))
        except JsonError:
            return None
        return value if isinstance(value, dict) else None
