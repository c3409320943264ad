"""See the answer while it is written, and steer what runs.

python examples/sdk/watch.py
"""

from __future__ import annotations

import asyncio

from pi_term import SessionEvent, SessionManager, create_agent_session
from pi_term.agent.events import MessageUpdate, ToolExecutionEnd, ToolExecutionStart
from pi_term.ai.events import TextDelta


async def show(event: SessionEvent) -> None:
    match event:
        case MessageUpdate(event=TextDelta(delta=text)):
            print(text, end="", flush=True)
        case ToolExecutionStart():
            print(f"\n> {event.tool_name} {event.args}")
        case ToolExecutionEnd():
            print(f"< {'failed' if event.is_error else 'done'}")


async def main() -> None:
    async with await create_agent_session(demo=True, session_manager=SessionManager.in_memory()) as started:
        session = started.session
        session.subscribe(show)
        session.submit("run echo one")  # starts in the background
        session.submit("run echo two", follow_up=True)  # waits for the end of the first
        await session.wait_settled()
        stats = session.stats
        print(f"\n{stats.user_messages} prompts, {stats.tool_calls} tool calls")


if __name__ == "__main__":
    asyncio.run(main())
