"""The grammar of what terminals send after an ESC byte.

`scan` names the piece that begins at an ESC; it knows no state and no time, so the same bytes give the same
pieces however they were cut.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from pi_term.base.dataclass import dataclass
from pi_term.tui.driver.keys import LEGACY_SEQUENCES

ESC = 0x1B
STRING_LEADS = b"]P_^X"
LONGEST_SEQUENCE = 4096

AMBIGUOUS = frozenset(
    [b"\x1b", b"\x1b\x1b", b"\x1b\x1b[", b"\x1b\x1bO", *(b"\x1b%c" % c for c in b"[O]P_^X")]
)
"""Unfinished input that is either complete keys or the start of a sequence."""

# A mouse outside of the window is reported with a minus sign, against all grammar.
_CONTROL_SEQUENCE = re.compile(rb"(<[-0-?]*|[0-?]*)([ -/]*)([@-~])?")
_SINGLE_SHIFT = re.compile(rb"([\d;]*)([ -~])?")
_RXVT_SHIFTED = re.compile(rb"\d{1,2}\$")
_OLD_MOUSE_BYTES = 3


class Kind(Enum):
    """What a piece is."""

    ESCAPE = auto()
    """The Escape key alone."""
    META = auto()
    """ESC and one ASCII character: a key with Alt."""
    META_NEXT = auto()
    """ESC before a character of several bytes, which follows."""
    SEQUENCE = auto()
    """A control sequence: CSI, `body`, `final`."""
    FUNCTION = auto()
    """A function key that the legacy table names by `body`, the whole sequence."""
    MODIFIED_FUNCTION = auto()
    """A function key of an old terminal: modifiers in `body`, the key in `final`."""
    STRING = auto()
    """The opening of a control string; `final` is its lead byte."""
    OVERLONG = auto()
    """The beginning of a sequence that is longer than any real one."""
    VOID = auto()
    """Bytes that mean nothing."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of input: `size` bytes from its ESC on; `escaped` when one more ESC preceded the sequence."""

    kind: Kind
    size: int
    body: bytes = b""
    final: int = 0
    escaped: bool = False


def scan(data: bytes, start: int) -> Piece | None:
    """The piece at `start`, where an ESC byte is; None while its end is missing."""
    if len(data) == start + 1:
        return None
    lead = data[start + 1]
    if lead == ESC:
        return _after_two_escapes(data, start)
    if lead in b"[O":
        return _sequence(data, start, start + 2, escaped=False)
    if lead in STRING_LEADS:
        if len(data) == start + 2:
            return None
        # No string begins with a control character: that is Alt with the lead, and another key.
        kind = Kind.STRING if data[start + 2] >= 0x20 else Kind.META
        return Piece(kind, 2, final=lead)
    return Piece(Kind.META, 2, final=lead) if lead < 0x80 else Piece(Kind.META_NEXT, 1)


def _after_two_escapes(data: bytes, start: int) -> Piece | None:
    if len(data) == start + 2:
        return None
    if data[start + 2] in b"[O":
        return _sequence(data, start, start + 3, escaped=True)
    return Piece(Kind.ESCAPE, 1)


def _sequence(data: bytes, start: int, body: int, escaped: bool) -> Piece | None:
    if data[body - 1] == ord("O"):
        return _single_shift(data, start, body, escaped)
    if data[body : body + 1] == b"[":
        return _linux_function_key(data, start, body, escaped)
    match = _CONTROL_SEQUENCE.match(data, body)
    assert match is not None
    parameters, intermediates, final = match.groups()
    if intermediates[:1] == b"$" and _RXVT_SHIFTED.fullmatch(parameters + b"$"):
        name = b"\x1b[" + parameters + b"$"
        if name in LEGACY_SEQUENCES:
            return Piece(Kind.FUNCTION, match.end(1) + 1 - start, name, escaped=escaped)
    if final is None:
        return _unfinished(data, start, match.end())
    if final == b"M" and match.end() == body + 1:
        return _old_mouse(data, start, body + 1, escaped)
    size = match.end() - start
    if size > LONGEST_SEQUENCE:
        return Piece(Kind.VOID, size)
    return Piece(Kind.SEQUENCE, size, parameters + intermediates, final[0], escaped)


def _unfinished(data: bytes, start: int, end: int) -> Piece | None:
    if end < len(data):
        # A byte stands there that no sequence can hold: what came before it is void.
        return Piece(Kind.VOID, end - start)
    return None if end - start < LONGEST_SEQUENCE else Piece(Kind.OVERLONG, end - start)


def _single_shift(data: bytes, start: int, body: int, escaped: bool) -> Piece | None:
    match = _SINGLE_SHIFT.match(data, body)
    assert match is not None
    modifiers, final = match.groups()
    if final is None and match.end() == len(data):
        return _unfinished(data, start, match.end())
    size = match.end() - start
    if size > LONGEST_SEQUENCE:
        return Piece(Kind.VOID, size)
    if final is not None and modifiers:
        return Piece(Kind.MODIFIED_FUNCTION, size, modifiers, final[0], escaped)
    name = b"\x1bO" + (final or b"")
    if name in LEGACY_SEQUENCES:
        return Piece(Kind.FUNCTION, size, name, escaped=escaped)
    return Piece(Kind.ESCAPE, 1) if escaped else Piece(Kind.META, 2, final=ord("O"))


def _linux_function_key(data: bytes, start: int, body: int, escaped: bool) -> Piece | None:
    if len(data) == body + 1:
        return None
    name = b"\x1b[[" + data[body + 1 : body + 2]
    if name in LEGACY_SEQUENCES:
        return Piece(Kind.FUNCTION, body + 2 - start, name, escaped=escaped)
    return Piece(Kind.VOID, body + 1 - start)


def _old_mouse(data: bytes, start: int, body: int, escaped: bool) -> Piece | None:
    """`CSI M` and three bytes: the mouse of terminals that lack the newer form, which alone is used."""
    for end in range(body, body + _OLD_MOUSE_BYTES):
        if end == len(data):
            return None
        if data[end] < 0x20:
            return Piece(Kind.VOID, end - start)
    end = body + _OLD_MOUSE_BYTES
    return Piece(Kind.ESCAPE, 1) if escaped else Piece(Kind.VOID, end - start)
