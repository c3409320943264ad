"""What the model gets with the next request, as a view."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pi_term.ai.context import StreamOptions
from pi_term.ai.fit import fit_message
from pi_term.ai.models import Model
from pi_term.coding.lens.blocks import Block, ContextView
from pi_term.coding.lens.cache import Prefix, shared_prefix
from pi_term.coding.lens.pieces import Piece, paired, pieces_of
from pi_term.coding.lens.system import next_system, sections_of
from pi_term.coding.lens.told import tool_text
from pi_term.coding.session.entries import CONTEXT_TYPES
from pi_term.coding.session.projection import edits_of, select_entries
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.session.system_state import SystemState
from pi_term.coding.session.tree import SessionTree
from pi_term.coding.tokens import CHARS_PER_TOKEN

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession


async def look(session: AgentSession) -> ContextView:
    """The next request of `session`, if it were made now."""
    wanted, _ = session.harness.declare()
    options = session.harness.options()
    return await asyncio.to_thread(look_at, session.file.tree, session.model, wanted, options)


def look_at(tree: SessionTree, model: Model, wanted: SystemState, options: StreamOptions) -> ContextView:
    """The next request to `model` on the tree's branch; `wanted` are the prompt and tools of now. Blocks."""
    selected = select_entries(tree)
    fit = partial(
        fit_message,
        model=model,
        block_images=options.block_images,
        cross_model_thinking=options.cross_model_thinking,
    )
    edits = edits_of(selected)
    pieces = paired(pieces_of(selected, edits, fit))
    system = next_system(selected, wanted)
    prefix = shared_prefix(selected, pieces, edits, system, model)
    blocks = [*_of_system(system, prefix), *_summarized(selected), *_of_messages(pieces, prefix)]
    return ContextView(model, blocks, prefix.view)


def _of_system(system: SystemState, prefix: Prefix) -> Iterator[Block]:
    for number, tool in enumerate(system.tools.values()):
        text = tool_text(tool)
        yield Block("tool", tool.name, text, _tokens(text), cached=number < prefix.tools)
    for number, (name, text) in enumerate(sections_of(system).items()):
        yield Block("prompt", name, text, _tokens(text), cached=number < prefix.sections)


def _summarized(selected: Sequence[StoredEntry]) -> Iterator[Block]:
    """One block for everything that a compaction took out."""
    if not selected or selected[0].type != "compaction":
        return
    compaction = selected[0]
    kept = {id(entry) for entry in selected}
    count, entry = 0, compaction.parent
    while entry is not None:
        count += entry.type in CONTEXT_TYPES and entry.role != "system" and id(entry) not in kept
        entry = entry.parent
    before = compaction.data.get("tokensBefore")
    yield Block(
        "summarized",
        "Earlier conversation",
        f"{count:,} earlier messages stand in the session file. The model gets a summary in their place.",
        before if isinstance(before, int) else 0,
        "left_out",
        "compacted",
        compaction.id,
    )


def _of_messages(pieces: Sequence[Piece], prefix: Prefix) -> Iterator[Block]:
    for number, piece in enumerate(pieces):
        is_cached = number < prefix.messages and piece.sent is not None
        yield replace(piece.block, cached=is_cached)


def _tokens(text: str) -> int:
    return len(text) // CHARS_PER_TOKEN
