"""B-079, B-080, B-082: every line is one record, and every command is answered once."""

from __future__ import annotations

import asyncio
import json
import resource
from typing import Any

import pytest

from pi_term.headless.rpc import server
from pi_term.testing import Call, Say, ScriptedModel
from pi_term.testing.rpc import RpcPeer


async def test_unicode_separators_end_no_record(client: RpcPeer, script: ScriptedModel) -> None:
    text = "a\u2028b\u2029c\u0085d"
    script.replies = [[Say(text)]]

    await client.ask(text)
    messages = (await client.data("get_messages"))["messages"]

    assert messages[1]["content"][0]["text"] == text
    assert messages[2]["content"][0]["text"] == text
    assert all(json.loads(line) for line in client.lines)


async def test_a_record_may_be_cut_anywhere(client: RpcPeer) -> None:
    command = '{"id":"7","type":"bash","command":"echo ü€😀 \u2028"}\r\n'.encode()

    for byte in command:
        await client.write(bytes([byte]))
        await asyncio.sleep(0)

    response = await client.response("7")
    assert response["data"]["output"] == "ü€😀 \u2028\n"


async def test_the_last_command_needs_no_line_end(client: RpcPeer) -> None:
    await client.write(b'{"id":"x","type":"get_state"}')
    client.hang_up()

    assert (await client.response("x"))["success"]


@pytest.mark.parametrize("size", [100_000, 10_000_000])
async def test_a_long_line_is_a_command_like_any_other(
    client: RpcPeer, script: ScriptedModel, size: int
) -> None:
    script.replies = [[Say("seen")]]
    image = {"type": "image", "data": "A" * size, "mimeType": "image/png"}

    await client.ask("look", images=[image])

    assert (await client.data("get_last_assistant_text"))["text"] == "seen"
    assert script.contexts[0].messages[-1].content[1].data == image["data"]


