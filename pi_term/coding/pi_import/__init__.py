"""Taking over what somebody has in a folder of Pi's. Nothing that is here already is changed."""

from __future__ import annotations

from pi_term.coding.pi_import.importer import import_pi, is_pi_folder, pi_folder, summary_of
from pi_term.coding.pi_import.report import ImportReport

__all__ = ["ImportReport", "import_pi", "is_pi_folder", "pi_folder", "summary_of"]
