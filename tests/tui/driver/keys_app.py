"""The program's main screen in a terminal. It writes to the file named by its argument which actions are
asked for, and does none of them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pi_term.testing.app import make_parts
from pi_term.testing.scripted import ScriptedModel
from pi_term.tui.app import PiTermApp


def log(*words: object) -> None:
    with Path(sys.argv[1]).open("a") as file:
        file.write(" ".join(map(str, words)) + "\n")


def noted(action_id: str) -> bool:
    log("action", action_id)
    return False


async def main() -> None:
    with ScriptedModel() as script:
        app = PiTermApp(make_parts(script, Path(sys.argv[1]).parent))
        app.main.editor.dispatch = noted

        async def started() -> None:
            while app.main.view is None:
                await asyncio.sleep(0.01)
            log("started")

        task = asyncio.create_task(started())
        await app.run_async()
        await task


asyncio.run(main())
