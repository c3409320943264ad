"""The same in a process of its own, which cannot take yours down and can be written in any language.

python examples/sdk/child_process.py
"""

from __future__ import annotations

import asyncio

from pi_term import RpcClient


async def main() -> None:
    async with RpcClient(["--demo", "--no-session"]) as client:
        client.on_event(lambda event: print(event["type"]))
        print(await client.ask("run echo hello"))


if __name__ == "__main__":
    asyncio.run(main())
