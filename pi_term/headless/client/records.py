"""What commands return, typed. Keys that are unknown here stay in `extra`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from pi_term.ai.messages import Usage
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.records import Record, coded, record_field


def _records(kind: type[Record]) -> Any:
    def decode(values: Sequence[JsonObject]) -> list[Record]:
        return [kind.from_json(value) for value in values]

    def encode(records: Sequence[Record]) -> list[JsonObject]:
        return [record.to_json() for record in records]

    return coded(decode, encode, default_factory=list)


@dataclass(slots=True)
class ModelInfo(Record):
    """A model. `context_window` and `max_tokens` are tokens, `cost` dollars per million of them."""

    id: str = ""
    name: str = ""
    provider: str = ""
    api: str = ""
    base_url: str = ""
    reasoning: bool = False
    input: list[str] = field(default_factory=list)
    context_window: int = 0
    max_tokens: int = 0
    cost: JsonObject = field(default_factory=dict)


@dataclass(slots=True)
class SessionState(Record):
    """What the session is and does. One in memory has no `session_file`."""

    model: ModelInfo = record_field(ModelInfo, default_factory=ModelInfo)
    thinking_level: str = "off"
    is_streaming: bool = False
    is_compacting: bool = False
    steering_mode: str = "one-at-a-time"
    follow_up_mode: str = "one-at-a-time"
    session_file: str | None = None
    session_id: str = ""
    session_name: str | None = None
    auto_compaction_enabled: bool = True
    message_count: int = 0
    pending_message_count: int = 0


@dataclass(slots=True)
class TokenCounts(Record):
    """Tokens of all model calls of a session."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    total: int = 0


@dataclass(slots=True)
class ContextUsage(Record):
    """How full the model's context is; `tokens` and `percent` are None right after a compaction."""

    tokens: int | None = None
    context_window: int = 0
    percent: float | None = None


@dataclass(slots=True)
class SessionStats(Record):
    """What a session has used; `cost` is in US dollars."""

    session_file: str | None = None
    session_id: str = ""
    user_messages: int = 0
    assistant_messages: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    total_messages: int = 0
    tokens: TokenCounts = record_field(TokenCounts, default_factory=TokenCounts)
    cost: float = 0.0
    context_usage: ContextUsage | None = record_field(ContextUsage, default=None)


@dataclass(slots=True)
class Compaction(Record):
    """What a compaction came to."""

    summary: str = ""
    first_kept_entry_id: str = ""
    tokens_before: int = 0
    estimated_tokens_after: int = 0
    usage: Usage | None = record_field(Usage, default=None)
    details: JsonObject = field(default_factory=dict)


@dataclass(slots=True)
class BashResult(Record):
    """What a command came to; `exit_code` is None for one that was cancelled."""

    output: str = ""
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None


@dataclass(slots=True)
class ClearedQueue(Record):
    """The texts that waited."""

    steering: list[str] = field(default_factory=list)
    follow_up: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ForkPoint(Record):
    """One of the user's messages, to fork from."""

    entry_id: str = ""
    text: str = ""


@dataclass(slots=True)
class CommandInfo(Record):
    """What a prompt can call by `/name`."""

    name: str = ""
    description: str = ""
    source: str = ""
    source_info: JsonObject = field(default_factory=dict)


@dataclass(slots=True)
class Cycled(Record):
    """The model that was gone to."""

    model: ModelInfo = record_field(ModelInfo, default_factory=ModelInfo)
    thinking_level: str = "off"
    is_scoped: bool = False


@dataclass(slots=True)
class Entries(Record):
    """Entries of the session file; `leaf_id` is the place where the session is."""

    entries: list[JsonObject] = field(default_factory=list)
    leaf_id: str | None = None


@dataclass(slots=True)
class ForkPoints(Record):
    """All of them, oldest first."""

    messages: list[ForkPoint] = _records(ForkPoint)


@dataclass(slots=True)
class Models(Record):
    """All that have a key."""

    models: list[ModelInfo] = _records(ModelInfo)


@dataclass(slots=True)
class Commands(Record):
    """All that there are."""

    commands: list[CommandInfo] = _records(CommandInfo)
