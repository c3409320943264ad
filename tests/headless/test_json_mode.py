from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.faults import Fault
from pi_term.ai.messages import ImageContent
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.coding.startup import Started
from pi_term.headless.json_mode import run_json_mode
from pi_term.headless.prompt import Prompt
from pi_term.testing import Call, Fail, Say, ScriptedModel, Wait
from pi_term.testing.sessions import start_scripted

PROGRAM = [sys.executable, "-m", "pi_term.cli.main", "--demo", "--mode", "json"]


@dataclass
class Stream:
    """JSON mode on a scripted model, and what it wrote."""

    script: ScriptedModel
    started: Started
    folder: Path
    err: io.StringIO = field(default_factory=io.StringIO)

    async def run(self, *prompts: Prompt | str) -> int:
        output = os.open(self.folder / "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        async with asyncio.timeout(60):
            code = await run_json_mode(self.started, prompts, output=output, err=self.err)
        os.close(output)
        return code

    @property
    def records(self) -> list[dict[str, Any]]:
        text = (self.folder / "out").read_text()
        assert text.endswith("\n")
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def types(self) -> list[str]:
        return [record["type"] for record in self.records]


@pytest.fixture
async def stream(tmp_path: Path) -> AsyncIterator[Stream]:
    with ScriptedModel() as script:
        started = await start_scripted(script, tmp_path)
        yield Stream(script, started, tmp_path)
        await started.aclose()


async def test_the_header_comes_first_then_the_events(stream: Stream) -> None:
    stream.script.replies = [[Say("hello \u2028 there")]]

    assert await stream.run("hi") == 0

    file = stream.started.session.file
    header = stream.records[0]
    assert header == {
        "type": "session",
        "version": 3,
        "id": file.id,
        "timestamp": file.header.timestamp,
        "cwd": str(stream.folder / "work"),
    }
    assert stream.types()[1:3] == ["agent_start", "turn_start"]
    assert stream.types()[-1] == "agent_settled"
    updates = [each for each in stream.records if _block(each) == "text_delta"]
    deltas = [update["assistantMessageEvent"]["delta"] for update in updates]
    assert "".join(deltas) == "hello \u2028 there"
    assert not any("message" in update for update in updates)
    assert stream.err.getvalue() == ""


def _block(record: dict[str, Any]) -> str | None:
    return record.get("assistantMessageEvent", {}).get("type")


async def test_prompts_are_sent_one_after_the_other(stream: Stream) -> None:
    stream.script.replies = [[Say("1")], [Say("2")]]

    assert await stream.run("one", Prompt("two", [ImageContent("QUJD", "image/png")])) == 0

    assert stream.types().count("agent_settled") == 2
    assert stream.types().count("session") == 1
    assert len(stream.script.contexts[1].messages[-1].content) == 2


async def test_the_stream_is_as_long_as_what_is_said(stream: Stream) -> None:
    """With the message so far in every update it would be 20 times as long."""
    stream.script.replies = [[Say("word " * 2000)]]

    await stream.run("write")

    assert (stream.folder / "out").stat().st_size < 1_000_000


async def test_a_failed_answer_is_told_by_the_events(stream: Stream) -> None:
    stream.script.replies = [[Fail("no credit", Fault("bad_request", "no credit"))], [Say("more")]]

    assert await stream.run("one", "two") == 0

    ends = [each["message"] for each in stream.records if each["type"] == "message_end"]
    answers = [message for message in ends if message["role"] == "assistant"]
    assert [message["stopReason"] for message in answers] == ["error", "stop"]


async def test_without_a_key_nothing_begins(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream.started.registry, "has_auth", lambda provider: False)

    with pytest.raises(PiTermError, match="key for test"):
        await stream.run("hi")

    assert stream.types() == ["session"]


async def test_diagnostics_go_elsewhere(stream: Stream) -> None:
    stream.script.replies = [[Call("bash", {"command": "true"})], [Say("ok")]]
    report = stream.started.session.hub.report
    stream.started.session.agent.subscribe(_Once(lambda: report(Diagnostic("warning", "odd \x1b[2J"))))

    await stream.run("go")

    assert stream.err.getvalue() == "pi-term: odd \n"
    assert "diagnostic" not in stream.types()


class _Once:
    def __init__(self, act: Any) -> None:
        self._act = [act]

    async def __call__(self, event: object) -> None:
        if self._act:
            self._act.pop()()


async def test_nobody_reads_any_more(stream: Stream) -> None:
    stream.script.replies = [[Say("x" * 300_000), Wait(asyncio.Event())], [Say("never")]]
    reader, writer = os.pipe()
    os.close(reader)

    async with asyncio.timeout(60):
        code = await run_json_mode(stream.started, ["one", "two"], output=writer, err=stream.err)
    os.close(writer)

    assert code == 141
    assert len(stream.script.contexts) <= 1


async def test_a_slow_reader_gets_all_of_it(stream: Stream) -> None:
    stream.script.replies = [[Say("x" * 300_000)]]
    reader, writer = os.pipe()
    running = asyncio.create_task(run_json_mode(stream.started, ["go"], output=writer, err=stream.err))
    await stream.started.session.wait_settled()
    await asyncio.sleep(0.1)
    assert not running.done()

    data = b""
    async with asyncio.timeout(60):
        while b'"agent_settled"' not in data:
            data += await asyncio.to_thread(os.read, reader, 1 << 16)
        assert await running == 0
    os.close(writer)
    os.close(reader)

    assert all(json.loads(line) for line in data.splitlines())


# --- the program


def test_a_signal_keeps_the_partial_answer(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "run sleep 600"], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        next(line for line in process.stdout if b"tool_execution_start" in line)
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read().splitlines()

    assert process.returncode == 128 + signal.SIGTERM
    assert json.loads(rest[-1]) == {"type": "agent_settled", "aborted": True}


def test_a_reader_that_stops_reading_ends_it_quietly(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "run seq 1 100"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaint = process.stderr.read()

    assert process.returncode == 141
    assert complaint == b""
