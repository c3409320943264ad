"""Sharing the event loop: long work is cut into slices, and others have their turns in between."""

from __future__ import annotations

import asyncio

_HOPS = 5


async def give_way() -> None:
    """Let others go on for as many turns as a key takes to get from the terminal to the screen.

    With one turn after each slice it would be on its way for as many slices.
    """
    for _ in range(_HOPS):
        await asyncio.sleep(0)
