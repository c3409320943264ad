"""The client and the program, on the built-in scripted model."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import AssistantMessage, UserMessage
from pi_term.headless.client import RpcClient, RpcError, TreeNode
from pi_term.headless.client.tree import tree_of

GUARD = 60


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[RpcClient]:
    async with asyncio.timeout(GUARD), RpcClient(["--demo"], cwd=tmp_path) as client:
        yield client


async def test_a_task_from_start_to_end(client: RpcClient) -> None:
    seen: list[str] = []
    stop = client.on_event(lambda event: seen.append(event["type"]))

    answer = await client.ask("run echo hello")
    stop()
    await client.set_session_name("quiet")

    assert answer
    assert seen[0] == "agent_start"
    assert seen[-1] == "agent_settled"
    assert "tool_execution_end" in seen
    assert await client.get_last_assistant_text() == answer
    messages = await client.get_messages()
    assert isinstance(messages[1], UserMessage)
    assert isinstance(messages[-1], AssistantMessage)


async def test_the_session_typed(client: RpcClient, tmp_path: Path) -> None:
    await client.ask("run echo one")
    await client.ask("run echo two")
    await client.set_session_name("mine")

    state, stats = await client.get_state(), await client.get_session_stats()
    entries = await client.get_entries()
    points = await client.get_fork_messages()
    page = await client.export_html(tmp_path / "page.html")

    assert (state.session_name, state.model.id, state.is_streaming) == ("mine", "demo", False)
    assert state.session_file is not None
    assert stats.user_messages == 2
    assert stats.context_usage is not None
    assert stats.context_usage.context_window == state.model.context_window
    assert (await client.get_entries(entries.entries[-2]["id"])).entries == entries.entries[-1:]
    assert [point.text for point in points] == ["run echo one", "run echo two"]
    assert "run echo two" in page.read_text()
    assert depth(await client.get_tree()) == len(entries.entries)

    assert await client.fork(points[1].entry_id) == "run echo two"
    assert (await client.get_state()).session_id != state.session_id
    assert await client.clone() is True
    assert await client.new_session(state.session_file) is True
    assert (await client.get_messages()) == []
    assert await client.switch_session(state.session_file) is True
    assert (await client.get_state()).session_id == state.session_id


def depth(nodes: list[TreeNode]) -> int:
    levels = 0
    while nodes:
        [node] = nodes
        levels, nodes = levels + 1, node.children
    return levels


async def test_models_levels_and_modes(client: RpcClient) -> None:
    assert [model.id for model in await client.get_available_models()] == ["demo"]
    assert await client.cycle_model() is None
    assert (await client.set_model("demo", "demo")).provider == "demo"
    levels = await client.get_available_thinking_levels()
    await client.set_thinking_level("low")
    assert await client.cycle_thinking_level() == levels[levels.index("low") + 1]
    await client.set_steering_mode("all")
    await client.set_follow_up_mode("all")
    await client.set_auto_compaction(False)
    await client.set_auto_retry(False)

    state = await client.get_state()
    assert (state.steering_mode, state.follow_up_mode) == ("all", "all")
    assert state.auto_compaction_enabled is False
    assert await client.get_commands() == []


async def test_a_failed_command_is_an_error(client: RpcClient) -> None:
    with pytest.raises(RpcError, match="nosuch"):
        await client.set_model("demo", "nosuch")
    with pytest.raises(RpcError, match="Nothing to compact"):
        await client.compact()
    assert (await client.get_state()).model.id == "demo"


async def test_shell_commands(client: RpcClient) -> None:
    told: list[str] = []
    client.on_event(lambda event: told.append(event.get("delta", "")))

    result = await client.bash("echo out; exit 3", exclude_from_context=True)
    running = asyncio.create_task(client.bash("echo begun; sleep 600"))
    while "begun\n" not in told:
        await asyncio.sleep(0.01)
    await client.abort_bash()

    assert (result.output, result.exit_code) == ("out\n", 3)
    assert (await running).cancelled is True
    assert told == ["out\n", "begun\n"]


async def test_queues_and_abort(client: RpcClient) -> None:
    assert await client.steer("S") == "queued"
    assert await client.follow_up("F") == "queued"
    cleared = await client.clear_queue()
    assert (cleared.steering, cleared.follow_up) == (["S"], ["F"])

    assert await client.prompt("run sleep 600") == "started"
    waiting = asyncio.create_task(client.wait_settled())
    with pytest.raises(RpcError):
        await client.prompt("another")
    assert await client.prompt("later", streaming_behavior="followUp") == "queued"
    await client.clear_queue()
    await client.abort()
    await waiting
    await client.abort_retry()


async def test_a_run_that_is_called_off_is_no_answer(client: RpcClient) -> None:
    asking = asyncio.create_task(client.ask("run sleep 600"))
    async for event in client.events():
        if event["type"] == "tool_execution_start":
            break
    await client.abort()

    with pytest.raises(RpcError):
        await asking


async def test_a_child_that_dies_fails_what_waits_for_it(client: RpcClient) -> None:
    asking = asyncio.create_task(client.ask("run sleep 600"))
    async for event in client.events():
        if event["type"] == "tool_execution_start":
            break
    pending = asyncio.create_task(client.bash("kill -9 $PPID; sleep 600"))

    for waiting in (asking, pending, client.wait_settled()):
        with pytest.raises(RpcError, match="ended"):
            await waiting
    with pytest.raises(RpcError, match="ended"):
        await client.get_state()
    assert await client.close() == -signal.SIGKILL


async def test_the_child_ends_in_good_order(tmp_path: Path) -> None:
    client = RpcClient(["--demo"], cwd=tmp_path)
    await client.start()
    await client.prompt("run sleep 600")

    async with asyncio.timeout(GUARD):
        assert await client.close() == 0


async def test_it_has_to_be_started() -> None:
    with pytest.raises(RpcError, match="not started"):
        await RpcClient().get_state()


CHILD = """
import json, sys
def say(record): print(json.dumps(record), flush=True)
for line in sys.stdin:
    command = json.loads(line)
    if command["type"] == "prompt":
        say({"type": "extension_ui_request", "id": "q1", "method": "select", "title": "?", "options": ["a"]})
        say({"type": "extension_ui_request", "id": "q2", "method": "notify", "message": "n"})
        asked = command
    elif command["type"] == "extension_ui_response":
        print("no record at all")
        say({"type": "future_event", "answer": command})
        say({"id": asked["id"], "type": "response", "command": "prompt", "success": True,
             "data": {"disposition": "handled"}})
    else:
        print('{"id":"%s","type":"response","data":%s' % (command["id"], "[" * 5000), flush=True)
