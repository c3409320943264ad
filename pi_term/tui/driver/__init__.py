"""The terminal driver: keys arrive as pressed, output never blocks, the terminal is left as it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.tui.driver.driver import PiDriver as PiDriver

__all__ = ["PiDriver"]

__getattr__ = lazy_exports(__name__, {"driver": ("PiDriver",)})
