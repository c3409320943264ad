from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.messages import AssistantMessage, TextContent, Usage, UserMessage
from pi_term.coding.session import LabelEntry, MessageEntry, SessionFile
from pi_term.coding.startup import StartRequest
from pi_term.headless.rpc.tree_json import encoded_nodes
from pi_term.testing import Call, Say, ScriptedModel
from pi_term.testing.rpc import RpcPeer


async def test_the_state_of_a_fresh_session(client: RpcPeer, script: ScriptedModel) -> None:
    state = await client.data("get_state")

    session = client.started.session
    assert state == {
        "model": {
            "id": "scripted",
            "name": "scripted",
            "api": script.api,
            "provider": "test",
            "baseUrl": "http://script.invalid",
            "reasoning": False,
            "input": ["text"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            "contextWindow": 128_000,
            "maxTokens": 16_384,
        },
        "thinkingLevel": "off",
        "isStreaming": False,
        "isCompacting": False,
        "steeringMode": "one-at-a-time",
        "followUpMode": "one-at-a-time",
        "sessionFile": str(session.file.path),
        "sessionId": session.file.id,
        "autoCompactionEnabled": True,
        "messageCount": 0,
        "pendingMessageCount": 0,
    }


async def test_messages_entries_and_tree_tell_of_the_same_conversation(
    client: RpcPeer, script: ScriptedModel
) -> None:
    script.replies = [[Say("one")], [Say("two")]]
    await client.ask("first")
    seen = (await client.data("get_entries"))["entries"]
    await client.ask("second")

    messages = (await client.data("get_messages"))["messages"]
    entries = await client.data("get_entries")
    news = await client.data("get_entries", since=seen[-1]["id"])
    tree = await client.data("get_tree")

    roles = ["system", "user", "assistant", "user", "assistant"]
    assert [message["role"] for message in messages] == roles
    assert (await client.data("get_state"))["messageCount"] == 5
    assert entries["entries"] == seen + news["entries"]
    assert [entry["message"]["role"] for entry in news["entries"]] == ["user", "assistant"]
    assert entries["leafId"] == news["leafId"] == tree["leafId"] == entries["entries"][-1]["id"]
    path = client.started.session.file.path
    assert path is not None
    assert entries["entries"] == [json.loads(line) for line in path.read_text().splitlines()[1:]]
    nodes, walked = tree["tree"], []
    while nodes:
        [node] = nodes
        walked.append(node["entry"])
        nodes = node["children"]
    assert walked == entries["entries"]


async def test_an_unknown_cursor_is_refused(client: RpcPeer) -> None:
    response = await client.call("get_entries", since="nosuch")

    assert response["success"] is False
    assert "nosuch" in response["error"]


async def test_the_last_answer_that_says_something(client: RpcPeer, script: ScriptedModel) -> None:
    assert await client.data("get_last_assistant_text") == {"text": None}
    script.replies = [
        [Say("said"), Call("bash", {"command": "true"})],
        [Call("bash", {"command": "true"})],
        [],
    ]

    await client.ask("go")

    assert await client.data("get_last_assistant_text") == {"text": "said"}


async def test_stats_add_up(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Call("bash", {"command": "true"}), Call("bash", {"command": "true"})], [Say("done")]]
    fresh = await client.data("get_session_stats")
    await client.ask("go")
    await client.data("bash", command="true")

    stats = await client.data("get_session_stats")

    assert fresh["contextUsage"] == {"tokens": 0, "contextWindow": 128_000, "percent": 0}
    kinds = ("userMessages", "assistantMessages", "toolCalls", "toolResults", "totalMessages")
    assert [stats[kind] for kind in kinds] == [1, 2, 2, 2, 7]
    assert stats["sessionId"] == client.started.session.file.id
    tokens = stats["tokens"]
    assert tokens["total"] == sum(tokens[kind] for kind in ("input", "output", "cacheRead", "cacheWrite"))
    usage = stats["contextUsage"]
    assert usage["percent"] == pytest.approx(usage["tokens"] / 128_000 * 100)


