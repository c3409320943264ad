"""The transcript: one virtual scroll view over any number of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.tui.widgets.transcript.facts import BlockClicked, FollowChanged, TopShown
    from pi_term.tui.widgets.transcript.widget import Transcript

__all__ = ["BlockClicked", "FollowChanged", "TopShown", "Transcript"]

__getattr__ = lazy_exports(
    __name__, {"facts": ("BlockClicked", "FollowChanged", "TopShown"), "widget": ("Transcript",)}
)