"""


@pytest.mark.parametrize("answer", [{"value": "a"}, None])
async def test_questions_of_the_child(answer: dict[str, Any] | None) -> None:
    asked: list[str] = []
    seen: list[dict[str, Any]] = []

    async def person(request: dict[str, Any]) -> dict[str, Any] | None:
        asked.append(request["method"])
        return answer

    program = [sys.executable, "-c", CHILD]
    async with asyncio.timeout(GUARD), RpcClient(program=program, on_ui_request=person) as client:
        client.on_event(seen.append)
        assert await client.run("hi") == seen
        with pytest.raises(RpcError):
            await client.get_state()

    assert asked == ["select", "notify"]
    fields = {"cancelled": True} if answer is None else answer
    assert seen[0]["answer"] == {"type": "extension_ui_response", "id": "q1", **fields}


async def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nosuch"):
        await RpcClient(program=[str(tmp_path / "nosuch")]).start()


def test_a_tree_of_entries() -> None:
    entries: list[dict[str, Any]] = [
        {"id": "a", "parentId": None},
        {"id": "b", "parentId": "a"},
        {"id": "c", "parentId": "a"},
        {"id": "l", "parentId": "c", "type": "label", "targetId": "b", "label": "here"},
        {"id": "m", "parentId": "l", "type": "label", "targetId": "c", "label": ""},
        {"id": "d", "parentId": "gone"},
    ]

    first, second = tree_of(entries)

    assert [node.entry["id"] for node in first.children] == ["b", "c"]
    assert [node.label for node in first.children] == ["here", None]
    assert second.entry["id"] == "d"


async def test_environment_and_folder_are_the_callers(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    env = {**os.environ, "GREETING": "hello"}
    async with asyncio.timeout(GUARD), RpcClient(["--demo"], cwd=tmp_path / "work", env=env) as client:
        result = await client.bash("echo $GREETING; pwd")

    assert result.output == f"hello\n{tmp_path / 'work'}\n"
