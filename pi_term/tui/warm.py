"""Loading the core while the editor already takes keys.

Importing it in one go would hold up a key for a tenth of a second; module by module it is a few
milliseconds each. The order goes up the floors, so that no step pulls in the next ones.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_term.coding.session import SessionTree

_PAUSE = 0.004  # seconds between two steps that nobody waits for

_ORDER = (
    "ai.messages",
    "ai.context",
    "ai.events",
    "ai.stream",
    "ai.faults",
    "ai.wire.sse",
    "ai.wire.http",
    "ai.catalog.providers",
    "ai.catalog.models_file",
    "ai.catalog.search",
    "ai.catalog.registry",
    "agent.tools",
    "agent.events",
    "agent.hooks",
    "agent.validate",
    "agent.queues",
    "agent.batch",
    "agent.loop",
    "agent.outlet",
    "agent.agent",
    "coding.messages",
    "coding.session.entries",
    "coding.session.tree",
    "coding.session.index",
    "coding.session.writer",
    "coding.session.store",
    "coding.session.projection",
    "coding.settings.schema",
    "coding.settings.store",
    "coding.stats",
    "coding.events",
    "coding.feed",
    "coding.conversation",
    "coding.compactor",
    "coding.runs",
    "coding.shell",
    "coding.switcher",
    "coding.agent_session",
    "coding.credentials",
    "coding.resources.loader",
    "coding.trust",
    "coding.tools.definition",
    "coding.tools.read",
    "coding.tools.write",
    "coding.tools.edit.tool",
    "coding.tools.bash.tool",
    "coding.prompt",
    "coding.startup",
    "render.blocks",
    "render.entries",
    "tui.switch_view",
    "tui.session_view",
)


_LATER = (
    "tui.screens.browser",
    "tui.screens.entry_preview",
    "tui.screens.tree_badges",
    "tui.screens.tree",
    "tui.screens.tree_moves",
)
"""What opens at a key press, and shall open at once."""


async def warm_imports() -> None:
    """Import what the session needs, with room for keys after each step."""
    for name in _ORDER:
        import_module(f"pi_term.{name}")
        await asyncio.sleep(0)


async def warm_rendering(tree: SessionTree) -> None:
    """Load what the first markdown, the first code and the tree need, when nothing else is to be done.

    In a thread, for some steps take as long as two frames, and keys come in between there.
    """
    from pi_term.render.warm import warm_steps
    from pi_term.tui.tree_rows import silent_answers

    steps = warm_steps()
    while True:
        if await asyncio.to_thread(next, steps, None) is None:
            break
        await asyncio.sleep(_PAUSE)
    for name in _LATER:
        await asyncio.to_thread(import_module, f"pi_term.{name}")
        await asyncio.sleep(_PAUSE)
    await asyncio.to_thread(silent_answers, tree)
