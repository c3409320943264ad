"""Whether the configuration that a folder brings along may be loaded.

Trust is no sandbox: it only decides which files of the project count when the program starts.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.json_locate import read_json_file
from pi_term.base.paths import AppPaths
from pi_term.base.sanitize import sanitize_line
from pi_term.coding.resources.project import protected_resources
from pi_term.coding.settings.schema import TrustDefault
from pi_term.coding.ui_bridge import UiBridge

TrustSource: TypeAlias = Literal["flag", "saved", "nothing", "setting", "asked", "unanswered"]

_TRUST = "Trust this folder"
_TRUST_PARENT = "Trust the folder above it: "
_TRUST_NOW = "Trust it for this run only"
_REFUSE = "Do not trust it"
_REFUSE_NOW = "Do not trust it for this run"


@dataclass(frozen=True, slots=True)
class TrustDecision:
    """Whether `folder` is trusted, and why.

    `found` are its protected resources; `problem` tells when the answer could not be stored.
    """

    folder: Path
    trusted: bool
    source: TrustSource
    found: tuple[Path, ...] = ()
    problem: Diagnostic | None = None

    @property
    def skipped(self) -> tuple[Path, ...]:
        """The resources that are not loaded for lack of trust."""
        return () if self.trusted else self.found

    def notice(self) -> Diagnostic | None:
        """What people should be told of skipped resources; None for nothing, or where they just said so."""
        if not self.skipped or self.source == "flag":
            return None
        names = ", ".join(os.path.relpath(path, self.folder) for path in self.skipped)
        return Diagnostic(
            "warning",
            f"not trusted, so these are not loaded: {sanitize_line(names)}",
            self.folder,
            hint="--approve loads them for one run",
        )


class TrustStore:
    """Stored decisions: a JSON object of folders, each true or false; the closest folder above decides.

    A broken file counts as empty and is never overwritten; `problem` tells of it.
    """

    def __init__(self, file: Path, locks: Path) -> None:
        self._file = file
        self._locks = locks
        self.problem: Diagnostic | None = None

    @classmethod
    def of(cls, paths: AppPaths) -> TrustStore:
        """The store of this user."""
        return cls(paths.trust_file, paths.state / "locks")

    def decision(self, folder: Path) -> bool | None:
        """What was decided for `folder` or the closest folder above it; None where nothing was."""
        content = read_json_file(self._file)
        self.problem = content.problem
        real = Path(os.path.realpath(folder))
        for each in (real, *real.parents):
            stored = content.data.get(str(each))
            if isinstance(stored, bool):
                return stored
        return None

    def remember(self, folder: Path, trusted: bool) -> None:
        """Store a decision for `folder` and those below it; raises `PiTermError`. Waits for the disk."""
        from pi_term.coding.settings.json_file import update_json_file

        update_json_file(self._file, self._locks, (os.path.realpath(folder),), trusted)

    def forget(self, folder: Path) -> None:
        """Take the decision for `folder` away; those above and below it stay. As `remember` otherwise."""
        from pi_term.coding.settings.json_file import remove_json_key

        remove_json_key(self._file, self._locks, (os.path.realpath(folder),), 1)


async def resolve_trust(
    folder: Path,
    store: TrustStore,
    default: TrustDefault,
    ui: UiBridge,
    *,
    override: bool | None = None,
) -> TrustDecision:
    """Decide about `folder`: `override` (a flag), else what is stored, else `default`, else a person.

    A folder without protected resources is never asked about. Nobody there to answer means no, for
    this run.
    """
    found = protected_resources(folder)
    if override is not None:
        return TrustDecision(folder, override, "flag", found)
    saved = store.decision(folder)
    if saved is not None:
        return TrustDecision(folder, saved, "saved", found)
    if not found:
        return TrustDecision(folder, False, "nothing")
    if default != "ask":
        return TrustDecision(folder, default == "always", "setting", found)
    return await _ask(TrustDecision(folder, False, "unanswered", found), store, ui)


async def _ask(undecided: TrustDecision, store: TrustStore, ui: UiBridge) -> TrustDecision:
    folder = undecided.folder
    parent = _TRUST_PARENT + sanitize_line(str(folder.parent))
    options = (_TRUST, parent, _TRUST_NOW, _REFUSE, _REFUSE_NOW)
    answer = await ui.select(_question(undecided), options)
    if answer not in options:
        return undecided
    decision = replace(undecided, trusted=answer in (_TRUST, parent, _TRUST_NOW), source="asked")
    if answer in (_TRUST_NOW, _REFUSE_NOW):
        return decision
    try:
        about = folder.parent if answer == parent else folder
        await asyncio.to_thread(store.remember, about, decision.trusted)
    except PiTermError as error:
        problem = Diagnostic(
            "warning", f"The answer holds for this run only: {error.message}", hint=error.hint
        )
        return replace(decision, problem=problem)
    return decision


def _question(undecided: TrustDecision) -> str:
    names = "\n".join(f"  {os.path.relpath(path, undecided.folder)}" for path in undecided.found)
    return (
        f"{sanitize_line(str(undecided.folder))} brings its own configuration:\n"
        f"{names}\n"
        "It can change settings and run code as you. Do you trust this folder?"
    )
