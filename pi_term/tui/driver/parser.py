"""From the bytes of a terminal to Textual's messages. Never raises, and never types what is no key.

Bytes may arrive cut anywhere: an unfinished sequence waits for the rest. Since a lone Escape and the start
of a sequence look alike, waiting has a `deadline`; who feeds the parser calls `expire` when it has passed
without more input. All times are seconds of one clock (`time.monotonic`), given by the caller.
"""

from __future__ import annotations

import os
import re
from codecs import getincrementaldecoder
from collections.abc import Mapping, Sequence

from textual.events import Key
from textual.message import Message

from pi_term.tui.driver.keys import LEGACY_SEQUENCES, alt_key, character_key, with_alt
from pi_term.tui.driver.modern import modern_keys
from pi_term.tui.driver.paste import PasteBuffer
from pi_term.tui.driver.reports import Reports
from pi_term.tui.driver.tokens import AMBIGUOUS, ESC, Kind, Piece, scan

_DEFAULT_ESCAPE_DELAY_MS = 40
_LONGEST_ESCAPE_DELAY_MS = 2000
_SEQUENCE_PATIENCE = 1.0
"""Seconds to wait for the rest of what is certainly a sequence, and then to still recognise that rest."""
_STRING_PATIENCE = 2.0
"""Seconds until an unfinished control string is given up."""
_KEPT_STRING_BYTES = 256
_PASTE_START = (b"200", ord("~"))

_CONTROL = re.compile(rb"[\x00-\x1f]")
_NOT_IN_SEQUENCE = re.compile(rb"[^ -?]")
_LATE_REST = re.compile(
    rb"\x1b(?:\[(?:[?<>=]?\d[\d;:]*[ $]?[@-~]|[A-DFHIOZ])|\]\d+;|P[01>!][+$|r]|_G)",
)
"""A sequence whose first bytes were taken for a key, or given up, before the rest came."""


def escape_delay(environ: Mapping[str, str] = os.environ) -> float:
    """Seconds until a lone Escape counts as the key: `ESCDELAY` (milliseconds), else 0.04."""
    value = environ.get("ESCDELAY", "")
    usable = value.isascii() and value.isdecimal() and len(value) < 7
    milliseconds = int(value) if usable else _DEFAULT_ESCAPE_DELAY_MS
    return min(max(milliseconds, 1), _LONGEST_ESCAPE_DELAY_MS) / 1000


