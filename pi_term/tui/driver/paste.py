"""Bracketed paste: everything up to the end mark is text, whatever it contains."""

from __future__ import annotations

from textual.events import Paste

_END = b"\x1b[201~"
_LONGEST_TYPED = 8


class PasteBuffer:
    """Collects the text of one paste."""

    PATIENCE = 5.0
    """Seconds without input after which the end mark may have been lost."""

    def __init__(self) -> None:
        self.stalled = False
        self._buffer = bytearray()

    def take(self, data: bytes) -> tuple[int, Paste | None]:
        """Append from `data`; how many bytes belong to the paste, and the paste when that ended it."""
        known = len(self._buffer)
        self._buffer += data
        end = self._buffer.find(_END, max(0, known - len(_END) + 1))
        if end < 0:
            return len(data), None
        taken = end + len(_END) - known
        return taken, Paste(_text(self._buffer[:end]))

    def stall(self) -> Paste | None:
        """Give out what arrived so far, because nothing more does. The paste is not over by that.

        To end it here would type the rest of a slow paste as keys, line by line into the prompt.
        """
        self.stalled = True
        held = self._held_back()
        text = _text(self._buffer[: len(self._buffer) - held])
        del self._buffer[: len(self._buffer) - held]
        return Paste(text) if text else None

    def is_typing(self, data: bytes) -> bool:
        """Whether `data`, read after a stall, looks like single keys: then the end mark was lost."""
        return len(data) <= _LONGEST_TYPED and _END not in self._buffer + data

    def _held_back(self) -> int:
        """Length of the end of the buffer that may begin the end mark."""
        return max(n for n in range(len(_END)) if self._buffer.endswith(_END[:n]))


def _text(data: bytes | bytearray) -> str:
    # Terminals send CR for every line end of the clipboard, some also keep CRLF.
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
