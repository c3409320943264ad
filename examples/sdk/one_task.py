"""Run one task with pi-term's core, without its interface.

    python examples/sdk/one_task.py "run ls"

Uses the demo model; leave out `demo=True` and name a model to use a real one. The session is kept in memory.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pi_term.base import AppPaths
from pi_term.coding import NullUi, SessionEvent, StartRequest, start_session


async def main(task: str) -> None:
    request = StartRequest(cwd=Path.cwd(), demo=True, in_memory=True)
    started = await start_session(request, AppPaths.from_env(), NullUi())

    async def show(event: SessionEvent) -> None:
        print(event.type)

    started.session.subscribe(show)
    await started.session.prompt(task)
    print(started.session.agent.state.messages[-1])
    await started.aclose()


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "run echo hello"))
