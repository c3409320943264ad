"""Run one task and print the answer.

    python examples/sdk/one_task.py "run ls"

On the demo model, with a session in memory; leave both options out for your own model and sessions.
"""

from __future__ import annotations

import asyncio
import sys

from pi_term import SessionEvent, SessionManager, create_agent_session


async def show(event: SessionEvent) -> None:
    print(event.type)


async def main(task: str) -> None:
    async with await create_agent_session(demo=True, session_manager=SessionManager.in_memory()) as started:
        started.session.subscribe(show)
        await started.session.prompt(task)
        answer = started.session.last_answer()
        print(answer.text if answer else "There is no answer.")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "run echo hello"))
