"""The bubblewrap example: what its walls keep out, and what becomes of a file when something breaks."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import TextContent


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


async def said(bench: Any, command: str) -> str:
    return text_of(await asyncio.wait_for(bench.run("bash", command=command), 20))


async def test_files_outside_of_the_folder_are_not_there(sandbox_bench: Any, clean_environment: Path) -> None:
    secret = clean_environment / "secret"
    secret.write_text("key")
    (sandbox_bench.cwd / "link").symlink_to(secret)
    for path in (str(secret), "link", "~/secret", f"file://{secret}"):
        assert "no such file" in text_of(await sandbox_bench.run("read", path=path))
    assert "key" not in await said(sandbox_bench, f"cat {secret} link")


async def test_the_system_cannot_be_written(sandbox_bench: Any) -> None:
    for path in ("/usr/bin/new", "/etc/new"):
        result = await sandbox_bench.run("write", path=path, content="x")
        assert result.is_error
        assert path in text_of(result)
        assert not os.access(path, os.F_OK)


async def test_keys_in_the_environment_stay_outside(
    sandbox_bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret")
    assert "sk-secret" not in await said(sandbox_bench, "env; cat /proc/*/environ")


async def test_processes_outside_cannot_be_seen(sandbox_bench: Any) -> None:
    assert "No such process" in await said(sandbox_bench, f"kill -0 {os.getpid()}")
    assert int((await said(sandbox_bench, "ls -d /proc/[0-9]* | wc -l")).strip()) < 10


async def test_there_is_no_network(sandbox_bench: Any) -> None:
    interfaces = [
        line for line in (await said(sandbox_bench, "cat /proc/net/dev")).splitlines() if ":" in line
    ]
    assert [line.split(":")[0].strip() for line in interfaces] == ["lo"]


async def test_tmp_is_its_own_and_lasts_from_command_to_command(sandbox_bench: Any) -> None:
    await said(sandbox_bench, "echo kept > /tmp/note")
    assert await said(sandbox_bench, "cat /tmp/note") == "kept\n"
    assert not os.access("/tmp/note", os.F_OK)


async def test_the_full_output_that_a_note_names_can_be_read(sandbox_bench: Any) -> None:
    result = await sandbox_bench.run("bash", command="seq 3000")
    path = result.details["fullOutputPath"]
    assert text_of(await sandbox_bench.run("read", path=path, limit=1)).startswith("1\n")


async def test_a_full_disk_leaves_the_old_content_and_no_litter(sandbox_bench: Any) -> None:
    """A real one: a file system in memory of a few blocks, which lives as long as one operation."""
    folder = sandbox_bench.cwd / "small"
    folder.mkdir()
    really = sandbox_bench.operations._elsewhere

    def with_a_small_disk(command: Any) -> list[str]:
        argv = list(really(command))
        at = argv.index("--chdir")
        return [*argv[:at], "--size", "65536", "--tmpfs", str(folder), *argv[at:]]

    sandbox_bench.operations._elsewhere = with_a_small_disk
    result = await sandbox_bench.run("write", path="small/f", content="x" * 1_000_000)
    assert result.is_error
    assert text_of(result) == "Cannot write small/f: no space left on device"
    assert not (await sandbox_bench.run("write", path="small/f", content="x")).is_error


async def test_a_write_whose_process_is_killed_leaves_the_old_content(sandbox_bench: Any) -> None:
    (sandbox_bench.cwd / "f").write_text("old")
    writing = asyncio.create_task(sandbox_bench.run("write", path="f", content="new" * 20_000_000))
    async with asyncio.timeout(20):
        while not (begun := [name for name in os.listdir(sandbox_bench.cwd) if name != "f"]):
            await asyncio.sleep(0)
    assert begun[0].startswith(".pi-term-")
    for process in psutil.Process().children():
        with suppress(ProcessLookupError):  # children of others that ended just now
            os.killpg(process.pid, signal.SIGKILL)
    result = await writing
    assert result.is_error
    assert (sandbox_bench.cwd / "f").read_text() == "old"
    assert not (await sandbox_bench.run("write", path="f", content="newer")).is_error
    assert (sandbox_bench.cwd / "f").read_text() == "newer"
