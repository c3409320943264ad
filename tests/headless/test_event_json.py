from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

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
from pi_term.agent.tools import text_result
from pi_term.ai.events import (
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from pi_term.ai.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, Usage, UserMessage
from pi_term.ai.models import Model
from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.events import (
    AgentSettled,
    AutoRetryEnd,
    AutoRetryStart,
    BranchSummaryEnd,
    BranchSummaryStart,
    CompactionEnd,
    CompactionResult,
    CompactionStart,
    DiagnosticRaised,
    EntryAppended,
    LeafMoved,
    ModelChanged,
    SessionEvent,
    SessionInfoChanged,
    SessionSwitched,
    ShellEnded,
    ShellOutput,
    ShellStarted,
    StatsCounted,
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
    ThinkingLevelChanged,
)
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.session import ContextEditEntry
from pi_term.headless.event_json import event_json

CALL = ToolCall("call_1", "read", {"path": "x"})
ANSWER = AssistantMessage(
    [TextContent("Hello"), CALL], "api", "test", "m", usage=Usage(5, 2, total_tokens=7), timestamp=1
)
ASKED = UserMessage("hi", timestamp=1)
DONE = ToolResultMessage("call_1", "read", [TextContent("ok")], timestamp=1)
SAID = {"role": "user", "content": "hi", "timestamp": 1}
USAGE = {
    "input": 5,
    "output": 2,
    "cacheRead": 0,
    "cacheWrite": 0,
    "totalTokens": 7,
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
}
RESULT = CompactionResult("S", "e1", 100, 20, {"readFiles": ["a"]}, Usage(5, 2, total_tokens=7))
TOLD: list[tuple[SessionEvent, dict[str, Any]]] = [
    (AgentStart(), {"type": "agent_start"}),
    (AgentEnd([ASKED], True), {"type": "agent_end", "messages": [SAID], "willRetry": True}),
    (AgentSettled(True), {"type": "agent_settled", "aborted": True}),
    (TurnStart(), {"type": "turn_start"}),
    (
        TurnEnd(ANSWER, [DONE]),
        {"type": "turn_end", "message": ANSWER.to_json(), "toolResults": [DONE.to_json()]},
    ),
    (MessageStart(ASKED), {"type": "message_start", "message": SAID}),
    (MessageEnd(ANSWER), {"type": "message_end", "message": ANSWER.to_json()}),
    (
        ToolExecutionStart("call_1", "read", {"path": "x"}),
        {"type": "tool_execution_start", "toolCallId": "call_1", "toolName": "read", "args": {"path": "x"}},
    ),
    (
        ToolExecutionUpdate("call_1", "read", {}, text_result("half")),
        {
            "type": "tool_execution_update",
            "toolCallId": "call_1",
            "toolName": "read",
            "args": {},
            "partialResult": {"content": [{"type": "text", "text": "half"}]},
        },
    ),
    (
        ToolExecutionEnd("call_1", "read", text_result("all", details={"n": 1}), False, 12),
        {
            "type": "tool_execution_end",
            "toolCallId": "call_1",
            "toolName": "read",
            "result": {"content": [{"type": "text", "text": "all"}], "details": {"n": 1}},
            "isError": False,
            "durationMs": 12,
        },
    ),
    (QueueUpdate(["s"], ["f"]), {"type": "queue_update", "steering": ["s"], "followUp": ["f"]}),
    (
        AutoRetryStart(1, 3, 2000, "529"),
        {
            "type": "auto_retry_start",
            "attempt": 1,
            "maxAttempts": 3,
            "delayMs": 2000,
            "errorMessage": "529",
        },
    ),
    (AutoRetryEnd(True, 2), {"type": "auto_retry_end", "success": True, "attempt": 2}),
    (
        AutoRetryEnd(False, 3, "529"),
        {"type": "auto_retry_end", "success": False, "attempt": 3, "finalError": "529"},
    ),
    (
        SummarizationRetryScheduled(1, 3, 2000, "cut"),
        {
            "type": "summarization_retry_scheduled",
            "attempt": 1,
            "maxAttempts": 3,
            "delayMs": 2000,
            "errorMessage": "cut",
        },
    ),
    (
        SummarizationRetryAttemptStart("compaction", "threshold"),
        {"type": "summarization_retry_attempt_start", "source": "compaction", "reason": "threshold"},
    ),
    (
        SummarizationRetryAttemptStart("branchSummary"),
        {"type": "summarization_retry_attempt_start", "source": "branchSummary"},
    ),
    (SummarizationRetryFinished(), {"type": "summarization_retry_finished"}),
    (CompactionStart("manual"), {"type": "compaction_start", "reason": "manual"}),
    (
        CompactionEnd("overflow", RESULT, will_retry=True),
        {
            "type": "compaction_end",
            "reason": "overflow",
            "result": {
                "summary": "S",
                "firstKeptEntryId": "e1",
                "tokensBefore": 100,
                "estimatedTokensAfter": 20,
                "usage": USAGE,
                "details": {"readFiles": ["a"]},
            },
            "aborted": False,
            "willRetry": True,
        },
    ),
    (
        CompactionEnd("manual", error_message="no"),
        {
            "type": "compaction_end",
            "reason": "manual",
            "aborted": False,
            "willRetry": False,
            "errorMessage": "no",
        },
    ),
    (
        EntryAppended(ContextEditEntry(target_id="e1", id="e2", parent_id="e1", timestamp="t")),
        {
            "type": "entry_appended",
            "entry": {
                "type": "context_edit",
                "id": "e2",
                "parentId": "e1",
                "timestamp": "t",
                "targetId": "e1",
                "replacement": None,
            },
        },
    ),
    (SessionInfoChanged("name"), {"type": "session_info_changed", "name": "name"}),
    (SessionInfoChanged(None), {"type": "session_info_changed"}),
    (ThinkingLevelChanged("high"), {"type": "thinking_level_changed", "level": "high"}),
]
OURS: list[SessionEvent] = [
    ModelChanged(Model("m", "p", "a")),
    SessionSwitched(),
    LeafMoved(),
    BranchSummaryStart(),
    BranchSummaryEnd(),
    StatsCounted(),
    ShellStarted(1, "ls", False),
    ShellOutput(1, "x"),
    ShellEnded(1, BashExecutionMessage("ls")),
    DiagnosticRaised(Diagnostic("warning", "odd", Path("x"))),
]
UPDATES: list[tuple[Any, dict[str, Any]]] = [
    (TextStart(0, ANSWER), {"type": "text_start", "contentIndex": 0}),
    (TextDelta(0, ANSWER, "He"), {"type": "text_delta", "contentIndex": 0, "delta": "He"}),
    (TextEnd(0, ANSWER, "Hello"), {"type": "text_end", "contentIndex": 0, "content": "Hello"}),
    (ThinkingStart(0, ANSWER), {"type": "thinking_start", "contentIndex": 0}),
    (ThinkingDelta(0, ANSWER, "h"), {"type": "thinking_delta", "contentIndex": 0, "delta": "h"}),
    (ThinkingEnd(0, ANSWER, "hm"), {"type": "thinking_end", "contentIndex": 0, "content": "hm"}),
    (
        ToolCallStart(1, ANSWER),
        {"type": "toolcall_start", "contentIndex": 1, "id": "call_1", "toolName": "read"},
    ),
    (ToolCallDelta(1, ANSWER, "{"), {"type": "toolcall_delta", "contentIndex": 1, "delta": "{"}),
    (
        ToolCallEnd(1, ANSWER, CALL),
        {
            "type": "toolcall_end",
            "contentIndex": 1,
            "toolCall": {
                "type": "toolCall",
                "id": "call_1",
                "name": "read",
                "arguments": {"path": "x"},
            },
        },
    ),
]


@pytest.mark.parametrize(("event", "record"), TOLD, ids=lambda each: getattr(each, "type", ""))
def test_the_shape_of_every_event(event: SessionEvent, record: dict[str, Any]) -> None:
    assert event_json(event) == record


@pytest.mark.parametrize(("event", "told"), UPDATES, ids=lambda each: getattr(each, "type", ""))
def test_an_update_tells_what_is_new_and_not_the_message_so_far(event: Any, told: dict[str, Any]) -> None:
    record = {"type": "message_update", "usage": USAGE, "assistantMessageEvent": told}

    assert event_json(MessageUpdate(ANSWER, event)) == record


def test_an_answer_begins_empty_however_late_that_is_told() -> None:
    failed = AssistantMessage([TextContent("half")], stop_reason="error", error_message="cut", timestamp=1)

    told = event_json(MessageStart(failed))

    assert told is not None
    message = told["message"]
    assert (message["content"], message["stopReason"]) == ([], "pending")
    assert "errorMessage" not in message
    assert failed.content == [TextContent("half")]


@pytest.mark.parametrize("event", OURS, ids=lambda event: event.type)
def test_what_pi_has_not_is_not_told(event: SessionEvent) -> None:
    assert event_json(event) is None


def test_no_kind_of_event_is_forgotten() -> None:
    tested = {type(event) for event, _ in TOLD} | {type(event) for event in OURS} | {MessageUpdate}

    assert tested == set(get_args(SessionEvent))
