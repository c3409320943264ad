"""The summary that takes the place of a history."""

from __future__ import annotations

from pi_term.ai.messages import Usage
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject
from pi_term.coding.compaction.desk import SummaryDesk
from pi_term.coding.compaction.files import with_file_lists
from pi_term.coding.compaction.parts import summarize_in_parts
from pi_term.coding.compaction.prepare import Preparation
from pi_term.coding.compaction.prompts import HISTORY, TURN, merged


@dataclass(frozen=True, slots=True)
class Summary:
    """What to store: the text with its file lists, what all its requests used, and the lists as `details`."""

    text: str
    usage: Usage
    details: JsonObject


async def summarize(preparation: Preparation, desk: SummaryDesk, instructions: str = "") -> Summary:
    """Have the model at `desk` tell what `preparation` takes out of the context.

    `instructions` of the user are part of every request. Raises `AbortError` when called off, and
    `PiTermError`: "nothing_to_compact", "summary_failed", "summary_cut_off", "summary_empty" or
    "summary_too_long". What was used until then is in `desk.usage`.
    """
    text = await _text(preparation, desk, instructions)
    if not text:
        raise PiTermError("nothing_to_compact", "Nothing to compact: there is nothing to summarise.")
    files = preparation.files
    return Summary(with_file_lists(text, files), desk.usage, files.details())


async def _text(prepared: Preparation, desk: SummaryDesk, instructions: str) -> str:
    previous = prepared.previous_summary or ""
    if not prepared.history:
        # A turn that is all there is gets the whole form; one that goes on from the summary is folded
        # into it, so that compacting a long turn again and again does not make it grow.
        return await summarize_in_parts(prepared.turn_prefix, desk, HISTORY, instructions, previous)
    history = await summarize_in_parts(prepared.history, desk, HISTORY, instructions, previous)
    turn = await summarize_in_parts(prepared.turn_prefix, desk, TURN, instructions)
    history = history or previous
    return merged(history, turn) if history and turn else history or turn
