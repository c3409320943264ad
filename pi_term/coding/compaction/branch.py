"""The summary of a branch that is left, for the place where the work goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import SystemMessage
from pi_term.coding.compaction.conversation import message_text
from pi_term.coding.compaction.desk import SummaryDesk
from pi_term.coding.compaction.files import FileLists, files_of, with_file_lists
from pi_term.coding.compaction.parts import summarize_in_parts
from pi_term.coding.compaction.prepare import own_details
from pi_term.coding.compaction.prompts import BRANCH
from pi_term.coding.compaction.summarize import Summary
from pi_term.coding.session.entries import CONTEXT_TYPES, CompactionEntry
from pi_term.coding.session.projection import edits_of, seen_messages
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.tokens import CHARS_PER_TOKEN

_SUMMARIES = ("compaction", "branch_summary")


async def summarize_branch(
    entries: Sequence[StoredEntry], desk: SummaryDesk, budget_tokens: int, instructions: str = ""
) -> Summary | None:
    """Have the model at `desk` tell what happened in `entries`, oldest first; None where that is nothing.

    Of a long branch the newest messages count, about `budget_tokens` of them. Raises what `summarize` does.
    """
    messages, files = await asyncio.to_thread(_collect, entries, budget_tokens * CHARS_PER_TOKEN)
    text = await summarize_in_parts(messages, desk, BRANCH, instructions)
    return Summary(with_file_lists(text, files), desk.usage, files.details()) if text else None


def _collect(entries: Sequence[StoredEntry], budget_chars: int) -> tuple[list[AgentMessage], FileLists]:
    """The newest messages within the budget, oldest first, with all files that are known of the branch.

    Reads and decodes what it takes, and summaries.
    """
    messages: list[AgentMessage] = []
    for message in _newest_first(entries):
        budget_chars -= len(message_text(message))
        if messages and budget_chars < 0:
            break
        messages.append(message)
    messages.reverse()
    told = own_details([entry for entry in entries if entry.type in _SUMMARIES])
    return messages, files_of(messages, told)


def _newest_first(entries: Sequence[StoredEntry]) -> Iterator[AgentMessage]:
    """What a model saw of the branch, from its end: the latest compaction stands for what was before."""
    edits = edits_of(entries)
    compaction: CompactionEntry | None = None
    summaries: list[AgentMessage] = []
    for entry in reversed(entries):
        if entry.type == CompactionEntry.type and compaction is None:
            record = entry.record()
            if isinstance(record, CompactionEntry):
                compaction, summaries = record, seen_messages(entry, edits)
        elif entry.type in CONTEXT_TYPES and entry.role != SystemMessage.role:
            yield from seen_messages(entry, edits)
        if compaction is not None and compaction.first_kept_entry_id == entry.id:
            break
    yield from (message for message in summaries if not isinstance(message, SystemMessage))
