"""Checkpoints: what files held before the agent changed them, and going back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.coding.checkpoints.checkpoints import Checkpoints
    from pi_term.coding.checkpoints.plan import Obstacle, Plan, PlannedFile
    from pi_term.coding.checkpoints.preview import FilePreview, Preview, Restoration
    from pi_term.coding.checkpoints.restore import Restored, RestoredFile

__all__ = [
    "Checkpoints",
    "FilePreview",
    "Obstacle",
    "Plan",
    "PlannedFile",
    "Preview",
    "Restoration",
    "Restored",
    "RestoredFile",
]

_HOMES = {
    "checkpoints": ("Checkpoints",),
    "plan": ("Obstacle", "Plan", "PlannedFile"),
    "preview": ("FilePreview", "Preview", "Restoration"),
    "restore": ("Restored", "RestoredFile"),
}

__getattr__ = lazy_exports(__name__, _HOMES)
