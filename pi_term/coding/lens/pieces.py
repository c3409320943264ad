"""The messages of a branch as blocks: sent, changed by an edit, or left out and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from pi_term.agent.messages import AgentMessage
from pi_term.ai.fit import MISSING_RESULT, FittedMessage
from pi_term.ai.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_term.base.dataclass import dataclass
from pi_term.coding.lens.blocks import Block
from pi_term.coding.lens.told import title_of, told
from pi_term.coding.messages import BashExecutionMessage, CustomMessage, convert_to_llm
from pi_term.coding.session.entries import CONTEXT_TYPES, ContextEditEntry
from pi_term.coding.session.projection import seen_messages
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.tokens import CHARS_PER_TOKEN, estimate_all

Fit: TypeAlias = Callable[[Message], FittedMessage | None]
EDITABLE = (UserMessage, AssistantMessage, ToolResultMessage, CustomMessage)
"""Messages whose entry a `context_edit` may name."""


@dataclass(slots=True)
class Piece:
    """A block, the entry it comes from, and the message that is sent of it, if one is.

    `answer` is the whole answer that the entry holds, whether or not it is sent again.
    """

    block: Block
    entry: StoredEntry
    sent: FittedMessage | None = None
    answer: AssistantMessage | None = None


def pieces_of(
    selected: Sequence[StoredEntry], edits: dict[str, ContextEditEntry], fit: Fit
) -> Iterator[Piece]:
    """The messages that the active entries of a branch stand for. Decodes each: for a worker thread."""
    for number, entry in enumerate(selected):
        if entry.type in CONTEXT_TYPES or (entry.type == "compaction" and number == 0):
            for message in seen_messages(entry, {}):
                if not isinstance(message, SystemMessage):
                    yield _piece(entry, message, edits, fit)


def paired(pieces: Iterable[Piece]) -> list[Piece]:
    """`pieces` as `fit_history` pairs them: behind an answer one result for each of its calls, no others."""
    pieces = list(pieces)
    taken: set[int] = set()  # the places of results that stand behind their calls
    found: list[Piece] = []
    for place, piece in enumerate(pieces):
        if place in taken:
            continue
        if isinstance(piece.sent, ToolResultMessage):
            block = replace(piece.block, state="left_out", reason="no call waits for it", editable=False)
            piece = Piece(block, piece.entry)
        found.append(piece)
        calls = _calls(piece)
        results = _results_after(pieces, place) if calls else {}
        for call in calls:
            waiting = results.get(call.id)
            if waiting:
                taken.add(waiting[0])
                found.append(pieces[waiting.pop(0)])
            else:
                found.append(_made_up(piece.entry, call.name))
    return found


def _calls(piece: Piece) -> Sequence[ToolCall]:
    return piece.sent.tool_calls if isinstance(piece.sent, AssistantMessage) else ()


def _results_after(pieces: Sequence[Piece], place: int) -> dict[str, list[int]]:
    """The places of the results up to the next answer with calls, by call."""
    results: dict[str, list[int]] = {}
    for number in range(place + 1, len(pieces)):
        sent = pieces[number].sent
        if isinstance(sent, ToolResultMessage):
            results.setdefault(sent.tool_call_id, []).append(number)
        elif _calls(pieces[number]):
            break
    return results


def _piece(entry: StoredEntry, message: AgentMessage, edits: dict[str, ContextEditEntry], fit: Fit) -> Piece:
    seen = next(iter(seen_messages(entry, edits)), None) if entry.id in edits else message
    sent = None if seen is None else _fitted(seen, fit)
    shown = sent or _fitted(message, fit)
    failed = isinstance(message, AssistantMessage) and message.stop_reason in ("error", "aborted")
    answer = message if isinstance(message, AssistantMessage) and not failed else None
    block = Block(
        kind="message",
        title=title_of(message),
        text=told(shown) if shown is not None else _unsent_text(message),
        tokens=estimate_all([shown or message]),
        entry_id=entry.id,
        editable=isinstance(message, EDITABLE) and not failed and shown is not None,
    )
    if sent is None:
        reason = _why_not(message, is_edited=seen is None, failed=failed)
        return Piece(replace(block, state="left_out", reason=reason), entry, answer=answer)
    if entry.id in edits and told(sent) != told(_fitted(message, fit) or sent):
        block = replace(block, state="changed", reason="an edit put this in its place")
    return Piece(block, entry, sent, answer)


def _fitted(message: AgentMessage, fit: Fit) -> FittedMessage | None:
    converted = convert_to_llm([message])
    return fit(converted[0]) if converted else None


def _unsent_text(message: AgentMessage) -> str:
    match message:
        case BashExecutionMessage():
            return f"{message.command}\n\n{message.output}"
        case UserMessage() | AssistantMessage() | ToolResultMessage():
            return told(message)
        case _:
            return ""


def _why_not(message: AgentMessage, *, is_edited: bool, failed: bool) -> str:
    if failed:
        return "it failed and was tried again" if is_edited else "what broke off is not sent again"
    if is_edited:
        return "taken out of the model's view"
    if isinstance(message, BashExecutionMessage):
        return "run with !!, for you only"
    return "there is nothing in it that this model can read"


def _made_up(entry: StoredEntry, tool: str) -> Piece:
    tokens = len(MISSING_RESULT) // CHARS_PER_TOKEN
    reason = "the call has no result: this stands for it"
    return Piece(Block("message", f"Result of {tool}", MISSING_RESULT, tokens, "changed", reason), entry)
