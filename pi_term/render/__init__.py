"""From messages to rows of styled text, driven by a `Theme`; for every front end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.render.line import (
        Block,
        Line,
        ViewOptions,
    )
    from pi_term.render.theme import (
        Theme,
        load_theme,
    )

__all__ = [
    "Block",
    "Line",
    "Theme",
    "ViewOptions",
    "load_theme",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "line": ("Block", "Line", "ViewOptions"),
        "theme": ("Theme", "load_theme"),
    },
)
