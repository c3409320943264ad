"""Linear mode: the conversation as labelled lines, for screen readers, dumb terminals and pipes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.headless.linear.mode import run_linear_mode as run_linear_mode
    from pi_term.headless.linear.ui import LinearUi as LinearUi

__all__ = ["LinearUi", "run_linear_mode"]

__getattr__ = lazy_exports(__name__, {"mode": ("run_linear_mode",), "ui": ("LinearUi",)})
