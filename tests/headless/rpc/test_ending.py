"""The client goes, a signal comes, nobody reads any more: what there was by then is kept."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_term.testing import Call, Say, ScriptedModel, Wait, until
from pi_term.testing.rpc import RpcPeer

PROGRAM = [sys.executable, "-m", "pi_term.cli.main", "--demo", "--mode", "rpc"]


def kept(client: RpcPeer) -> list[dict[str, Any]]:
    path = client.started.session.file.path
    assert path is not None
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_a_client_that_goes_at_rest(client: RpcPeer) -> None:
    await client.data("get_state")

    assert await client.end() == 0


async def test_a_run_is_called_off_told_and_kept_when_the_client_goes(
    client: RpcPeer, script: ScriptedModel
) -> None:
    script.replies = [[Say("half"), Wait(asyncio.Event())]]
    await client.data("prompt", message="go")
    await client.event("message_update")

    assert await client.end() == 0

    assert client.records[-1] == {"type": "agent_settled", "aborted": True}
    message = kept(client)[-1]["message"]
    assert (message["stopReason"], message["content"][0]["text"]) == ("aborted", "half")


async def test_tools_and_commands_end_with_it(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Call("bash", {"command": "echo $$ > tool.pid; sleep 600"})]]
    work = client.started.session.harness.cwd
    await client.data("prompt", message="go")
    shell = await client.send("bash", command="echo $$ > shell.pid; sleep 600")
    await until(lambda: _pid(work / "tool.pid") > 0 and _pid(work / "shell.pid") > 0)
    pids = [_pid(work / name) for name in ("tool.pid", "shell.pid")]

    assert await client.end() == 0

    assert (await client.response(shell))["data"]["cancelled"] is True
    assert not any(_alive(pid) for pid in pids)


async def test_what_was_asked_is_answered_before_the_end(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Say("x")]]
    lines = [b'{"id":"%d","type":"get_tree"}\n' % number for number in range(50)]
    await client.write(b"".join([*lines, b'{"id":"b","type":"bash","command":"sleep 600"}\n']))

    assert await client.end() == 0

    assert {each["id"] for each in client.of("response")} == {*(str(n) for n in range(50)), "b"}


async def test_a_client_that_does_not_read_any_more_ends_it(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Say("half"), Wait(asyncio.Event())]]
    await client.data("prompt", message="go")
    await client.event("message_update")
    client.go_deaf()

    await client.send("get_state")
    await until(client._server.done)

    assert client._server.result() == 141
    assert kept(client)[-1]["message"]["stopReason"] == "aborted"


# --- the program


@pytest.fixture
def program(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(PROGRAM, cwd=tmp_path, **pipes) as process:
        yield process
        process.kill()


def ask(process: subprocess.Popen[bytes], command: bytes, until: bytes) -> bytes:
    """Send a command; the first line with `until` in it."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(command + b"\n")
    process.stdin.flush()
    return next(line for line in process.stdout if until in line)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_good_order(program: subprocess.Popen[bytes], number: signal.Signals) -> None:
    ask(program, b'{"type":"prompt","message":"run sleep 600"}', b"tool_execution_start")

    program.send_signal(number)
    out, err = program.communicate(timeout=60)

    assert program.returncode == 128 + number
    assert err == b""
    records = [json.loads(line) for line in out.splitlines()]
    assert records[-1] == {"type": "agent_settled", "aborted": True}


def test_a_second_signal_ends_it_at_once(program: subprocess.Popen[bytes]) -> None:
    """It waits for a command that does not take the hint."""
    stubborn = b'{"id":1,"type":"bash","command":"trap : TERM; echo up; while :; do sleep 0.1; done"}'
    ask(program, stubborn, b"up")

    program.send_signal(signal.SIGTERM)
    program.send_signal(signal.SIGTERM)

    assert program.wait(60) == 128 + signal.SIGTERM


def test_end_of_input_and_a_signal_together(program: subprocess.Popen[bytes]) -> None:
    ask(program, b'{"type":"prompt","message":"run sleep 600"}', b"tool_execution_start")

    assert program.stdin is not None
    program.stdin.close()
    program.send_signal(signal.SIGTERM)

    assert program.wait(60) in (0, 128 + signal.SIGTERM)
    assert program.stdout is not None
    assert b"agent_settled" in program.stdout.read()


def _pid(file: Path) -> int:
    text = file.read_text().strip() if file.exists() else ""
    return int(text or 0)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
