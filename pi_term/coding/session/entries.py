"""The entries of a session file as typed records.

Source of the format: `docs/session-format.md` of the npm package `@earendil-works/pi-coding-agent`.
Keys that are unknown here stay in `extra`. `timestamp` is ISO 8601 in UTC.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import SystemMessage, Usage, UserPart, content_field, part_from_json
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.records import Record, coded, record_field
from pi_term.coding.messages import agent_message_from_json

CURRENT_VERSION = 3


@dataclass(slots=True)
class SessionHeader(Record):
    """First line of a session file; no part of the tree.

    `cwd` is the working directory, `parent_session` the path of the file this one was forked from.
    Files of the oldest format have no version.
    """

    TAG = "type"
    type: ClassVar[str] = "session"
    version: int = 1
    id: str = ""
    timestamp: str = ""
    cwd: str = ""
    parent_session: str | None = None


@dataclass(slots=True)
class EntryRecord(Record):
    """What all entries have. The store fills in what is empty when it adds one."""

    TAG = "type"
    type: ClassVar[str] = ""
    id: str = field(default="", kw_only=True)
    parent_id: str | None = field(default=None, kw_only=True)
    timestamp: str = field(default="", kw_only=True)

    def to_json(self) -> JsonObject:
        """The entry in the key order of the format; `parentId` is written even when null."""
        out: JsonObject = {
            "type": self.type or self.extra.get("type", ""),
            "id": self.id,
            "parentId": self.parent_id,
            "timestamp": self.timestamp,
        }
        out.update(Record.to_json(self))
        return out


@dataclass(slots=True)
class MessageEntry(EntryRecord):
    """A message of the conversation."""

    type: ClassVar[str] = "message"
    message: AgentMessage = coded(agent_message_from_json, lambda message: message.to_json())


@dataclass(slots=True)
class ModelChangeEntry(EntryRecord):
    """The model was chosen; the latest on the branch counts."""

    type: ClassVar[str] = "model_change"
    provider: str = ""
    model_id: str = ""


@dataclass(slots=True)
class ThinkingLevelChangeEntry(EntryRecord):
    """The thinking level was chosen; the latest on the branch counts."""

    type: ClassVar[str] = "thinking_level_change"
    thinking_level: str = "off"


@dataclass(slots=True)
class SessionInfoEntry(EntryRecord):
    """The session got a name that people gave it."""

    type: ClassVar[str] = "session_info"
    name: str | None = None


@dataclass(slots=True)
class CustomEntry(EntryRecord):
    """State of an extension, or of this program (`custom_type` begins with `pi_term.`); never for models."""

    type: ClassVar[str] = "custom"
    custom_type: str = ""
    data: Any = None


@dataclass(slots=True)
class CustomMessageEntry(EntryRecord):
    """A message that an extension put into the context."""

    type: ClassVar[str] = "custom_message"
    custom_type: str = ""
    content: str | list[UserPart] = content_field(default="")
    display: bool = True
    details: Any = None


@dataclass(slots=True)
class LabelEntry(EntryRecord):
    """A bookmark on the entry `target_id`; no `label` takes the bookmark away."""

    type: ClassVar[str] = "label"
    target_id: str = ""
    label: str | None = None


def _new_content(replacement: Any) -> Any:
    content = replacement["content"] if isinstance(replacement, dict) else replacement
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise ValueError("the replacement has no content")
    return [part_from_json(part) for part in content]


def _as_replacement(content: Any) -> JsonObject:
    return {"content": content if isinstance(content, str) else [part.to_json() for part in content]}


@dataclass(slots=True)
class ContextEditEntry(EntryRecord):
    """From here on the model sees `replacement` as the content of `target_id`; None leaves it out.

    In JSON the replacement is an object with the key `content`, as Pi 1.6 reads and writes it.
    """

    type: ClassVar[str] = "context_edit"
    target_id: str = ""
    replacement: str | list[UserPart] | None = coded(_new_content, _as_replacement, default=None)

    def to_json(self) -> JsonObject:
        """The entry; `replacement` is written even when null, where it means omission."""
        out = EntryRecord.to_json(self)
        out.setdefault("replacement", None)
        return out


@dataclass(slots=True)
class CompactionEntry(EntryRecord):
    """`summary` replaces what came before `first_kept_entry_id` (its own id: before this entry).

    `system_message` is the whole prompt and tool set at this point; older files lack it.
    """

    type: ClassVar[str] = "compaction"
    summary: str = ""
    first_kept_entry_id: str = ""
    tokens_before: int = 0
    details: Any = None
    usage: Usage | None = record_field(Usage, default=None)
    from_hook: bool | None = None
    system_message: SystemMessage | None = record_field(SystemMessage, default=None)


@dataclass(slots=True)
class BranchSummaryEntry(EntryRecord):
    """What was done on the branch whose end is `from_id`, told to the branch that was entered."""

    type: ClassVar[str] = "branch_summary"
    from_id: str = ""
    summary: str = ""
    details: Any = None
    usage: Usage | None = record_field(Usage, default=None)
    from_hook: bool | None = None


@dataclass(slots=True)
class UsageEntry(EntryRecord):
    """Tokens that were paid for outside of the conversation; `kind` says for what."""

    type: ClassVar[str] = "usage"
    kind: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage = record_field(Usage, default_factory=Usage)


@dataclass(slots=True)
class UnknownEntry(EntryRecord):
    """An entry of a type that this version does not know; all of it is in `extra`."""

    TAG = ""


_KINDS: tuple[type[EntryRecord], ...] = (
    MessageEntry,
    ModelChangeEntry,
    ThinkingLevelChangeEntry,
    SessionInfoEntry,
    CustomEntry,
    CustomMessageEntry,
    LabelEntry,
    ContextEditEntry,
    CompactionEntry,
    BranchSummaryEntry,
    UsageEntry,
)
CONTEXT_TYPES = frozenset((MessageEntry.type, CustomMessageEntry.type, BranchSummaryEntry.type))
"""Entries that stand for a message in the model's context."""

_BY_TYPE: dict[str, type[EntryRecord]] = {kind.type: kind for kind in _KINDS}


def entry_from_json(data: JsonObject) -> EntryRecord:
    """The typed entry; raises what `Record.from_json` raises where the object has not the type's shape."""
    kind = data.get("type")
    return (_BY_TYPE.get(kind, UnknownEntry) if isinstance(kind, str) else UnknownEntry).from_json(data)
