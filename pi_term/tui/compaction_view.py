"""Compactions as rows of the transcript, which tell the same right after one and when it is long past."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pi_term.base.log import log
from pi_term.tui.background import run_in_background

if TYPE_CHECKING:
    from pi_term.coding.events import CompactionResult
    from pi_term.coding.session import SessionTree, StoredEntry
    from pi_term.render.blocks import SummaryBlock
    from pi_term.render.line import Block
    from pi_term.tui.screens.main import MainScreen

_TYPE = "compaction"
_LATER = 0.2  # seconds that belong to the picture and to the first keys


def fresh_block(result: CompactionResult, tree: SessionTree) -> SummaryBlock:
    """The row of the compaction that has just ended."""
    from pi_term.coding.compaction.kept import kept_messages
    from pi_term.render.blocks import SummaryBlock

    entry = next((each for each in tree.walk(tree.leaf) if each.type == _TYPE), None)
    return SummaryBlock(
        result.summary,
        tokens_before=result.tokens_before,
        tokens_after=result.estimated_tokens_after,
        kept=None if entry is None else kept_messages(entry),
        id=None if entry is None else entry.id,
    )


def complete(screen: MainScreen, tree: SessionTree, blocks: Sequence[Block]) -> Sequence[Block]:
    """The blocks of a history, in which the rows of compactions tell what was kept.

    How long the context was afterwards is found out beside the keys, and told a moment later.
    """
    found = [(block, tree.by_id.get(block.id)) for block in blocks]
    compactions = [(block, entry) for block, entry in found if entry is not None and entry.type == _TYPE]
    if compactions:
        _complete(screen, compactions)
    return blocks


def _complete(screen: MainScreen, compactions: Sequence[tuple[Block, StoredEntry]]) -> None:
    from pi_term.coding.compaction.kept import kept_messages
    from pi_term.render.blocks import SummaryBlock

    known: list[tuple[SummaryBlock, StoredEntry]] = []
    for block, entry in compactions:
        if isinstance(block, SummaryBlock):
            block.tell(kept=kept_messages(entry))
            known.append((block, entry))
    run_in_background(screen, partial(_estimate, screen, known), "compactions")


async def _estimate(screen: MainScreen, compactions: Sequence[tuple[SummaryBlock, StoredEntry]]) -> None:
    from pi_term.coding.compaction.kept import tokens_after

    await asyncio.sleep(_LATER)
    for block, entry in reversed(compactions):
        try:
            block.tell(tokens_after=await asyncio.to_thread(tokens_after, entry))
        except OSError as error:  # another session may be open by now, and this one deleted
            log.info("cannot tell what a compaction came to: %s", error)
            return
        screen.transcript.touch(block.id)
