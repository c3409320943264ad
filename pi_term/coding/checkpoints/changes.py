"""Changes of files as a session remembers them.

Each is an entry in the session's tree, written before the change is made, so that a process that is
killed leaves no change unknown; a change that then failed is one that leads nowhere. Of the order of
entries only that of the file counts, which is that of time: where a file was changed on one branch and
the user went on elsewhere without restoring it, it was there in its changed form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pi_term.base.dataclass import dataclass
from pi_term.base.records import Record, record_field
from pi_term.coding.checkpoints.content import Content
from pi_term.coding.session.entries import CustomEntry
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.session.tree import SessionTree

CHANGE = "pi_term.file_change"
RESTORE = "pi_term.restore"
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(slots=True)
class FileChange(Record):
    """A file, what it held before and what it was to hold after a change; None: there was no file.

    `path` is absolute, links followed. `restore` is the id of the restore that the change is part of.
    """

    path: str
    before: Content | None = record_field(Content, default=None)
    after: Content | None = record_field(Content, default=None)
    restore: str | None = None

    def entry(self) -> CustomEntry:
        """The entry that tells of it."""
        return CustomEntry(custom_type=CHANGE, data=self.to_json())


def restore_entry(target: str) -> CustomEntry:
    """The entry before the changes of a restore to the state at the entry `target`."""
    return CustomEntry(custom_type=RESTORE, data={"target": target})


def changes_after(tree: SessionTree, entry: StoredEntry | None) -> list[FileChange]:
    """The changes that were noted later than `entry` (None: all), oldest first. Reads the file."""
    found = [change for each in _customs_after(tree, entry) if (change := change_of(each)) is not None]
    found.reverse()
    return found


def change_of(entry: StoredEntry) -> FileChange | None:
    """The change that an entry notes; None for every other entry. Reads the file."""
    if entry.type != CustomEntry.type or entry.damaged or entry.data.get("customType") != CHANGE:
        return None
    return _change(entry.data.get("data"))


def changes_of_last_restore(tree: SessionTree) -> tuple[StoredEntry, list[FileChange]] | None:
    """The latest restore: the entry that begins it, and its changes, oldest first. Reads the file."""
    for each in _customs_after(tree, None):
        if each.data.get("customType") == RESTORE:
            return each, [change for change in changes_after(tree, each) if change.restore == each.id]
    return None


def prompts_with_changes(tree: SessionTree) -> list[tuple[StoredEntry, int]]:
    """The prompts on the branch, oldest first, and how many files were changed after each. Reads the file."""
    prompts: list[StoredEntry] = []
    changed: list[set[str]] = []
    for each in tree.branch():
        if each.role == "user":
            prompts.append(each)
            changed.append(set())
        elif changed and (change := change_of(each)) is not None and change.restore is None:
            changed[-1].add(change.path)
    return [(prompt, len(paths)) for prompt, paths in zip(prompts, changed, strict=True)]


def _customs_after(tree: SessionTree, entry: StoredEntry | None) -> Iterator[StoredEntry]:
    """Newest first."""
    for each in reversed(tree.entries):
        if each is entry:
            return
        if each.type == CustomEntry.type and not each.damaged:
            yield each


def _change(data: Any) -> FileChange | None:
    """None for what anybody else may have written there."""
    if not isinstance(data, dict):
        return None
    try:
        change = FileChange.from_json(data)
    except (ValueError, TypeError, AttributeError):
        return None
    contents = (change.before, change.after)
    whole = isinstance(change.path, str) and change.path.startswith("/") and "\0" not in change.path
    return change if whole and all(each is None or _is_whole(each) for each in contents) else None


def _is_whole(content: Content) -> bool:
    digest, mode = content.digest, content.mode
    return (
        isinstance(content.size, int)
        and (digest is None or (isinstance(digest, str) and _DIGEST.fullmatch(digest) is not None))
        and (mode is None or (isinstance(mode, int) and 0 <= mode <= 0o7777))
    )
