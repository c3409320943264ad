"""The end of the process, whatever still goes on in it."""

from __future__ import annotations

import signal
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

_SIGNALLED = """
import asyncio, os, signal, sys
from pi_term.headless import signals

async def main():
    with signals.caught_signals(lambda number: print("called off", flush=True)):
        for _ in range(int(sys.argv[1])):
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(0.01)
        await asyncio.Event().wait()

signals._LONGEST_END = float(sys.argv[2])
asyncio.run(main())
"""


def run(program: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("what", ["task", "thread"])
def test_what_ignores_being_cancelled_keeps_no_process_alive(tmp_path: Path, what: str) -> None:
    done = run(_STUBBORN, what, cwd=tmp_path)
    assert done.returncode == 0
    assert "I got “hello there”" in done.stdout


def test_what_a_signal_called_off_must_end_in_time(tmp_path: Path) -> None:
    done = run(_SIGNALLED, "1", "0.2", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "called off\n")


def test_a_second_signal_ends_the_process_at_once(tmp_path: Path) -> None:
    done = run(_SIGNALLED, "2", "3600", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "called off\n")
