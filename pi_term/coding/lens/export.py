"""A view of the context as JSON, for other programs."""

from __future__ import annotations

from pi_term.base.json import JsonObject
from pi_term.coding.lens.blocks import Block, ContextView


def export_json(view: ContextView) -> JsonObject:
    """The whole view: `model`, `contextWindow`, `tokens`, `cache` and `blocks`, each with its text.

    Tokens are estimates. What a block has no use for is left out: `reason` of what is sent as it is,
    `entryId` of prompt and tools.
    """
    return {
        "model": view.model.key,
        "contextWindow": view.model.context_window,
        "tokens": view.tokens,
        "cache": {
            "tokens": view.cached_tokens,
            "reason": view.cache.reason,
            "askedAt": view.cache.asked_at,
        },
        "blocks": [_block(block) for block in view.blocks],
    }


def _block(block: Block) -> JsonObject:
    said: JsonObject = {
        "kind": block.kind,
        "title": block.title,
        "state": block.state,
        "tokens": block.tokens,
        "cached": block.cached,
    }
    if block.reason:
        said["reason"] = block.reason
    if block.entry_id is not None:
        said["entryId"] = block.entry_id
    return {**said, "text": block.text}
