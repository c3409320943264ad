"""A summary of more than one request holds: part by part, each upon the summary of those before."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pi_term.agent.messages import AgentMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.compaction.conversation import JOINT, ConversationText, earlier_summary_text
from pi_term.coding.compaction.desk import SummaryDesk, TooLarge
from pi_term.coding.compaction.files import without_file_lists
from pi_term.coding.compaction.prompts import Task

_MOST_OVERFLOWS = 4
_LEAST_PART = 500  # characters
_LEAST_SHARE = 8  # of the request's room must be left for the conversation: the eighth part


async def summarize_in_parts(
    messages: Sequence[AgentMessage],
    desk: SummaryDesk,
    task: Task,
    instructions: str = "",
    previous: str = "",
) -> str:
    """The summary of `messages` that goes on from `previous`; "" where they say nothing.

    One request, unless that does not fit the model's window by estimate or by what the provider says.
    Raises what `SummaryDesk.ask` does, and `PiTermError("summary_too_long")`.
    """
    summary, before = previous, ""
    if len(previous) > desk.input_chars // 2:
        # No room would be left beside it: it is summarised again, like what was said.
        summary, before = "", earlier_summary_text(previous)
    texts = ConversationText(messages, before)
    limit, overflows, answered = desk.input_chars, 0, False
    while True:
        room = min(limit, desk.input_chars - len(task.request("", summary, instructions)))
        if room < max(_LEAST_PART, min(limit, desk.input_chars // _LEAST_SHARE)):
            raise _too_long(desk)
        taken = await asyncio.to_thread(texts.take, room)
        if not taken:
            return summary if answered else ""
        part = JOINT.join(taken)
        try:
            summary = without_file_lists(await desk.ask(task.request(part, summary, instructions)))
            answered = True
        except TooLarge:
            overflows += 1
            limit = len(part) // 2
            if overflows > _MOST_OVERFLOWS or limit < _LEAST_PART:
                raise _too_long(desk) from None
            texts.put_back(taken)


def _too_long(desk: SummaryDesk) -> PiTermError:
    return PiTermError(
        "summary_too_long",
        f"The conversation is too long to be summarised by {desk.model.label}.",
        "Use a model with a larger context window.",
    )
