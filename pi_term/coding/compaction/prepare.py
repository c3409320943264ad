"""What a compaction takes out of the context, and what it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import SystemMessage
from pi_term.base.dataclass import dataclass
from pi_term.coding.compaction.cut import Cut, cut_behind, find_cut
from pi_term.coding.compaction.files import FileLists, files_of
from pi_term.coding.messages import CompactionSummaryMessage
from pi_term.coding.session.entries import BranchSummaryEntry, CompactionEntry
from pi_term.coding.session.projection import SessionContext
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.tokens import estimate_chars


@dataclass(frozen=True, slots=True)
class Preparation:
    """A compaction that can be summarised.

    `first_kept` is the id of the first entry that stays, None where none does. `history` are the messages
    to summarise; `turn_prefix` those at their end that belong to a turn which is only kept in part.
    `previous_summary` tells of what was before them. `files` are those that all of it read and changed.
    """

    first_kept: str | None
    history: tuple[AgentMessage, ...]
    turn_prefix: tuple[AgentMessage, ...]
    previous_summary: str | None
    files: FileLists
    tokens_before: int


def prepare(
    context: SessionContext, keep_tokens: int, tokens_before: int, *, keep_nothing: bool = False
) -> Preparation | None:
    """Find what to summarise so that about `keep_tokens` of recent messages stay; None if that is nothing.

    What an earlier compaction kept is summarised with the rest; its summary is to be brought up to date.
    `keep_nothing` is for contexts in which the recent messages themselves are too much. Looks at all
    messages: a job for a worker thread when there are thousands.
    """
    begin = _after_compaction(context)
    messages = context.messages[begin:]
    keep_nothing = keep_nothing or keep_tokens <= 0
    cut = cut_behind(messages) if keep_nothing else find_cut(messages, keep_tokens)
    if cut is None or not any(estimate_chars(each) for each in _said(messages[: cut.kept])):
        return None
    return Preparation(
        first_kept=None if keep_nothing else context.sources[begin + cut.kept].id,
        history=_said(messages[: cut.turn]),
        turn_prefix=_said(messages[cut.turn : cut.kept]),
        previous_summary=_previous_summary(context.messages[:begin]),
        files=_files(context, begin, cut),
        tokens_before=tokens_before,
    )


def _after_compaction(context: SessionContext) -> int:
    """How many messages, from the first on, are an earlier compaction's own."""
    for number, source in enumerate(context.sources):
        if source.type != "compaction":
            return number
    return len(context.sources)


def _said(messages: Sequence[AgentMessage]) -> tuple[AgentMessage, ...]:
    """Without the prompt and its changes: those are kept apart from the conversation."""
    return tuple(message for message in messages if not isinstance(message, SystemMessage))


def _previous_summary(messages: Sequence[AgentMessage]) -> str | None:
    summaries = (each.summary for each in messages if isinstance(each, CompactionSummaryMessage))
    return next(summaries, None)


def _files(context: SessionContext, begin: int, cut: Cut) -> FileLists:
    end = begin + cut.kept
    summarised = context.sources[:1] if begin else []
    summarised += [source for source in context.sources[begin:end] if source.type == "branch_summary"]
    return files_of(context.messages[begin:end], own_details(summarised))


def own_details(entries: Sequence[StoredEntry]) -> Iterator[object]:
    """The details of summaries that we wrote; those of extensions are of their own shape."""
    for entry in entries:
        record = entry.record()
        if isinstance(record, CompactionEntry | BranchSummaryEntry) and not record.from_hook:
            yield record.details