async def test_a_line_without_end_is_refused_and_the_next_command_works(
    client: RpcPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(300):
        await client.write(b"x" * 1_000_000)
    await client.write(b"\n")

    assert (await client.data("get_state"))["messageCount"] == 0
    refused = client.of("response")[0]
    assert (refused["command"], refused["success"]) == ("parse", False)
    assert "longer" in refused["error"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 250_000  # kilobytes


NOT_COMMANDS = ["not json", "[]", "5", "null", '"text"', '{"type":', "\x00", "{'type':'get_state'}"]


@pytest.mark.parametrize("line", NOT_COMMANDS)
async def test_what_is_no_command_gets_a_parse_response(client: RpcPeer, line: str) -> None:
    await client.write(line.encode() + b"\n")
    await client.data("get_state")

    refused = client.of("response")[0]
    assert refused["command"] == "parse"
    assert refused["success"] is False
    assert refused["error"]
    assert "id" not in refused


async def test_bytes_that_are_not_utf8_are_refused(client: RpcPeer) -> None:
    await client.write(b'{"id":"1","type":"prompt","message":"\xff\xfe"}\n')
    await client.data("get_state")

    assert client.of("response")[0]["command"] == "parse"


async def test_blank_lines_are_no_commands(client: RpcPeer) -> None:
    await client.write(b"\n  \n\r\n")
    await client.data("get_state")

    assert len(client.records) == 1


BAD_COMMANDS: list[dict[str, Any]] = [
    {"id": "7", "type": "nope"},
    {"id": "8", "type": "prompt"},
    {"id": "9"},
    {"id": "10", "type": 5},
    {"id": "11", "type": "set_thinking_level", "level": "bogus"},
    {"id": "12", "type": "set_steering_mode", "mode": []},
    {"id": "13", "type": "set_model", "provider": "test"},
    {"id": "14", "type": "bash", "command": None},
    {"id": "15", "type": "get_entries", "since": 7},
    {"id": "16", "type": "prompt", "message": "x", "images": "bad"},
    {"id": "17", "type": "prompt", "message": "x", "images": [{"type": "image"}]},
    {"id": "18", "type": "prompt", "message": "x", "streamingBehavior": "later"},
    {"id": "19", "type": "set_auto_retry", "enabled": "yes"},
    {"id": "20", "type": "prompt", "message": " "},
    {"id": "21", "type": "steer", "message": ""},
]


@pytest.mark.parametrize("command", BAD_COMMANDS, ids=lambda command: command["id"])
async def test_a_wrong_command_is_answered_by_its_id(client: RpcPeer, command: dict[str, Any]) -> None:
    await client.write(json.dumps(command).encode() + b"\n")

    response = await client.response(command["id"])
    assert response["success"] is False
    assert response["error"]
    assert (await client.data("get_state"))["isStreaming"] is False


async def test_an_id_of_any_kind_comes_back(client: RpcPeer) -> None:
    await client.write(b'{"type":"get_state","id":5}\n{"type":"get_state"}\n')

    assert (await client.response(5))["success"]
    last = await client.record(lambda each: "id" not in each)
    assert (last["command"], last["success"]) == ("get_state", True)


async def test_many_commands_at_once_are_each_answered_once(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Call("bash", {"command": "echo x"})], [Say("done")]]
    wanted = [
        {"type": "prompt", "message": "go"},
        {"type": "bash", "command": "sleep 0.05; echo one"},
        {"type": "get_tree"},
        {"type": "get_messages"},
        {"type": "set_thinking_level", "level": "high"},
        {"type": "get_session_stats"},
        {"type": "steer", "message": "and this"},
        {"type": "get_state"},
        {"type": "set_session_name", "name": "many"},
        {"type": "nope"},
        {"type": "get_entries"},
        {"type": "get_commands"},
    ]
    lines = [json.dumps({"id": f"n{n}", **command}) + "\n" for n, command in enumerate(wanted * 5)]

    await client.write("".join(lines).encode())
    for number in range(len(lines)):
        await client.response(f"n{number}")
    await client.started.session.wait_settled()
    await client.data("get_state")

    ids = [each["id"] for each in client.of("response")]
    assert sorted(ids) == sorted({*ids})


async def test_commands_take_effect_in_their_order(client: RpcPeer) -> None:
    await client.write(
        b'{"id":"1","type":"set_steering_mode","mode":"all"}\n'
        b'{"id":"2","type":"get_state"}\n'
        b'{"id":"3","type":"set_steering_mode","mode":"one-at-a-time"}\n'
        b'{"id":"4","type":"get_state"}\n'
    )

    assert (await client.response("2"))["data"]["steeringMode"] == "all"
    assert (await client.response("4"))["data"]["steeringMode"] == "one-at-a-time"


async def test_a_command_that_breaks_is_answered(client: RpcPeer, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(type(client.started.session.shell), "abort", broken)
    monkeypatch.setattr(type(client.started.session.navigator), "rename", broken)

    for answer in (await client.call("abort_bash"), await client.call("set_session_name", name="x")):
        assert answer["success"] is False
        assert "on purpose" in answer["error"]
    monkeypatch.undo()


async def test_a_big_command_does_not_hold_up_what_runs(
    client: RpcPeer, script: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is decoded on another thread; small ones are not, as that takes longer than decoding them."""
    threads: list[str] = []
    plain = server.loads

    def watched(data: bytes) -> Any:
        import threading

        threads.append(threading.current_thread().name)
        return plain(data)

    monkeypatch.setattr(server, "loads", watched)
    script.replies = [[Say("ok")]]
    await client.ask("small")
    await client.call("steer", message="x" * 2_000_000)

    assert threads[0] == "MainThread"
    assert threads[-1] != "MainThread"


async def test_a_flood_of_commands_is_not_read_faster_than_it_is_taken_up(
    client: RpcPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_MOST_WAITING", 500)
    lines = [b'{"id":"n%d","type":"get_tree"}\n' % number for number in range(2000)]

    await client.write(b"".join(lines))
    await client.response("n1999")

    assert sorted(each["id"] for each in client.of("response")) == sorted(f"n{n}" for n in range(2000))
