"""What the agent changed in files, to be looked at, taken back or talked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.coding.changes.hunks import Hunk
    from pi_term.coding.changes.review import ChangedFile, ChangeReview

__all__ = ["ChangeReview", "ChangedFile", "Hunk"]

__getattr__ = lazy_exports(__name__, {"hunks": ("Hunk",), "review": ("ChangeReview", "ChangedFile")})
