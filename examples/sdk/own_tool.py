"""Give the model a tool of your own, and only what it needs beside it.

python examples/sdk/own_tool.py MODEL
"""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated, Literal

from pi_term import SessionManager, ToolContext, ToolError, create_agent_session, tool

STOCK = {"nails": 1200, "screws": 0}


@tool
def stock(
    item: Annotated[str, "what to look for, in the plural"],
    context: ToolContext,
    unit: Literal["pieces", "boxes"] = "pieces",
) -> str:
    """Tell how many of an item are in stock."""
    if item not in STOCK:
        raise ToolError(f"There are no {item} in the list.")
    (context.cwd / "asked.txt").write_text(item)
    return f"{STOCK[item] // (100 if unit == 'boxes' else 1)} {unit}"


async def main(model: str | None) -> None:
    started = await create_agent_session(
        model=model,
        session_manager=SessionManager.in_memory(),
        tools=["read", "stock"],
        own_tools=[stock],
    )
    async with started:
        await started.session.prompt("How many boxes of nails are there?")
        answer = started.session.last_answer()
        print(answer.text if answer else "There is no answer.")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
