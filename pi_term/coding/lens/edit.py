"""Taking messages out of the model's view, and putting them back. The history itself stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pi_term.ai.messages import AssistantMessage, ToolResultMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.lens.pieces import EDITABLE
from pi_term.coding.session.entries import ContextEditEntry
from pi_term.coding.session.projection import seen_messages, select_entries
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.session.tree import SessionTree

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession

LEFT_OUT_RESULT = "(The user took this result out of the conversation.)"
"""What stands for a result: its call, which stays, must have one."""


async def exclude(session: AgentSession, entry_id: str) -> None:
    """Take a message out of the model's view from the next request on; an answer with its calls' results.

    Raises `PiTermError`: "no_entry", "not_editable", and "busy" during a run.
    """
    async with session.occupied():
        edits = await asyncio.to_thread(list, _exclusions(session.file.tree, entry_id))
        await session.conversation.edit(edits)


async def restore(session: AgentSession, entry_id: str) -> None:
    """Let the model see a message again as it was written; an answer with its calls' results.

    Raises what `exclude` raises.
    """
    async with session.occupied():
        edits = await asyncio.to_thread(list, _restorations(session.file.tree, entry_id))
        await session.conversation.edit(edits)


def _exclusions(tree: SessionTree, entry_id: str) -> Iterator[ContextEditEntry]:
    entry, message = _editable(tree, entry_id)
    if isinstance(message, ToolResultMessage):
        yield ContextEditEntry(target_id=entry.id, replacement=LEFT_OUT_RESULT)
        return
    yield ContextEditEntry(target_id=entry.id)
    for result in _results(tree, entry, message):
        yield ContextEditEntry(target_id=result.id)


def _restorations(tree: SessionTree, entry_id: str) -> Iterator[ContextEditEntry]:
    entry, message = _editable(tree, entry_id)
    for each in (entry, *_results(tree, entry, message)):
        for original in seen_messages(each, {}):
            if isinstance(original, EDITABLE):
                yield ContextEditEntry(target_id=each.id, replacement=original.content)  # type: ignore[arg-type]


def _editable(tree: SessionTree, entry_id: str) -> tuple[StoredEntry, object]:
    entry = next((each for each in select_entries(tree) if each.id == entry_id), None)
    if entry is None:
        raise PiTermError(
            "no_entry",
            f"There is no entry {entry_id} in what the model sees.",
            "It may be on another branch, or stand in the summary of a compaction.",
        )
    message = next(iter(seen_messages(entry, {})), None)
    if not isinstance(message, EDITABLE):
        raise PiTermError("not_editable", "Only messages and results can be taken out of the model's view.")
    return entry, message


def _results(tree: SessionTree, entry: StoredEntry, message: object) -> Iterator[StoredEntry]:
    """The entries of the results of the calls in `message`."""
    calls = {call.id for call in message.tool_calls} if isinstance(message, AssistantMessage) else set()
    if not calls:
        return
    selected = select_entries(tree)
    for each in selected[selected.index(entry) + 1 :]:
        if each.role == "assistant":
            return
        found = seen_messages(each, {}) if each.role == "toolResult" else []
        if any(isinstance(result, ToolResultMessage) and result.tool_call_id in calls for result in found):
            yield each
