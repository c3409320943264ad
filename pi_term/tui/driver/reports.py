"""What terminals tell beside keys: mouse, focus, modes, colours. Everything else they answer is dropped."""

from __future__ import annotations

import re

from textual import events, messages
from textual._xterm_parser import XTermParser
from textual.message import Message

_SGR_MOUSE = re.compile(rb"<(\d{1,3});-?\d{1,6};-?\d{1,6}")
_MODE = re.compile(rb"\?(\d{1,6});(\d)\$")
_SYNCHRONISED_OUTPUT = b"2026"
_MODE_AVAILABLE = frozenset(b"123")
_EXTRA_BUTTONS = 128
_PROGRAM_STATUS = b"7501;"
_COLOUR = re.compile(rb"1([01]);rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")


class TerminalColour(Message):
    """The terminal's answer to a query of its default colours (OSC 10 or 11).

    Attributes:
        background: True for the background colour, False for the text colour.
        rgb: Red, green and blue, 0 to 255 each.
    """

    def __init__(self, background: bool, rgb: tuple[int, int, int]) -> None:
        super().__init__()
        self.background = background
        self.rgb = rgb


class KeyboardReported(Message):
    """The terminal's answer to a query of its keyboard flags: it speaks the Kitty protocol."""


class ProgramStatusHeard(Message):
    """The terminal answered that it listens to the state of programs (OSC 7501)."""


class Reports:
    """Turns complete reports into Textual's messages; remembers the last place of the mouse."""

    def __init__(self) -> None:
        self._textual = XTermParser()

    def control(self, body: bytes, final: int) -> list[Message]:
        """The messages for `CSI body final` (`body`: parameters and intermediates)."""
        if not body and final in b"IO":
            return [events.AppFocus() if final == ord("I") else events.AppBlur()]
        if final in b"Mm":
            return self._mouse(body, final)
        if final == ord("u") and body[:1] == b"?":
            return [KeyboardReported()]
        if final == ord("y") and (mode := _MODE.fullmatch(body)):
            supported = mode[1] == _SYNCHRONISED_OUTPUT and mode[2][0] in _MODE_AVAILABLE
            return [messages.TerminalSupportsSynchronizedOutput()] if supported else []
        return []

    def _mouse(self, body: bytes, final: int) -> list[Message]:
        match = _SGR_MOUSE.fullmatch(body)
        # Textual would take the side buttons (128 and up) for the main ones.
        if match is None or int(match[1]) >= _EXTRA_BUTTONS:
            return []
        message = self._textual.parse_mouse_code(f"\x1b[{body.decode()}{chr(final)}")
        return [] if message is None else [message]

    def string(self, kind: int, body: bytes) -> list[Message]:
        """The messages for a control string; `kind` is the byte after ESC (`]`, `P`, `_`, `^` or `X`)."""
        if kind == ord("]") and body.startswith(_PROGRAM_STATUS):
            return [ProgramStatusHeard()]
        colour = _COLOUR.match(body) if kind == ord("]") else None
        if colour is None:
            return []
        red, green, blue = (
            int(digits, 16) * 255 // (16 ** len(digits) - 1) for digits in colour.groups()[1:]
        )
        return [TerminalColour(colour[1] == b"1", (red, green, blue))]
