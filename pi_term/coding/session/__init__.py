"""The session file: a tree of entries in one append-only JSON Lines file, and what a model sees of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.coding.session.entries import (
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
    from pi_term.coding.session.locate import (
        FoundSession,
        find,
        folder_for_cwd,
        latest_for_cwd,
        valid_session_id,
        with_id,
    )
    from pi_term.coding.session.projection import (
        ModelRef,
        SessionContext,
        build_context,
        chosen_model,
        chosen_thinking_level,
        select_entries,
    )
    from pi_term.coding.session.store import SessionFile
    from pi_term.coding.session.stored import StoredEntry
    from pi_term.coding.session.system_state import SystemState, diff_system, replay_system
    from pi_term.coding.session.tree import SessionTree

_HOMES = {
    "entries": (
        "BranchSummaryEntry",
        "CompactionEntry",
        "ContextEditEntry",
        "CustomEntry",
        "CustomMessageEntry",
        "EntryRecord",
        "LabelEntry",
        "MessageEntry",
        "ModelChangeEntry",
        "SessionHeader",
        "SessionInfoEntry",
        "ThinkingLevelChangeEntry",
        "UsageEntry",
        "entry_from_json",
    ),
    "locate": ("FoundSession", "find", "folder_for_cwd", "latest_for_cwd", "valid_session_id", "with_id"),
    "projection": (
        "ModelRef",
        "SessionContext",
        "build_context",
        "chosen_model",
        "chosen_thinking_level",
        "select_entries",
    ),
    "store": ("SessionFile",),
    "stored": ("StoredEntry",),
    "system_state": ("SystemState", "diff_system", "replay_system"),
    "tree": ("SessionTree",),
}
__all__ = [
    "BranchSummaryEntry",
    "CompactionEntry",
    "ContextEditEntry",
    "CustomEntry",
    "CustomMessageEntry",
    "EntryRecord",
    "FoundSession",
    "LabelEntry",
    "MessageEntry",
    "ModelChangeEntry",
    "ModelRef",
    "SessionContext",
    "SessionFile",
    "SessionHeader",
    "SessionInfoEntry",
    "SessionTree",
    "StoredEntry",
    "SystemState",
    "ThinkingLevelChangeEntry",
    "UsageEntry",
    "build_context",
    "chosen_model",
    "chosen_thinking_level",
    "diff_system",
    "entry_from_json",
    "find",
    "folder_for_cwd",
    "latest_for_cwd",
    "replay_system",
    "select_entries",
    "valid_session_id",
    "with_id",
]

__getattr__ = lazy_exports(__name__, _HOMES)
