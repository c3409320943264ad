"""How the terminal can show images, judged by what it says of itself in the environment."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import termios
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

Protocol: TypeAlias = Literal["kitty", "iterm2", "cells"]

_KITTY_TERMS = ("xterm-kitty", "xterm-ghostty")
_KITTY_PROGRAMS = ("ghostty", "kitty")
_ITERM_PROGRAMS = ("iTerm.app", "WezTerm")
_USUAL_CELL = (8, 16)


def protocol_of(wanted: str, environ: Mapping[str, str] = os.environ) -> Protocol | None:
    """The best way to draw images. `wanted`: `kitty`, `iterm2` or `none`, else it is found out.

    Inside of tmux and screen only cells are certain to arrive.
    """
    wanted = environ.get("PI_IMAGE_PROTOCOL") or wanted
    if wanted == "none":
        return None
    if wanted == "kitty":
        return "kitty"
    if wanted == "iterm2":
        return "iterm2"
    if (
        environ.get("NO_COLOR")
        or environ.get("TMUX")
        or environ.get("TERM", "").startswith(("tmux", "screen"))
    ):
        return "cells"
    if environ.get("KITTY_WINDOW_ID") or environ.get("TERM") in _KITTY_TERMS:
        return "kitty"
    program = environ.get("TERM_PROGRAM", "")
    if program in _KITTY_PROGRAMS:
        return "kitty"
    if program in _ITERM_PROGRAMS or environ.get("LC_TERMINAL") == "iTerm2":
        return "iterm2"
    return "cells"


def links_wanted(wanted: bool | str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal is told of links. `wanted`: yes, no, or anything else to find out."""
    said = environ.get("PI_HYPERLINKS", "")
    if said in ("0", "1"):
        return said == "1"
    if isinstance(wanted, bool):
        return wanted
    return environ.get("TERM", "") not in ("linux", "dumb")


def cell_size() -> tuple[int, int]:
    """Width and height of a cell in pixels; what is usual where the terminal does not tell."""
    for stream in (sys.__stdout__, sys.__stderr__):
        with suppress(AttributeError, OSError, ValueError, termios.error):
            assert stream is not None
            answer = fcntl.ioctl(stream.fileno(), termios.TIOCGWINSZ, b"\0" * 8)
            rows, columns, width, height = struct.unpack("HHHH", answer)
            if rows and columns and width >= columns and height >= rows:
                return width // columns, height // rows
    return _USUAL_CELL
