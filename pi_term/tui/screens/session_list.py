"""Choosing one of the sessions of this folder; simple for now."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.clock import now_ms
from pi_term.tui.choices import Choice
from pi_term.tui.text import ago_text, one_line

if TYPE_CHECKING:
    from pi_term.coding.session.listing import DatedFile, SessionSummary
    from pi_term.tui.app import PiTermApp

_SLICE = 0.05  # seconds of reading session files between two looks at the list
_MOST = 100  # sessions in such a slice


async def choose_session(app: PiTermApp) -> Path | None:
    """The file of the session that the user wants to go on with, newest first; None for none."""
    from pi_term.coding.session.listing import files_in

    folder = app.session.harness.session_folder
    files = [] if folder is None else await asyncio.to_thread(files_in, folder)
    if not files:
        app.main.status.note("There are no sessions of this folder yet.")
        return None
    chosen = await app.bridge.choose("Resume a session", [], more=_sessions(app, files))
    return None if chosen is None else Path(chosen)


async def _sessions(app: PiTermApp, files: Sequence[DatedFile]) -> AsyncIterator[Sequence[Choice]]:
    """The sessions in these files, a few at a time: the first are there at once, of thousands too."""
    from pi_term.coding.session.listing import list_sessions

    wanted = True
    current = app.session.file.path
    summaries = list_sessions(files, cwd=app.session.harness.cwd, wanted=lambda: wanted)

    def some() -> list[SessionSummary]:
        end = time.monotonic() + _SLICE
        found: list[SessionSummary] = []
        while len(found) < _MOST and time.monotonic() < end:
            one = list(islice(summaries, 1))
            found += one
            if not one:
                break
        return found

    try:
        while found := await asyncio.to_thread(some):
            yield [_choice(each, is_current=each.path == current) for each in found]
    finally:
        wanted = False


def _choice(summary: SessionSummary, *, is_current: bool) -> Choice:
    title = summary.name or one_line(summary.first_message) or "(nothing said)"
    age = ago_text((now_ms() - summary.modified) / 1000)
    count = summary.message_count
    here = "this one · " if is_current else ""
    aside = f"{here}{count:,} message{'' if count == 1 else 's'} · {age}"
    return Choice(str(summary.path), title, aside=aside)
