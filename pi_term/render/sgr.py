"""The colours of what commands print: SGR sequences turned into styles, everything else removed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from rich.color import Color
from rich.style import Style

from pi_term.base.sanitize import sanitize, sanitize_keep_sgr
from pi_term.render.wrap import Run

_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_UNDERLINE_KIND = re.compile(r"(?<![0-9:])4:([0-9])")
_SWITCHES: dict[int, tuple[str, bool | None]] = {
    1: ("bold", True),
    2: ("dim", True),
    3: ("italic", True),
    4: ("underline", True),
    7: ("reverse", True),
    9: ("strike", True),
    21: ("underline", True),
    23: ("italic", None),
    24: ("underline", None),
    27: ("reverse", None),
    29: ("strike", None),
}


class _State(NamedTuple):
    """What the sequences so far have switched on."""

    color: Color | None = None
    bgcolor: Color | None = None
    bold: bool | None = None
    dim: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    reverse: bool | None = None
    strike: bool | None = None


_PLAIN = _State()


class SgrParser:
    """Styles of successive lines; a colour that one line switches on goes on in the next."""

    def __init__(self) -> None:
        self._state = _PLAIN

    def runs(self, line: str, base: Style) -> list[Run]:
        """The styled pieces of one raw line of output (no newline in it), on top of `base`.

        Of a line drawn over with carriage returns they are those of its last state.
        """
        before, line = _drawn_over(line)
        self.skip(before)
        text = sanitize_keep_sgr(line)
        if "\x1b" not in text:
            return [(text, self._style(base))]
        runs: list[Run] = []
        at = 0
        for match in _SGR.finditer(text):
            if match.start() > at:
                runs.append((text[at : match.start()], self._style(base)))
            self._state = _applied(self._state, match[1])
            at = match.end()
        runs.append((text[at:], self._style(base)))
        return runs

    def skip(self, text: str) -> None:
        """Text that is not shown, but may switch colours on that go on."""
        if "\x1b[" in text:
            for match in _SGR.finditer(text):
                self._state = _applied(self._state, match[1])

    def _style(self, base: Style) -> Style:
        return base if self._state is _PLAIN else _combined(base, self._state)


def plain_line(line: str) -> str:
    """What of a raw line is shown, without colours."""
    text = sanitize_keep_sgr(_drawn_over(line)[1])
    return _SGR.sub("", text) if "\x1b" in text else text


def plain_lines(lines: Sequence[str]) -> list[str]:
    """`plain_line` of many lines, at once where there is nothing but colours in them."""
    text = _SGR.sub("", "\n".join(lines))
    if "\r" not in text and sanitize(text) is text:
        return text.split("\n") if lines else []
    return [plain_line(line) for line in lines]


def _drawn_over(line: str) -> tuple[str, str]:
    """What a line's last carriage return took back, and what was drawn after it."""
    if "\r" not in line:
        return "", line
    before, _, last = line.rstrip("\r").rpartition("\r")
    return before, last


@lru_cache(maxsize=1024)
def _combined(base: Style, state: _State) -> Style:
    return base + Style(
        color=state.color,
        bgcolor=state.bgcolor,
        bold=state.bold,
        dim=state.dim,
        italic=state.italic,
        underline=state.underline,
        reverse=state.reverse,
        strike=state.strike,
    )


@lru_cache(maxsize=1024)
def _applied(state: _State, parameters: str) -> _State:
    codes = _codes(parameters)
    for code in codes:
        if code == 0:
            state = _PLAIN
        elif code == 22:
            state = state._replace(bold=None, dim=None)
        elif code in _SWITCHES:
            state = _changed(state, *_SWITCHES[code])
        elif code in (38, 48):
            state = _changed(state, "color" if code == 38 else "bgcolor", _extended(codes))
        else:
            state = _with_palette_colour(state, code)
    return _PLAIN if state == _PLAIN else state


def _codes(parameters: str) -> Iterator[int]:
    # Colons separate the parts of one colour ("38:2::r:g:b" has an empty colour space in them) and
    # name the kind of an underline ("4:3").
    flat = parameters.replace("38:2::", "38:2:").replace("48:2::", "48:2:")
    flat = _UNDERLINE_KIND.sub(lambda match: "24" if match[1] == "0" else "4", flat).replace(":", ";")
    return iter([int(part) if part else 0 for part in flat.split(";")])


def _extended(codes: Iterator[int]) -> Color | None:
    """The colour that follows 38 or 48: `5;index` or `2;red;green;blue`."""
    kind = next(codes, 0)
    if kind == 5:
        return Color.from_ansi(min(255, next(codes, 0)))
    if kind == 2:
        red, green, blue = (min(255, next(codes, 0)) for _ in range(3))
        return Color.from_rgb(red, green, blue)
    return None


def _with_palette_colour(state: _State, code: int) -> _State:
    if code == 39:
        return state._replace(color=None)
    if code == 49:
        return state._replace(bgcolor=None)
    for first, name, offset in ((30, "color", 0), (40, "bgcolor", 0), (90, "color", 8), (100, "bgcolor", 8)):
        if first <= code <= first + 7:
            return _changed(state, name, Color.from_ansi(code - first + offset))
    return state


def _changed(state: _State, name: str, value: Any) -> _State:
    return state._replace(**{name: value})
