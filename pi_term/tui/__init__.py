"""The full-screen program on Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.tui.app import (
        AppParts,
        PiTermApp,
    )

__all__ = [
    "AppParts",
    "PiTermApp",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "app": ("AppParts", "PiTermApp"),
    },
)