Connect = Callable[..., Awaitable[RpcPeer]]


async def resumed(connect: Connect, script: ScriptedModel, file: SessionFile, folder: Path) -> RpcPeer:
    (folder / "work").mkdir(exist_ok=True)
    request = StartRequest(cwd=folder / "work", model=script.model.key, session=str(file.path))
    return await connect(request=request)


def stored(folder: Path, records: list[Any]) -> SessionFile:
    (folder / "work").mkdir()
    file = SessionFile.create(folder, folder / "work")
    for record in records:
        file.add(record)
    file.flush()
    return file


def said(number: int) -> MessageEntry:
    if number % 2 == 0:
        return MessageEntry(UserMessage([TextContent(f"question {number}")]))
    usage = Usage(input=10, output=1, total_tokens=11)
    return MessageEntry(AssistantMessage([TextContent(f"answer {number}")], usage=usage, stop_reason="stop"))


async def test_a_resumed_session_is_told_whole_before_its_first_prompt(
    connect: Connect, script: ScriptedModel, tmp_path: Path
) -> None:
    file = stored(tmp_path, [said(number) for number in range(6)])
    client = await resumed(connect, script, file, tmp_path)

    assert (await client.data("get_state"))["messageCount"] == 6
    assert len((await client.data("get_messages"))["messages"]) == 6
    assert (await client.data("get_last_assistant_text"))["text"] == "answer 5"
    stats = await client.data("get_session_stats")
    assert (stats["totalMessages"], stats["tokens"]["total"]) == (6, 33)
    forkable = (await client.data("get_fork_messages"))["messages"]
    assert [each["text"] for each in forkable] == ["question 0", "question 2", "question 4"]
    script.replies = [[Say("and more")]]
    await client.ask("go on")
    assert len(script.contexts[0].messages) == 7


async def test_a_tree_of_thousands_of_levels(connect: Connect, script: ScriptedModel, tmp_path: Path) -> None:
    file = stored(tmp_path, [said(number) for number in range(5000)])
    client = await resumed(connect, script, file, tmp_path)

    id = await client.send("get_tree")
    await client.record(lambda each: each["type"] == "undecodable")  # Python's decoders are too shallow
    [deep] = client.lines

    assert id.encode() in deep[:50]
    assert deep.count(b'"children"') == 5000
    assert deep.endswith(b'"leafId":"' + file.tree.entries[-1].id.encode() + b'"}}')
    assert (await client.data("get_state"))["messageCount"] == 5000


async def test_labels_and_branches_are_in_the_tree(
    connect: Connect, script: ScriptedModel, tmp_path: Path
) -> None:
    file = stored(tmp_path, [said(0), said(1)])
    file.tree.leaf = file.tree.entries[0]
    file.add(said(3))
    file.add(LabelEntry(target_id=file.tree.entries[1].id, label="here"))
    file.flush()
    client = await resumed(connect, script, file, tmp_path)

    [root] = (await client.data("get_tree"))["tree"]

    texts = [child["entry"]["message"]["content"][0]["text"] for child in root["children"]]
    assert texts == ["answer 1", "answer 3"]
    assert root["children"][0]["label"] == "here"
    assert root["children"][0]["labelTimestamp"]


NODES = st.recursive(
    st.just([]),
    lambda children: st.lists(
        st.fixed_dictionaries(
            {"entry": st.dictionaries(st.text(), st.text() | st.none(), max_size=2), "children": children},
            optional={"label": st.text(), "labelTimestamp": st.text()},
        ),
        max_size=3,
    ),
)


@given(NODES)
def test_nodes_are_encoded_as_any_json(nodes: list[Any]) -> None:
    assert json.loads(encoded_nodes(nodes)) == nodes
