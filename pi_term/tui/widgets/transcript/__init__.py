"""The transcript: one virtual scroll view over any number of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_term.tui.widgets.transcript.facts import BlockClicked, FollowChanged
    from pi_term.tui.widgets.transcript.widget import Transcript

__all__ = ["BlockClicked", "FollowChanged", "Transcript"]

_HOMES = {"BlockClicked": "facts", "FollowChanged": "facts", "Transcript": "widget"}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)
