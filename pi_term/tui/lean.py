"""Textual without its command palette: this program has one of its own, and starts a tenth sooner so."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

_PALETTE = "textual.command"
_NAMES = ("CommandListItem", "CommandPalette", "DiscoveryHit", "Hit", "Hits", "Provider", "SimpleProvider")


def import_textual() -> None:
    """Import `textual.app` so that it does not load the palette, with the six widgets that one consists of.

    What it takes from there are base classes and names for a palette that is switched off. Whoever imports
    `textual.command` afterwards gets the real one.
    """
    if "textual.app" in sys.modules or _PALETTE in sys.modules:
        return
    stand_in = ModuleType(_PALETTE)
    for name in _NAMES:
        setattr(stand_in, name, type(name, (), {}))
    sys.modules[_PALETTE] = stand_in
    try:
        import_module("textual.app")
    finally:
        del sys.modules[_PALETTE]
