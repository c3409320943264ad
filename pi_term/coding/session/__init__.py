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
    from pi_term.coding.session.folders import DatedFile, files_below, files_in
    from pi_term.coding.session.importing import import_session
    from pi_term.coding.session.listing import SessionSummary, list_sessions, read_summary
    from pi_term.coding.session.locate import (
        FoundSession,
        find,
        folder_for_cwd,
        latest_for_cwd,
        valid_session_id,
        with_id,
    )
    from pi_term.coding.session.navigate import abandoned, common_ancestor, landing
    from pi_term.coding.session.nodes import entries_since, tree_nodes
    from pi_term.coding.session.projection import (
        ModelRef,
        SessionContext,
        build_context,
        chosen_model,
        chosen_thinking_level,
        count_messages,
        select_entries,
    )
    from pi_term.coding.session.search import SearchHit, search_sessions
    from pi_term.coding.session.store import SessionFile
    from pi_term.coding.session.stored import StoredEntry
    from pi_term.coding.session.system_state import SystemState, diff_system, replay_system
    from pi_term.coding.session.tail import peek
    from pi_term.coding.session.trash import delete_session
    from pi_term.coding.session.tree import Label, SessionTree

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
    "folders": ("DatedFile", "files_below", "files_in"),
    "importing": ("import_session",),
    "listing": ("SessionSummary", "list_sessions", "read_summary"),
    "locate": ("FoundSession", "find", "folder_for_cwd", "latest_for_cwd", "valid_session_id", "with_id"),
    "navigate": ("abandoned", "common_ancestor", "landing"),
    "nodes": ("entries_since", "tree_nodes"),
    "tail": ("peek",),
    "projection": (
        "ModelRef",
        "SessionContext",
        "build_context",
        "chosen_model",
        "chosen_thinking_level",
        "count_messages",
        "select_entries",
    ),
    "search": ("SearchHit", "search_sessions"),
    "store": ("SessionFile",),
    "stored": ("StoredEntry",),
    "system_state": ("SystemState", "diff_system", "replay_system"),
    "trash": ("delete_session",),
    "tree": ("Label", "SessionTree"),
}
__all__ = [
    "BranchSummaryEntry",
    "CompactionEntry",
    "ContextEditEntry",
    "CustomEntry",
    "CustomMessageEntry",
    "DatedFile",
    "EntryRecord",
    "FoundSession",
    "Label",
    "LabelEntry",
    "MessageEntry",
    "ModelChangeEntry",
    "ModelRef",
    "SearchHit",
    "SessionContext",
    "SessionFile",
    "SessionHeader",
    "SessionInfoEntry",
    "SessionSummary",
    "SessionTree",
    "StoredEntry",
    "SystemState",
    "ThinkingLevelChangeEntry",
    "UsageEntry",
    "abandoned",
    "build_context",
    "chosen_model",
    "chosen_thinking_level",
    "common_ancestor",
    "count_messages",
    "delete_session",
    "diff_system",
    "entries_since",
    "entry_from_json",
    "files_below",
    "files_in",
    "find",
    "folder_for_cwd",
    "import_session",
    "landing",
    "latest_for_cwd",
    "list_sessions",
    "peek",
    "read_summary",
    "replay_system",
    "search_sessions",
    "select_entries",
    "tree_nodes",
    "valid_session_id",
    "with_id",
]

__getattr__ = lazy_exports(__name__, _HOMES)
