from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pi_term.headless.rpc import shell
from pi_term.testing import Say, ScriptedModel, Wait, until
from pi_term.testing.rpc import RpcPeer


def told(client: RpcPeer, id: str | None) -> str:
    updates = client.of("bash_execution_update")
    return "".join(each["delta"] for each in updates if each.get("id") == id)


async def test_output_is_told_as_it_comes_and_recorded(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Say("seen")]]

    id = await client.send("bash", command="echo one; sleep 0.2; echo two >&2; exit 3")
    first = await client.event("bash_execution_update")
    response = await client.response(id)
    await client.data("bash", command="echo secret", excludeFromContext=True)
    await client.ask("what did I run?")

    assert first == {"type": "bash_execution_update", "id": id, "delta": "one\n"}
    assert told(client, id) == "one\ntwo\n"
    assert response["data"] == {
        "output": "one\ntwo\n",
        "exitCode": 3,
        "cancelled": False,
        "truncated": False,
    }
    texts = [message.content[0].text for message in script.contexts[0].messages]
    assert "one\ntwo" in texts[0]
    assert not any("secret" in text for text in texts)


async def test_all_output_is_told_before_the_response(client: RpcPeer) -> None:
    result = await client.data("bash", command="seq 1 100000")

    whole = "".join(f"{number}\n" for number in range(1, 100_001))
    assert told(client, "c1") == whole
    assert client.records[-1]["type"] == "response"
    assert result["truncated"] is True
    assert Path(result["fullOutputPath"]).read_text() == whole


async def test_characters_that_come_in_pieces(client: RpcPeer) -> None:
    command = r"printf '\xc3'; sleep 0.2; printf '\xa9\n\xff'"

    result = await client.data("bash", command=command)

    assert told(client, "c1") == result["output"] == "é\n\ufffd"


async def test_commands_beside_each_other_and_their_abort(client: RpcPeer) -> None:
    slow = await client.send("bash", command="echo begun; sleep 60")
    await client.event("bash_execution_update", id=slow)
    quick = await client.data("bash", command="echo quick")
    await client.data("abort_bash")
    ended = (await client.response(slow))["data"]

    assert quick["output"] == "quick\n"
    assert ended == {"output": "begun\n", "cancelled": True, "truncated": False}


async def test_without_an_id_the_updates_have_none(client: RpcPeer) -> None:
    await client.write(b'{"type":"bash","command":"echo x"}\n')
    await client.record(lambda each: each["type"] == "response")

    assert client.of("bash_execution_update") == [{"type": "bash_execution_update", "delta": "x\n"}]


async def test_a_command_during_a_run_is_recorded_behind_it(client: RpcPeer, script: ScriptedModel) -> None:
    gate = asyncio.Event()
    script.replies = [[Wait(gate), Say("done")]]
    await client.data("prompt", message="go")
    await until(lambda: bool(script.contexts))
    result = await client.data("bash", command="echo meanwhile")
    gate.set()
    await client.event("agent_settled")

    assert result["output"] == "meanwhile\n"
    roles = [message["role"] for message in (await client.data("get_messages"))["messages"]]
    assert roles == ["system", "user", "assistant", "bashExecution"]


async def test_output_that_nobody_reads_is_bounded(client: RpcPeer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipe takes a little of it; of what comes after, the end waits."""
    monkeypatch.setattr(shell, "_MOST_WAITING", 200_000)
    client.stop_listening()

    id = await client.send("bash", command="yes 0123456789 | head -c 5000000; echo; echo the end")
    await until(
        lambda: not client.started.session.shell.running and len(client.started.session.file.tree.entries) > 2
    )
    client.listen()
    response = await client.response(id)

    assert response["data"]["output"].endswith("the end")
    output = told(client, id)
    assert output.endswith("the end\n")
    assert len(output) < 1_000_000
