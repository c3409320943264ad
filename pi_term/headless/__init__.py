"""The faces without a terminal interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.headless.print_mode import (
        run_print_mode,
    )

__all__ = [
    "run_print_mode",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "print_mode": ("run_print_mode",),
    },
)
