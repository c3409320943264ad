"""The end of the process, whatever still goes on in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_STUBBORN = """
import asyncio, sys, threading, time
from pi_term.cli import headless, main

kept = []
run_mode = headless._run_mode

async def never():
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass

async def and_more(*given):
    if "task" in sys.argv:
        kept.append(asyncio.create_task(never()))
    else:
        asyncio.get_running_loop().run_in_executor(None, time.sleep, 3600)
    await asyncio.sleep(0)
    return await run_mode(*given)

headless._run_mode = and_more
headless._LONGEST_END = 0.2
sys.exit(main.main(["-p", "--demo", "hello there"]))
"""


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _STUBBORN, *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("what", ["task", "thread"])
def test_what_ignores_being_cancelled_keeps_no_process_alive(tmp_path: Path, what: str) -> None:
    done = run(what, cwd=tmp_path)
    assert done.returncode == 0
    assert "I got “hello there”" in done.stdout
