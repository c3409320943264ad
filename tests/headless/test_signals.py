"""Signals that would end the process."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

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


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _SIGNALLED, *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_what_a_signal_called_off_must_end_in_time(tmp_path: Path) -> None:
    done = run("1", "0.2", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "called off\n")


def test_a_second_signal_ends_the_process_at_once(tmp_path: Path) -> None:
    done = run("2", "3600", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "called off\n")
