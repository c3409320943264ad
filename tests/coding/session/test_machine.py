"""Whatever is done to a session, and whatever befalls it, it tells the same as a simple model of it."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pi_term.ai.messages import (
    AssistantMessage,
    SystemMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_term.base.errors import PiTermError
from pi_term.coding.messages import BashExecutionMessage, BranchSummaryMessage, CompactionSummaryMessage
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
    SessionFile,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
    UsageEntry,
    build_context,
    entries_since,
    tree_nodes,
)

EDITABLE = ("user", "assistant", "toolResult", "custom")


@dataclass(frozen=True)
class Node:
    """One entry as the model knows it: `role` and `text` of what a model of language sees, if anything."""

    id: str
    parent: str | None
    record: EntryRecord
    role: str = ""
    text: str = ""


@dataclass
class Model:
    """The entries in the order of the file, pending ones last; `unread` are in the file but not known yet."""

    nodes: dict[str, Node] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    leaf: str | None = None

    def add(self, node: Node) -> None:
        self.nodes[node.id] = node
        self.pending.append(node.id)
        self.leaf = node.id

    def flushed(self) -> None:
        self.unread.clear()
        self.written += self.pending
        self.pending = []

    @property
    def known(self) -> list[Node]:
        return [self.nodes[id] for id in [*self.written, *self.pending] if id not in self.unread]

    def path(self) -> list[Node]:
        found: list[Node] = []
        at = self.leaf
        while at is not None:
            found.append(self.nodes[at])
            at = found[-1].parent
        return found[::-1]

    def labels(self) -> dict[str, str]:
        given = {
            node.record.target_id: node.record.label
            for node in self.known
            if isinstance(node.record, LabelEntry)
        }
        return {target: label for target, label in given.items() if label}

    def name(self) -> str | None:
        names = [node.record.name for node in self.known if isinstance(node.record, SessionInfoEntry)]
        return (names[-1] or "").strip() or None if names else None

    def seen(self) -> tuple[list[str], int]:
        """What the language model is shown, and how much of it is from before the latest compaction."""
        path = self.path()
        older: list[Node] = []
        cuts = [number for number, node in enumerate(path) if isinstance(node.record, CompactionEntry)]
        if cuts:
            cut = path[cuts[-1]]
            assert isinstance(cut.record, CompactionEntry)
            before = path[: cuts[-1]]
            ids = [node.id for node in before]
            first = cut.record.first_kept_entry_id
            kept = before[ids.index(first) :] if first in ids else []
            kept = [node for node in kept if node.role not in ("system", "compaction")]
            older, path = [cut, *kept], path[cuts[-1] + 1 :]
        edits = {
            node.record.target_id: node.record.replacement
            for node in [*older, *path]
            if isinstance(node.record, ContextEditEntry)
        }
        shown = [self._shown(older, edits), self._shown(path, edits)]
        return shown[0] + shown[1], len(shown[0])

    def _shown(self, nodes: list[Node], edits: dict[str, Any]) -> list[str]:
        out = []
        for node in nodes:
            edit = edits.get(node.id, "")
            if node.role and edit is not None:
                out.append(f"{node.role}:{edit if edit and node.role in EDITABLE else node.text}")
        return out


def seen(session: SessionFile) -> tuple[list[str], int]:
    context = build_context(session.tree)
    out = []
    for message in context.messages:
        role: str = message.role
        if isinstance(message, CompactionSummaryMessage):
            role, text = "compaction", message.summary
        elif isinstance(message, BranchSummaryMessage):
            text = message.summary
        elif isinstance(message, SystemMessage):
            text = ",".join(message.sections or ())
        elif isinstance(message, BashExecutionMessage):
            text = message.command
        else:
            text = text_of(message.content)
        out.append(f"{role}:{text}")
    return out, context.kept


def whole(session: SessionFile) -> list[str]:
    """The entries in the order of the file; what is torn off of one is none."""
    return [entry.id for entry in session.tree.entries if not entry.damaged]


@contextmanager
def disk_full(after: int) -> Iterator[None]:
    """Writes go on for `after` bytes; the one that would pass them is cut short, the next one fails."""
    real, left = os.write, after

    def write(descriptor: int, data: bytes) -> int:
        nonlocal left
        if left <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = real(descriptor, data[:left])
        left -= written
        return written

    os.write = write  # type: ignore[assignment]
    try:
        yield
    finally:
        os.write = real


TEXT = st.text(max_size=12) | st.sampled_from(['"},{"type":"message"', "\n", "\u2028", "\ud800", "\0", "💥"])


class SessionMachine(RuleBasedStateMachine):
    """`safe` is how much of the file was not written by the session that is open."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="pi-term-machine-"))
        self.session = SessionFile.create(self.folder, "/w")
        self.model = Model()
        self.safe = 0
        self.damaged = False

    def teardown(self) -> None:
        self.reopen()
        self.session.close()
        shutil.rmtree(self.folder)

    # --- adding

    def add(self, record: EntryRecord, role: str = "", text: str = "") -> str:
        parent = self.model.leaf
        entry = self.session.add(record)
        self.model.add(Node(entry.id, parent, record, role, text))
        return entry.id

    def target(self, data: st.DataObject) -> str:
        ids = [node.id for node in self.model.path()]
        return data.draw(st.sampled_from(ids)) if ids else "nothing"

    @initialize()
    def begin(self) -> None:
        self.add(ModelChangeEntry("p", "m"))

    @rule(text=TEXT, kind=st.sampled_from(["user", "assistant", "toolResult", "system", "bashExecution"]))
    def message(self, text: str, kind: str) -> None:
        content = [TextContent(text)]
        messages: dict[str, Any] = {
            "user": UserMessage(content=text),
            "assistant": AssistantMessage(content=[*content]),
            "toolResult": ToolResultMessage("call", "read", [*content]),
            "system": SystemMessage(sections={text: "x"}),
            "bashExecution": BashExecutionMessage(text, "", 0),
        }
        self.add(MessageEntry(messages[kind]), kind, text)

    @rule(text=TEXT, data=st.data())
    def other(self, text: str, data: st.DataObject) -> None:
        target = self.target(data)
        kinds: list[tuple[EntryRecord, str]] = [
            (CustomEntry("x", {text: [None]}), ""),
            (CustomMessageEntry("x", text), "custom"),
            (BranchSummaryEntry(target, text), "branchSummary"),
            (UsageEntry("cache_warm", "p", "m"), ""),
            (ThinkingLevelChangeEntry("high"), ""),
            (SessionInfoEntry(text), ""),
            (LabelEntry(target, data.draw(st.none() | TEXT)), ""),
            (ContextEditEntry(target, data.draw(st.none() | st.just("edited"))), ""),
        ]
        record, role = data.draw(st.sampled_from(kinds))
        self.add(record, role, text)

    @rule(text=TEXT, data=st.data(), whose=st.sampled_from(["path", "own", "unknown"]))
    def compaction(self, text: str, data: st.DataObject, whose: str) -> None:
        id = "" if whose != "own" else f"own-{len(self.model.nodes)}"
        first = {"path": self.target(data), "own": id, "unknown": "nowhere"}[whose]
        self.add(CompactionEntry(text, first, 7, id=id), "compaction", text)

    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        ids = [node.id for node in self.model.known]
        self.model.leaf = data.draw(st.none() | st.sampled_from(ids)) if ids else None
        self.session.tree.leaf = None if self.model.leaf is None else self.session.tree.get(self.model.leaf)

    # --- storing

    @rule()
    def flush(self) -> None:
        self.session.flush()
        if self.model.pending or not self.model.written:
            self.model.flushed()

    @rule(after=st.integers(0, 400))
    def flush_on_a_full_disk(self, after: int) -> None:
        if not self.model.pending:
            return
        try:
            with disk_full(after):
                self.session.flush()
        except PiTermError:
            if self.session.stored:
                self.model.unread.clear()
        else:
            self.model.flushed()

    @rule()
    def reopen(self) -> None:
        self.flush()
        self.open_again()

    @precondition(lambda self: self.session.stored)
    @rule()
    def crash(self) -> None:
        """What was not stored is gone, and nothing else."""
        for id in self.model.pending:
            del self.model.nodes[id]
        self.model.pending = []
        self.open_again()

    def open_again(self) -> None:
        path = self.session.path
        assert path is not None
        self.session.close()
        self.session = SessionFile.open(path)
        self.safe = path.stat().st_size
        self.model.unread.clear()
        self.model.leaf = self.model.written[-1] if self.model.written else None
        assert whole(self.session) == self.model.written
        assert self.damaged or self.session.diagnostics == []

    # --- what befalls the file

    @precondition(lambda self: self.session.stored)
    @rule(torn=st.sampled_from(['{"type":"message","id":"to', "\0\0\0", '{"type":"session"', "{"]))
    def torn_tail(self, torn: str) -> None:
        assert self.session.path is not None
        with self.session.path.open("ab") as file:
            file.write(torn.encode())
        self.safe = self.session.path.stat().st_size
        self.damaged = True

    @precondition(lambda self: self.session.stored)
    @rule(text=TEXT)
    def another_process(self, text: str) -> None:
        assert self.session.path is not None
        other = SessionFile.open(self.session.path)
        parent = other.tree.leaf.id if other.tree.leaf is not None else None
        record = SessionInfoEntry(text)
        id = other.append(record).id
        other.close()
        self.model.nodes[id] = Node(id, parent, record)
        self.model.written.append(id)
        self.model.unread.add(id)
        self.safe = self.session.path.stat().st_size

    @precondition(lambda self: self.session.stored)
    @rule(data=st.data())
    def cut_in_place(self, data: st.DataObject) -> None:
        """Another program cuts off what was written here; the next entry brings it back."""
        path = self.session.path
        assert path is not None
        size = path.stat().st_size
        os.truncate(path, data.draw(st.integers(min(self.safe, size), size)))
        self.damaged = True
        self.add(CustomEntry("after the cut"))
        self.flush()
        self.model.written = whole(SessionFile.open(path))
        assert set(self.model.written) == set(self.model.nodes)

    @precondition(lambda self: self.session.stored)
    @rule(by=st.sampled_from(["deletion", "replacement"]))
    def file_gone(self, by: str) -> None:
        path = self.session.path
        assert path is not None
        if by == "deletion":
            if self.model.unread:  # what another process wrote and nobody read is gone with it
                return
            path.unlink()
        else:
            new = path.with_suffix(".new")
            shutil.copy(path, new)
            new.replace(path)
        self.add(CustomEntry("after the loss"))
        self.flush()

    # --- forks

    @rule(data=st.data(), stored=st.booleans())
    def fork(self, data: st.DataObject, stored: bool) -> None:
        """Go on in a fork of a branch."""
        self.move(data)
        before, path, labels = seen(self.session), self.model.path(), self.model.labels()
        fork = self.session.fork(self.session.tree.leaf, self.folder, "/w")
        self.session.close()
        copied = {node.id for node in path}
        self.model = Model({}, [], [], set())
        for node in path:
            self.model.add(node)
        for entry in fork.tree.entries[len(path) :]:
            record = entry.record()
            assert isinstance(record, LabelEntry)
            self.model.add(Node(entry.id, entry.parent_id, record))
        self.session, self.safe, self.damaged = fork, 0, False
        assert seen(fork) == before
        assert self.model.labels() == {id: label for id, label in labels.items() if id in copied} | {
            node.record.target_id: node.record.label
            for node in path
            if isinstance(node.record, LabelEntry)
            and node.record.target_id not in copied
            and node.record.label
        }
        if stored:
            self.flush()

    # --- what always holds

    @invariant()
    def tells_the_same(self) -> None:
        model, session = self.model, self.session
        assert [entry.id for entry in session.tree.branch()] == [node.id for node in model.path()]
        assert seen(session) == model.seen()
        assert {id: label.text for id, label in session.tree.labels.items()} == model.labels()
        assert session.tree.name == model.name()
        assert session.unwritten == len(model.pending)
        known = {node.id for node in model.known}
        assert {entry.id for entry in entries_since(session.tree)} == known
        assert sum(1 for _ in ids_of(tree_nodes(session.tree))) == len(known)

    @invariant()
    def every_flushed_entry_is_in_the_file(self) -> None:
        if not self.session.stored:
            return
        assert self.session.path is not None
        stored = SessionFile.open(self.session.path)
        assert whole(stored) == self.model.written
        stored.close()


def ids_of(nodes: list[dict[str, Any]]) -> Iterator[str]:
    for node in nodes:
        yield node["entry"]["id"]
        yield from ids_of(node["children"])


TestSessions = SessionMachine.TestCase
TestSessions.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
