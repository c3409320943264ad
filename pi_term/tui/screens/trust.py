"""Whether the configuration that the folder brings along counts: showing and changing the decision."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.coding.resources.project import protected_resources
from pi_term.coding.trust import TrustDecision, TrustStore
from pi_term.tui.choices import Choice
from pi_term.tui.text import home_path

if TYPE_CHECKING:
    from pi_term.tui.app import PiTermApp

_TRUST, _ABOVE, _REFUSE, _FORGET = "trust", "above", "refuse", "forget"
_WHY = {
    "flag": "said on the command line",
    "saved": "stored",
    "nothing": "there is nothing that would need it",
    "setting": "as the setting defaultProjectTrust says",
    "asked": "answered at the start, for this run",
    "unanswered": "nobody answered at the start",
}


async def change_trust(app: PiTermApp, reload: Callable[[], Awaitable[None]]) -> None:
    """Show the decision for this folder and let people change it; `reload` makes it count."""
    assert app.started is not None
    decision = app.started.trust
    store = TrustStore.of(app.started.paths)
    folder = decision.folder
    found = await asyncio.to_thread(protected_resources, folder)
    choices = [
        Choice(_TRUST, "Trust this folder", "and those below it"),
        Choice(_ABOVE, "Trust the folder above it", home_path(folder.parent)),
        Choice(_REFUSE, "Do not trust it"),
        Choice(_FORGET, "Forget the decision", "you are asked at the next start"),
    ]
    at = 0 if decision.trusted else 2
    chosen = await app.bridge.choose(_title(replace(decision, found=found)), choices, at=at, searchable=False)
    if chosen is None:
        return
    if chosen == _FORGET:
        await asyncio.to_thread(store.forget, folder)
        app.main.status.note("The decision about this folder is forgotten.")
        return
    about = folder.parent if chosen == _ABOVE else folder
    await asyncio.to_thread(store.remember, about, chosen != _REFUSE)
    if decision.source == "flag":
        app.notice("The decision is stored. For this run, what the command line said goes before it.")
        return
    await reload()


def _title(decision: TrustDecision) -> str:
    now = "trusted" if decision.trusted else "not trusted"
    lines = [f"{home_path(decision.folder)} is {now}: {_WHY[decision.source]}."]
    lines += [f"  {_relative(path, decision.folder)}" for path in decision.found]
    lines.append("Trust is no sandbox: it lets these files set the program up.")
    return "\n".join(lines)


def _relative(path: Path, folder: Path) -> str:
    return os.path.relpath(path, folder)
