"""The events of a session as JSON mode and RPC mode tell them, in Pi's shapes.

Source of the format: `docs/json.md` of the npm package `@earendil-works/pi-coding-agent`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pi_term.agent.events import (
    AgentEnd,
    AgentStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    QueueUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
    TurnStart,
)
from pi_term.ai.events import BlockDelta, BlockEvent, TextEnd, ThinkingEnd, ToolCallEnd, ToolCallStart
from pi_term.ai.messages import AssistantMessage, ToolCall
from pi_term.base.json import JsonObject
from pi_term.coding.events import (
    AgentSettled,
    AutoRetryEnd,
    AutoRetryStart,
    CompactionEnd,
    CompactionResult,
    CompactionStart,
    EntryAppended,
    SessionEvent,
    SessionInfoChanged,
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
    ThinkingLevelChanged,
)


def event_json(event: SessionEvent) -> JsonObject | None:
    """The record for an event; None for those that are not told (Pi has none of that kind).

    `message_update` carries what is new only, not the message so far: the stream stays as long as what
    is said in it.
    """
    fields = _FIELDS.get(type(event))
    return None if fields is None else {"type": event.type, **fields(event)}


def compaction_json(result: CompactionResult) -> JsonObject:
    """What a compaction came to."""
    told: JsonObject = {
        "summary": result.summary,
        "firstKeptEntryId": result.first_kept_entry_id,
        "tokensBefore": result.tokens_before,
        "estimatedTokensAfter": result.estimated_tokens_after,
    }
    if result.usage is not None:
        told["usage"] = result.usage.to_json()
    return {**told, "details": {key: list(value) for key, value in result.details.items()}}


def _agent_end(event: AgentEnd) -> JsonObject:
    return {"messages": [each.to_json() for each in event.messages], "willRetry": event.will_retry}


def _turn_end(event: TurnEnd) -> JsonObject:
    results = [each.to_json() for each in event.tool_results]
    return {"message": event.message.to_json(), "toolResults": results}


def _message_start(event: MessageStart) -> JsonObject:
    message = event.message.to_json()
    if isinstance(event.message, AssistantMessage):
        # It may have grown since it began: what came is told by the updates.
        message |= {"content": [], "stopReason": "pending"}
        message.pop("errorMessage", None)
    return {"message": message}


def _message_update(event: MessageUpdate) -> JsonObject:
    return {"usage": event.message.usage.to_json(), "assistantMessageEvent": _block_json(event.event)}


def _block_json(event: BlockEvent) -> JsonObject:
    out: JsonObject = {"type": event.type, "contentIndex": event.content_index}
    match event:
        case BlockDelta():
            out["delta"] = event.delta
        case TextEnd() | ThinkingEnd():
            out["content"] = event.content
        case ToolCallEnd():
            out["toolCall"] = event.tool_call.to_json()
        case ToolCallStart():
            call = event.partial.content[event.content_index]
            if isinstance(call, ToolCall):
                out |= {"id": call.id, "toolName": call.name}
    return out


def _tool_start(event: ToolExecutionStart | ToolExecutionUpdate) -> JsonObject:
    return {"toolCallId": event.tool_call_id, "toolName": event.tool_name, "args": event.args}


def _tool_update(event: ToolExecutionUpdate) -> JsonObject:
    return {**_tool_start(event), "partialResult": event.partial_result.to_json()}


def _tool_end(event: ToolExecutionEnd) -> JsonObject:
    told: JsonObject = {
        "toolCallId": event.tool_call_id,
        "toolName": event.tool_name,
        "result": event.result.to_json(),
        "isError": event.is_error,
    }
    return told if event.duration_ms is None else {**told, "durationMs": event.duration_ms}


def _failed_call(event: AutoRetryStart | SummarizationRetryScheduled) -> JsonObject:
    return {
        "attempt": event.attempt,
        "maxAttempts": event.max_attempts,
        "delayMs": event.delay_ms,
        "errorMessage": event.error_message,
    }


def _retry_end(event: AutoRetryEnd) -> JsonObject:
    told: JsonObject = {"success": event.success, "attempt": event.attempt}
    return told if event.final_error is None else {**told, "finalError": event.final_error}


def _summary_retry(event: SummarizationRetryAttemptStart) -> JsonObject:
    told: JsonObject = {"source": event.source}
    return told if event.reason is None else {**told, "reason": event.reason}


def _compaction_end(event: CompactionEnd) -> JsonObject:
    told: JsonObject = {"reason": event.reason}
    if event.result is not None:
        told["result"] = compaction_json(event.result)
    told |= {"aborted": event.aborted, "willRetry": event.will_retry}
    return told if event.error_message is None else {**told, "errorMessage": event.error_message}


def _nothing_more(event: SessionEvent) -> JsonObject:
    return {}


_FIELDS: dict[type[SessionEvent], Callable[[Any], JsonObject]] = {
    AgentStart: _nothing_more,
    AgentEnd: _agent_end,
    TurnStart: _nothing_more,
    TurnEnd: _turn_end,
    MessageStart: _message_start,
    MessageUpdate: _message_update,
    MessageEnd: lambda event: {"message": event.message.to_json()},
    ToolExecutionStart: _tool_start,
    ToolExecutionUpdate: _tool_update,
    ToolExecutionEnd: _tool_end,
    QueueUpdate: lambda event: {"steering": event.steering, "followUp": event.follow_up},
    AgentSettled: lambda event: {"aborted": event.aborted},
    AutoRetryStart: _failed_call,
    AutoRetryEnd: _retry_end,
    SummarizationRetryScheduled: _failed_call,
    SummarizationRetryAttemptStart: _summary_retry,
    SummarizationRetryFinished: _nothing_more,
    CompactionStart: lambda event: {"reason": event.reason},
    CompactionEnd: _compaction_end,
    EntryAppended: lambda event: {"entry": event.entry.to_json()},
    SessionInfoChanged: lambda event: {} if event.name is None else {"name": event.name},
    ThinkingLevelChanged: lambda event: {"level": event.level},
}
