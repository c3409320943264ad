"""The `demo` provider: a scripted model that needs no key and no network.

It drives the real tools in the current folder, by rules that this package spells out. It never
pretends to be a language model.
"""

from __future__ import annotations

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.demo.requests import answer
from pi_term.ai.models import Model
from pi_term.ai.scripted import Reply, scripted_stream
from pi_term.ai.stream import AssistantStream

PIECE_DELAY = 0.012  # seconds between words: quick to read along, slow enough to see it stream


def stream(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    """Answer by rule; see `requests` and `tour`."""
    delay = float(model.compat.get("pieceDelay", PIECE_DELAY))
    return scripted_stream(model, context, options, Reply(answer(context), delay))
