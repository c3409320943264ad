"""The prompt and tools of a request: what the model was told of them, and what it is told now."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.coding.session.projection import seen_messages
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.session.system_state import SystemState, diff_system, replay_system


def told_system(selected: Sequence[StoredEntry]) -> SystemState:
    """What active entries declare. Decodes those that do: for a worker thread."""
    return replay_system(
        message
        for number, entry in enumerate(selected)
        # An older compaction among what the latest one kept does not speak.
        if entry.role == "system" or (entry.type == "compaction" and number == 0)
        for message in seen_messages(entry, {})
    )


def next_system(selected: Sequence[StoredEntry], wanted: SystemState) -> SystemState:
    """What was told, brought up to date in the way that a request does it."""
    told = told_system(selected)
    change = diff_system(told, wanted)
    if change is not None:
        told.apply(change)
    return told


def sections_of(system: SystemState) -> dict[str, str]:
    """The system prompt by sections, the free text under the name "prompt"."""
    free = {"prompt": system.content} if system.content else {}
    return {**free, **system.sections}
