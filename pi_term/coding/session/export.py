"""A branch as a session file of its own, wherever people want it."""

from __future__ import annotations

from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.base.files import atomic_write
from pi_term.base.json import dumps
from pi_term.coding.session.store import SessionFile


def export_lines(file: SessionFile, target: Path) -> Path:
    """Write the branch that the session is at to `target`, its lines byte for byte; blocks.

    The file can be opened and imported like any other. Raises `PiTermError("nothing_to_export")`, `OSError`.
    """
    branch = [entry for entry in file.tree.branch() if not entry.gone and not entry.damaged]
    if not any(entry.role in ("user", "assistant") for entry in branch):
        raise PiTermError(
            "nothing_to_export", "Nothing was said yet in this session.", "Send a prompt first."
        )
    lines = [dumps(file.header.to_json()), *(entry.line for entry in branch)]
    atomic_write(target, b"".join(line.rstrip(b"\n") + b"\n" for line in lines), mode=0o600)
    return target
