"""Writing the session to a file: a page for people, or lines for programs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.errors import PiTermError
from pi_term.tui.text import home_path, typed_path

if TYPE_CHECKING:
    from pi_term.coding.session import SessionFile
    from pi_term.tui.app import PiTermApp


async def export_to(app: PiTermApp, path: str = "") -> None:
    """Write the branch to `path` as JSONL where it ends so, else as HTML; asks before replacing a file."""
    session = app.session
    cwd = session.harness.cwd
    target = typed_path(path, cwd) if path else None
    if target is not None and target == session.file.path:
        raise PiTermError("not_exported", "That is the file of this session itself.", "Name another one.")
    if target is not None and target.is_dir():
        raise PiTermError("not_exported", f"{target} is a folder.", "Name a file in it.")
    if target is not None and target.exists():
        replace = await app.bridge.confirm(f"{home_path(target)} is there already.", "Replace it?")
        if not replace:
            return
    try:
        written = await asyncio.to_thread(_write, session.file, cwd, target)
    except OSError as error:
        raise PiTermError("not_exported", f"Cannot write the export: {error.strerror}.") from error
    app.notice(f"The session was exported to {home_path(written)}")


def _write(file: SessionFile, cwd: Path, target: Path | None) -> Path:
    if target is not None and target.suffix == ".jsonl":
        from pi_term.coding.session.export import export_lines

        return export_lines(file, target)
    from pi_term.render.html_export import export_session

    return export_session(file, cwd, None if target is None else str(target))
