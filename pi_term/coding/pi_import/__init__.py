"""Taking over what somebody has in a folder of Pi's. Nothing that is here already is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.coding.pi_import.importer import import_pi, summary_of
    from pi_term.coding.pi_import.place import is_pi_folder, note_offered, pi_folder, was_offered
    from pi_term.coding.pi_import.report import ImportReport

_HOMES = {
    "importer": ("import_pi", "summary_of"),
    "place": ("is_pi_folder", "note_offered", "pi_folder", "was_offered"),
    "report": ("ImportReport",),
}

__all__ = [
    "ImportReport",
    "import_pi",
    "is_pi_folder",
    "note_offered",
    "pi_folder",
    "summary_of",
    "was_offered",
]

__getattr__ = lazy_exports(__name__, _HOMES)
