"""The JSON text of a tool call's arguments, while it arrives and when it is whole.

While it streams, people want to see what there is: `value` is the object as far as it has come. Only the
whole text counts for running a tool, and it is read strictly: nothing is repaired or guessed.
"""

from __future__ import annotations

from pi_term.ai.growing_json import GrowingObject
from pi_term.base.json import JsonError, JsonObject, loads


class PartialArguments:
    """Collects the pieces of one call's arguments."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._object = GrowingObject()

    def feed(self, piece: str) -> JsonObject:
        """Add text; gives the object so far, which is always the same one, grown."""
        self._text += piece.encode("utf-8", "surrogatepass")
        self._object.feed(piece)
        return self.value

    @property
    def value(self) -> JsonObject:
        """The object as far as it has come; where the text is no JSON, as far as it was."""
        return self._object.value

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
