"""Session files of ours and of old times, as the real Pi sees them."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pi_term.ai.messages import AssistantMessage, SystemMessage, TextContent, ToolResultMessage, UserMessage
from pi_term.coding.messages import BashExecutionMessage
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
    tree_nodes,
)

if TYPE_CHECKING:
    from conftest import Reference

pytestmark = pytest.mark.node

REAL = Path(__file__).parents[3] / "shared" / "data" / "session-v1-long.jsonl"
STAMP = "2025-11-20T23:33:01.550Z"
OPENING = ("model_change", "thinking_level_change")  # what Pi adds to a file when it opens it


def ask(reference: Reference, file: Path, *commands: str) -> list[Any]:
    """What Pi answers about a copy of a session file, so that the file stays as it is."""
    copy = reference.work.parent / f"copy-{file.name}"
    shutil.copy(file, copy)
    lines = "".join(json.dumps({"id": command, "type": command}) + "\n" for command in commands)
    done = reference.pi(
        "--mode", "rpc", "--model", "mock/mock-chat", "--session", str(copy), stdin=None, input=lines
    )
    answers = {
        answer["command"]: answer["data"]
        for answer in map(json.loads, filter(None, done.stdout.split("\n")))
        if answer.get("type") == "response"
    }
    assert set(answers) == set(commands), done.stderr
    return [answers[command] for command in commands]


def messages(session: SessionFile) -> list[dict[str, Any]]:
    return [message.to_json() for message in build_context(session.tree).messages]


def without_totals(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Old usage figures have no total; ours say 0 then."""
    return [
        {**each, "usage": {key: value for key, value in each["usage"].items() if key != "totalTokens"}}
        if "usage" in each
        else each
        for each in messages
    ]


def without_opening(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**node, "children": without_opening(node["children"])}
        for node in nodes
        if node["entry"]["type"] not in OPENING
    ]


def old_session(reference: Reference, *entries: dict[str, Any]) -> Path:
    header = {
        "type": "session",
        "id": "old",
        "timestamp": STAMP,
        "cwd": str(reference.work),
        "thinkingLevel": "off",
    }
    path = reference.work.parent / "old.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (header, *entries)))
    return path


def said(text: str, role: str = "user", **fields: Any) -> dict[str, Any]:
    message = {"role": role, "content": text, "timestamp": 1, **fields}
    return {"type": "message", "timestamp": STAMP, "message": message}


@pytest.mark.skipif(not REAL.exists(), reason="the real session is not part of the project")
def test_a_real_session_of_version_1_has_the_same_messages(reference: Reference) -> None:
    header, _, rest = REAL.read_text().partition("\n")
    path = reference.work.parent / "real.jsonl"
    path.write_text(json.dumps({**json.loads(header), "cwd": str(reference.work)}) + "\n" + rest)
    (theirs,) = ask(reference, path, "get_messages")
    assert len(theirs["messages"]) == 914
    assert without_totals(messages(SessionFile.open(path))) == without_totals(theirs["messages"])


@pytest.mark.parametrize("index", [0, 1, 2, 3, 4, 7, 99, -1])
def test_compactions_of_version_1_kept_the_same(reference: Reference, index: int) -> None:
    compaction = {"type": "compaction", "timestamp": STAMP, "summary": "S", "tokensBefore": 9}
    path = old_session(
        reference,
        said("a"),
        said("hooked", "hookMessage", customType="x", display=True),
        said("b"),
        {**compaction, "firstKeptEntryIndex": index},
        said("c"),
    )
    text = path.read_text().replace("\n", "\n{broken\n\n", 2)
    path.write_text(text)
    (theirs,) = ask(reference, path, "get_messages")
    assert messages(SessionFile.open(path)) == theirs["messages"]


def test_pi_opens_what_we_made_of_an_old_session(reference: Reference) -> None:
    path = old_session(
        reference, said("a"), said("h", "hookMessage", customType="x", display=True), said("b")
    )
    session = SessionFile.open(path)
    session.append(MessageEntry(UserMessage(content="c", timestamp=2)))
    theirs, entries = ask(reference, path, "get_messages", "get_entries")
    assert theirs["messages"] == messages(session)
    assert entries["entries"][:4] == [entry.data for entry in session.tree.entries]


def entry_of(chance: random.Random, session: SessionFile) -> EntryRecord:
    """An entry of any kind that fits into the session as it is."""
    text = f"text {chance.random()}"
    targets = [entry.id for entry in session.tree.branch()] or ["none"]
    target = chance.choice(targets)
    checkpoint = SystemMessage(sections={"all": text}, timestamp=5) if chance.random() < 0.5 else None
    answer = AssistantMessage(
        content=[TextContent(text)],
        api="x",
        provider="mock",
        model="mock-chat",
        stop_reason="stop",
        timestamp=2,
    )
    makers: list[EntryRecord] = [
        MessageEntry(UserMessage(content=text, timestamp=1)),
        MessageEntry(answer),
        MessageEntry(ToolResultMessage("call", "read", [TextContent(text)], timestamp=3)),
        MessageEntry(SystemMessage(sections={"part": text}, timestamp=4)),
        MessageEntry(BashExecutionMessage("ls", text, 0, timestamp=6)),
        ModelChangeEntry("mock", "mock-chat"),
        ThinkingLevelChangeEntry("off"),
        SessionInfoEntry(text),
        CustomEntry("x", {"state": [1, None, "\u2028"]}),
        CustomMessageEntry("x", text, display=False),
        UsageEntry("cache_warm", "mock", "mock-chat"),
        LabelEntry(target, chance.choice([text, None])),
        ContextEditEntry(target, chance.choice([None, text, [TextContent(text)]])),
        CompactionEntry(text, target, 10, system_message=checkpoint),
        BranchSummaryEntry(target, text),
    ]
    return chance.choice(makers)


@pytest.mark.parametrize("seed", range(6))
def test_pi_sees_the_same_in_whatever_we_write(reference: Reference, seed: int) -> None:
    chance = random.Random(seed)
    session = SessionFile.create(reference.work.parent / "ours", reference.work)
    session.append(MessageEntry(UserMessage(content="first", timestamp=1)))
    session.flush()
    for _ in range(60):
        if chance.random() < 0.15:
            session.tree.leaf = chance.choice([*session.tree.entries, None])
        session.append(entry_of(chance, session))
    fork = session.fork(chance.choice(session.tree.entries), reference.work.parent / "ours", reference.work)
    fork.add(MessageEntry(UserMessage(content="in the fork", timestamp=1)))
    fork.flush()
    for each in (session, fork):
        assert each.path is not None
        reopened = SessionFile.open(each.path)
        assert reopened.diagnostics == []
        entries, tree, theirs, state = ask(
            reference, each.path, "get_entries", "get_tree", "get_messages", "get_state"
        )
        ours = [entry.data for entry in each.tree.entries]
        assert entries["entries"][: len(ours)] == ours
        assert without_opening(tree["tree"]) == without_opening(tree_nodes(each.tree))
        assert theirs["messages"] == messages(reopened)
        assert state.get("sessionName") == each.tree.name
        each.close()
        reopened.close()
