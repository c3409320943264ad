"""Keep sessions: begin one, go on with it, try something else in a fork, list them.

python examples/sdk/sessions.py FOLDER
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pi_term import SessionManager, create_agent_session


async def main(folder: Path) -> None:
    begin = SessionManager.create(folder)
    async with await create_agent_session(demo=True, session_manager=begin, name="First steps") as started:
        await started.session.prompt("run echo one")

    last = SessionManager.continue_recent(folder)
    async with await create_agent_session(demo=True, session_manager=last) as started:
        session = started.session
        await session.prompt("run echo two")
        asked = [entry for entry in session.file.tree.branch() if entry.role == "user"]
        text = await session.switcher.fork(asked[-1].id)  # a new session that ends before the last prompt
        await session.prompt(text.replace("two", "another"))

    for summary in await SessionManager.list(folder=folder):
        print(f"{summary.name}: {summary.message_count} messages, {summary.path.name}")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1] if len(sys.argv) > 1 else "sessions")))
