"""The terminal driver: keys arrive as pressed, output never blocks, the terminal is left as it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_term.tui.driver.driver import PiDriver as PiDriver

__all__ = ["PiDriver"]


def __getattr__(name: str) -> object:
    if name == "PiDriver":
        from pi_term.tui.driver.driver import PiDriver

        return PiDriver
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
