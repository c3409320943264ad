"""An import from beginning to end."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.base.json_locate import read_json_file
from pi_term.base.paths import AppPaths
from pi_term.coding.pi_import.files import entries, take_files, take_sessions
from pi_term.coding.pi_import.place import FOLDERS, is_own, is_pi_folder, note_offered
from pi_term.coding.pi_import.report import ImportReport
from pi_term.coding.pi_import.values import take_keys, take_models, take_settings
from pi_term.coding.session.folders import files_below

_USUALLY = "It is usually ~/.pi/agent."
_INSTRUCTIONS = ("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "SYSTEM.md", "APPEND_SYSTEM.md")


def summary_of(folder: Path) -> str:
    """What is there, in a few words; blocks."""
    sessions = len(files_below(folder / "sessions"))
    providers = list(read_json_file(folder / "auth.json").data)
    parts = [f"{sessions} session{'s' if sessions != 1 else ''}"] if sessions else []
    parts += [f"keys of {', '.join(providers[:3])}{', …' if len(providers) > 3 else ''}"] if providers else []
    parts += [name for name in FOLDERS[1:] if any(entries(folder / name))]
    return " · ".join(parts) or "settings"


async def import_pi(folder: Path, paths: AppPaths) -> ImportReport:
    """Take over what is not here yet. Raises `PiTermError("no_pi_folder")`.

    What cannot be taken over is told in the report. Done again, it takes what is new.
    """
    if not await asyncio.to_thread(is_pi_folder, folder, paths):
        if is_own(folder, paths):
            raise PiTermError("no_pi_folder", f"{folder} is pi-term's own folder.", _USUALLY)
        raise PiTermError("no_pi_folder", f"There is no folder of Pi's at {folder}.", _USUALLY)
    report = ImportReport()
    await asyncio.to_thread(note_offered, paths)
    await asyncio.to_thread(_take, folder, paths, report)
    await take_keys(folder, paths, report["keys"])
    return report


def _take(folder: Path, paths: AppPaths, report: ImportReport) -> None:
    take_sessions(folder, paths, report["sessions"])
    take_settings(folder, paths, report["settings"])
    keys = (name for name in ("keybindings.json",) if (folder / name).is_file())
    take_files(folder, keys, paths.config, report["settings"])
    take_models(folder, paths, report["models"])
    take_files(
        folder / "themes", entries(folder / "themes", ".json"), paths.config / "themes", report["themes"]
    )
    written = (name for name in _INSTRUCTIONS if (folder / name).is_file())
    take_files(folder, written, paths.config, report["prompts"])
    for name in ("prompts", "skills"):
        take_files(folder / name, entries(folder / name), paths.config / name, report[name])
