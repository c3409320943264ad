"""Commands that go to other sessions, and name or export the one that is open."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.headless.rpc.desk import Data, Desk
from pi_term.headless.rpc.params import Params

_GONE: Data = {"cancelled": False}


async def new_session(desk: Desk, params: Params) -> Data:
    """Go to an empty session."""
    parent = params.optional_text("parentSession")
    await desk.session.switcher.new(None if parent is None else Path(parent))
    return _GONE


async def switch_session(desk: Desk, params: Params) -> Data:
    """Go to the session in a file."""
    await desk.started.open(Path(params.text("sessionPath")))
    return _GONE


async def fork(desk: Desk, params: Params) -> Data:
    """Go to a new session that ends before one of the user's messages; the text of that is returned."""
    try:
        text = await desk.session.switcher.fork(params.text("entryId"))
    except PiTermError as error:
        if error.code != "no_entry":
            raise
        text = "Invalid entry id: there is no user message of that id in this session."
        raise PiTermError("no_entry", text, "get_fork_messages lists them.") from None
    return {"text": text, "cancelled": False}


async def clone(desk: Desk, params: Params) -> Data:
    """Go to a new session that is a copy of the branch this one is at."""
    await desk.session.switcher.clone()
    return _GONE


async def set_session_name(desk: Desk, params: Params) -> Data:
    """Give the session a name."""
    await desk.session.navigator.rename(params.text("name"))
    return None


async def export_html(desk: Desk, params: Params) -> Data:
    """Write the branch to a page for people."""
    from pi_term.render.html_export import export_session

    asked = params.optional_text("outputPath")
    session = desk.session
    path = await asyncio.to_thread(export_session, session.file, session.harness.cwd, asked)
    return {"path": str(path)}
