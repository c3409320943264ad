"""A task for pi-term in a process of its own, steered while it runs.

    python examples/sdk/rpc_client.py "run sleep 1; echo done"

The demo model needs no key and no network; other options of `pi-term` can take its place.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from pi_term import RpcClient


async def main(task: str) -> None:
    at_work = asyncio.Event()

    def show(event: dict[str, Any]) -> None:
        """Print what is said as it comes, and a line for each tool."""
        match event["type"]:
            case "message_update" if event["assistantMessageEvent"]["type"] == "text_delta":
                print(event["assistantMessageEvent"]["delta"], end="", flush=True)
            case "tool_execution_start":
                print(f"[{event['toolName']} {event['args']}]")
                at_work.set()

    async with RpcClient(["--demo", "--no-session"]) as client:
        client.on_event(show)
        await client.prompt(task)
        await at_work.wait()
        await client.steer("run echo steered")
        await client.wait_settled()
        stats = await client.get_session_stats()
        print(f"\n[{stats.tool_calls} tool calls, {stats.tokens.total} tokens, ${stats.cost:.2f}]")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "run sleep 1; echo done"))