class InputParser:
    """Parses the input of one terminal.

    Args:
        delay: Seconds until a lone Escape counts as the key; None takes it from the environment.
    """

    def __init__(self, delay: float | None = None) -> None:
        self.deadline: float | None = None
        """When to call `expire`; None while nothing waits."""
        self._delay = escape_delay() if delay is None else delay
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._reports = Reports()
        self._messages: list[Message] = []
        self._pending = b""
        self._late = b""
        self._late_until = 0.0
        self._alt_next = False
        self._skipping = False
        self._paste: PasteBuffer | None = None
        self._string: _ControlString | None = None

    def feed(self, data: bytes, now: float) -> list[Message]:
        """The messages completed by `data`, which arrived at `now`."""
        data = self._with_waiting(data, now)
        if self._string is not None and now >= self._string.expires:
            self._string = None
        position: int | None = 0
        while position is not None and position < len(data):
            start = position
            position = self._step(data, start, now)
            if position is None:
                self._pending = data[start:]
        self._set_deadline(now)
        return self._take_messages()

    def expire(self, now: float) -> list[Message]:
        """The messages due because nothing more arrived until `now`."""
        if self.deadline is None or now < self.deadline:
            return []
        pending, self._pending = self._pending, b""
        self._skipping = False
        if self._paste is not None:
            if (stalled := self._paste.stall()) is not None:
                self._messages.append(stalled)
        elif self._string is not None:
            self._string = None
            self._resolve(pending)
        elif pending:
            self._late = pending[1:] if pending.startswith(b"\x1b\x1b") else pending
            self._late_until = now + _SEQUENCE_PATIENCE
            if pending in AMBIGUOUS:
                self._resolve(pending)
        self._set_deadline(now)
        return self._take_messages()

    def _take_messages(self) -> list[Message]:
        taken, self._messages = self._messages, []
        return taken

    def _with_waiting(self, data: bytes, now: float) -> bytes:
        late, self._late = self._late, b""
        # One character after a resolved key is typing; a whole report in one read is not.
        if late and now <= self._late_until and len(data) > 1 and _LATE_REST.match(late + data):
            return late + data
        pending, self._pending = self._pending, b""
        return pending + data

    def _set_deadline(self, now: float) -> None:
        if self._paste is not None:
            self.deadline = None if self._paste.stalled else now + PasteBuffer.PATIENCE
        elif self._string is not None:
            self.deadline = self._string.expires
        elif self._pending:
            self.deadline = now + (self._delay if self._pending in AMBIGUOUS else _SEQUENCE_PATIENCE)
        else:
            self.deadline = now + _SEQUENCE_PATIENCE if self._skipping else None

    def _step(self, data: bytes, start: int, now: float) -> int | None:
        """Handle what begins at `start`; where the next begins, or None when the rest is missing."""
        if self._paste is not None:
            return self._continue_paste(self._paste, data, start)
        if self._string is not None:
            return self._continue_string(self._string, data, start)
        if self._skipping:
            return self._skip_sequence(data, start)
        if data[start] == ESC:
            piece = scan(data, start)
            if piece is None:
                return None
            self._type(b"", final=True)
            self._take(piece, now)
            return start + piece.size
        escape = data.find(ESC, start)
        end = len(data) if escape < 0 else escape
        self._type(data[start:end], final=False)
        return end

    def _type(self, data: bytes, final: bool) -> None:
        for character in self._decode(data, final):
            if self._alt_next:
                self._alt_next = False
                self._messages.append(alt_key(character))
            elif not "\x80" <= character < "\xa0":
                self._messages.append(character_key(character))

    def _take(self, piece: Piece, now: float) -> None:
        match piece.kind:
            case Kind.ESCAPE:
                self._messages.append(Key("escape", "\x1b"))
            case Kind.META:
                self._messages.append(alt_key(chr(piece.final)))
            case Kind.META_NEXT:
                self._alt_next = True
            case Kind.SEQUENCE:
                self._control_sequence(piece)
            case Kind.FUNCTION:
                self._emit([Key(*LEGACY_SEQUENCES[piece.body])], piece.escaped)
            case Kind.MODIFIED_FUNCTION:
                modifiers = piece.body.rpartition(b";")[2]
                self._emit(modern_keys(b"1;" + modifiers, piece.final) or [], piece.escaped)
            case Kind.STRING:
                self._string = _ControlString(piece.final, now + _STRING_PATIENCE)
            case Kind.OVERLONG:
                self._skipping = True
            case Kind.VOID:
                pass

    def _control_sequence(self, piece: Piece) -> None:
        keys = modern_keys(piece.body, piece.final)
        legacy = LEGACY_SEQUENCES.get(b"\x1b[%b%c" % (piece.body, piece.final))
        if keys is None and legacy is not None:
            keys = [Key(*legacy)]
        if keys is not None:
            self._emit(keys, piece.escaped)
            return
        self._emit([], piece.escaped)
        if (piece.body, piece.final) == _PASTE_START:
            self._paste = PasteBuffer()
        else:
            self._messages += self._reports.control(piece.body, piece.final)

    def _emit(self, keys: Sequence[Key], escaped: bool) -> None:
        """Add `keys`. An ESC before their sequence means Alt; before anything else it was the Escape key."""
        if not escaped:
            self._messages += keys
        elif keys:
            self._messages += [with_alt(key) for key in keys]
        else:
            self._messages.append(Key("escape", "\x1b"))

    def _resolve(self, pending: bytes) -> None:
        """Emit an ambiguous start of a sequence as the keys it consists of."""
        if pending.startswith(b"\x1b\x1b"):
            self._messages.append(Key("escape", "\x1b"))
            pending = pending[1:]
        if pending == b"\x1b":
            self._messages.append(Key("escape", "\x1b"))
        elif pending:
            self._messages.append(alt_key(chr(pending[1])))

    def _continue_paste(self, paste: PasteBuffer, data: bytes, start: int) -> int:
        if paste.stalled and paste.is_typing(data[start:]):
            self._paste = None
            return start
        size, message = paste.take(data[start:])
        if message is not None:
            self._paste = None
            self._messages.append(message)
        return start + size

    def _continue_string(self, string: _ControlString, data: bytes, start: int) -> int | None:
        match = _CONTROL.search(data, start)
        end = len(data) if match is None else match.start()
        string.add(data[start:end])
        if match is None or end > start:
            return end
        ended_by_st = data[end : end + 2] == b"\x1b\\"
        if data[end] == ESC and end + 1 == len(data):
            return None
        self._string = None
        if ended_by_st or data[end] == 0x07:
            self._messages += self._reports.string(string.kind, string.body)
            return end + (2 if ended_by_st else 1)
        # CAN and SUB only cancel the string. Any other control is a key: no answer contains one.
        return end + 1 if data[end] in b"\x18\x1a" else end

    def _skip_sequence(self, data: bytes, start: int) -> int:
        match = _NOT_IN_SEQUENCE.search(data, start)
        if match is None:
            return len(data)
        self._skipping = False
        return match.end() if b"@" <= match[0] <= b"~" else match.start()


class _ControlString:
    """A control string (OSC, DCS, APC, PM, SOS) that is still open."""

    def __init__(self, kind: int, expires: float) -> None:
        self.kind = kind
        self.expires = expires
        self.body = b""

    def add(self, data: bytes) -> None:
        """Append to the body, of which only the beginning is kept."""
        self.body = (self.body + data[:_KEPT_STRING_BYTES])[:_KEPT_STRING_BYTES]
