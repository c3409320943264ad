"""Entries as typed records: Pi's shapes, in and out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pi_term.ai.messages import SystemMessage, TextContent, Usage, UserMessage
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    EntryRecord,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionHeader,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
    UsageEntry,
    entry_from_json,
)

BASE = {"id": "a0b1c2d3", "parentId": None, "timestamp": "2024-12-03T14:00:00.000Z"}
COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
USAGE = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 10, "cost": COST}

SHAPES: list[tuple[type[EntryRecord], dict[str, Any]]] = [
    (MessageEntry, {"type": "message", "message": {"role": "user", "content": "Hello", "timestamp": 1}}),
    (ModelChangeEntry, {"type": "model_change", "provider": "openai", "modelId": "gpt"}),
    (ThinkingLevelChangeEntry, {"type": "thinking_level_change", "thinkingLevel": "high"}),
    (SessionInfoEntry, {"type": "session_info", "name": "Refactor"}),
    (CustomEntry, {"type": "custom", "customType": "x", "data": {"count": 42}}),
    (CustomMessageEntry, {"type": "custom_message", "customType": "x", "content": "c", "display": True}),
    (LabelEntry, {"type": "label", "targetId": "t", "label": "checkpoint"}),
    (LabelEntry, {"type": "label", "targetId": "t"}),
    (ContextEditEntry, {"type": "context_edit", "targetId": "t", "replacement": None}),
    (ContextEditEntry, {"type": "context_edit", "targetId": "t", "replacement": {"content": "other"}}),
    (
        ContextEditEntry,
        {
            "type": "context_edit",
            "targetId": "t",
            "replacement": {"content": [{"type": "text", "text": "x"}]},
        },
    ),
    (
        CompactionEntry,
        {
            "type": "compaction",
            "summary": "s",
            "firstKeptEntryId": "t",
            "tokensBefore": 50000,
            "details": {"readFiles": ["a"]},
            "usage": USAGE,
            "fromHook": False,
            "systemMessage": {"role": "system", "content": "", "toolsAdded": [], "timestamp": 1},
        },
    ),
    (BranchSummaryEntry, {"type": "branch_summary", "fromId": "t", "summary": "s"}),
    (UsageEntry, {"type": "usage", "kind": "cache_warm", "provider": "p", "model": "m", "usage": USAGE}),
    (EntryRecord, {"type": "from_the_future", "what": [1, {"x": None}]}),
]


@pytest.mark.parametrize(("kind", "fields"), SHAPES, ids=[f["type"] for _, f in SHAPES])
def test_pis_shapes_come_back_as_they_were(kind: type[EntryRecord], fields: dict[str, Any]) -> None:
    tag = {"type": fields["type"]}
    data = {**tag, **BASE, **{key: value for key, value in fields.items() if key != "type"}}
    record = entry_from_json(data)
    assert isinstance(record, kind)
    assert json.dumps(record.to_json()) == json.dumps(data)  # the order of the keys, too
    newer = {**data, "unknownKey": [None]}
    assert entry_from_json(newer).to_json() == newer


def test_a_root_says_that_it_has_no_parent() -> None:
    assert '"parentId": null' in json.dumps(ModelChangeEntry("p", "m").to_json())


def test_an_omission_says_so() -> None:
    assert ContextEditEntry("t").to_json()["replacement"] is None
    assert ContextEditEntry("t", [TextContent("x")]).to_json()["replacement"] == {
        "content": [{"type": "text", "text": "x"}]
    }


def test_typed_parts() -> None:
    compaction = entry_from_json({**SHAPES[11][1], **BASE})
    assert isinstance(compaction, CompactionEntry)
    assert isinstance(compaction.usage, Usage)
    assert isinstance(compaction.system_message, SystemMessage)
    message = entry_from_json({**SHAPES[0][1], **BASE})
    assert isinstance(message, MessageEntry)
    assert isinstance(message.message, UserMessage)


def test_the_header_keeps_what_old_versions_wrote() -> None:
    old = {"type": "session", "id": "x", "timestamp": "t", "cwd": "/w", "provider": "anthropic"}
    header = SessionHeader.from_json(old)
    assert (header.version, header.extra) == (1, {"provider": "anthropic"})
