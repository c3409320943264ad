"""Whatever is done to a session, its file tells the same as a simple model of it."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.messages import UserMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.messages import CompactionSummaryMessage
from pi_term.coding.session import (
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    MessageEntry,
    SessionFile,
    appender,
    build_context,
    count_messages,
)


class Model:
    """The tree as a dict, and the rules of the projection in their plainest form."""

    def __init__(self) -> None:
        self.nodes: dict[str, tuple[str | None, str, Any]] = {}
        self.leaf: str | None = None

    def add(self, id: str, kind: str, value: Any) -> None:
        self.nodes[id] = (self.leaf, kind, value)
        self.leaf = id

    def path(self) -> list[str]:
        found: list[str] = []
        at = self.leaf
        while at is not None:
            found.insert(0, at)
            at = self.nodes[at][0]
        return found

    def seen(self) -> list[str]:
        path = self.path()
        cuts = [number for number, id in enumerate(path) if self.nodes[id][1] == "compaction"]
        out: list[tuple[str, str]] = []
        if cuts:
            cut = cuts[-1]
            summary, first_kept = self.nodes[path[cut]][2]
            kept = path[path.index(first_kept) : cut] if first_kept in path[:cut] else []
            out.append((path[cut], f"summary {summary}"))
            path = kept + path[cut + 1 :]
        edits = {self.nodes[id][2][0]: self.nodes[id][2][1] for id in path if self.nodes[id][1] == "edit"}
        out += [(id, self.nodes[id][2]) for id in path if self.nodes[id][1] == "user"]
        shown = [(edits[id] if id in edits and not text.startswith("summary") else text) for id, text in out]
        return [text for text in shown if text is not None]


def seen(session: SessionFile) -> list[str]:
    messages = build_context(session.tree).messages
    assert count_messages(session.tree) == len(messages)
    return [
        f"summary {message.summary}"
        if isinstance(message, CompactionSummaryMessage)
        else str(message.content)  # type: ignore[union-attr]
        for message in messages
    ]


_OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.text(max_size=20).map(lambda text: f"u{text}")),
        st.tuples(st.just("custom"), st.integers()),
        st.tuples(st.just("jump"), st.integers(0, 50)),
        st.tuples(st.just("edit"), st.integers(0, 50), st.none() | st.just("edited")),
        st.tuples(st.just("compact"), st.integers(0, 50)),
        st.tuples(st.just("full disk")),
        st.tuples(st.just("reopen")),
    ),
    max_size=25,
)


def perform(session: SessionFile, model: Model, operation: tuple[Any, ...]) -> None:
    name, *values = operation
    path = model.path()
    users = [id for id in path if model.nodes[id][1] == "user"]
    if name == "user":
        model.add(session.append(MessageEntry(UserMessage(content=values[0]))).id, "user", values[0])
    elif name == "custom":
        model.add(session.append(CustomEntry("x", values[0])).id, "custom", None)
    elif name == "jump" and model.nodes:
        model.leaf = list(model.nodes)[values[0] % len(model.nodes)]
        session.tree.leaf = None if model.leaf is None else session.tree.get(model.leaf)
    elif name == "edit" and users:
        target = users[values[0] % len(users)]
        model.add(session.append(ContextEditEntry(target, values[1])).id, "edit", (target, values[1]))
    elif name == "compact" and path:
        first = path[values[0] % len(path)]
        entry = session.append(CompactionEntry(f"of {len(path)}", first))
        model.add(entry.id, "compaction", (f"of {len(path)}", first))


def fail_once(session: SessionFile) -> str:
    """Append while the disk is full; the id of the entry that is not stored then."""

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    write, appender.os.write = appender.os.write, full  # type: ignore[assignment]
    try:
        entry = session.add(MessageEntry(UserMessage(content="u-late")))
        try:
            session.flush()
        except PiTermError:
            return entry.id
        raise AssertionError("a full disk was not noticed")
    finally:
        appender.os.write = write  # type: ignore[assignment]


@settings(max_examples=60, deadline=None)
@given(_OPERATIONS)
def test_the_file_and_memory_agree_with_the_model(operations: list[tuple[Any, ...]]) -> None:
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        session = SessionFile.create(Path(folder), "/w")
        session.flush()
        assert session.path is not None
        for operation in operations:
            if operation[0] == "full disk":
                model.add(fail_once(session), "user", "u-late")
            elif operation[0] == "reopen":
                session.flush()
                session.close()
                session = SessionFile.open(session.path)
                model.leaf = list(model.nodes)[-1] if model.nodes else None
            else:
                perform(session, model, operation)
            assert [entry.id for entry in session.tree.branch()] == model.path()
            assert seen(session) == model.seen()
        session.flush()
        again = SessionFile.open(session.path)
        assert [(entry.id, entry.parent_id) for entry in again.tree.entries] == [
            (id, parent) for id, (parent, _, _) in model.nodes.items()
        ]
        again.tree.leaf = None if model.leaf is None else again.tree.get(model.leaf)
        assert seen(again) == model.seen()
        assert again.diagnostics == []
        for handle in (session, again):
            handle.close()
