"""A process that is killed at any step leaves a session that opens and a change that can be undone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pi_term.coding.session import SessionFile

KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, sys.argv[1])
from conftest import Desk
from pi_term.base import files
from pi_term.coding.checkpoints import blobs
from pi_term.coding.session import appender
from pi_term.coding.tools import LocalOperations

def die(*args, **options):
    os.kill(os.getpid(), signal.SIGKILL)

class Deadly:
    def __init__(self, name):
        self.name = name
    def __getattr__(self, name):
        return die if name == self.name else getattr(os, name)

def after(really):
    async def method(*args):
        await really(*args)
        die()
    return method

def arm(step):
    where, name = step.split(".")
    if where == "blobs":
        blobs.os = Deadly(name)
    elif where == "session":
        appender.os = Deadly(name)
    elif where == "file":
        files.os = Deadly(name)
    elif name.endswith("+"):
        setattr(LocalOperations, name[:-1], after(getattr(LocalOperations, name[:-1])))
    else:
        setattr(LocalOperations, name, die)

async def main():
    desk = Desk(Path(sys.argv[2]))
    start = await desk.say()
    await desk.write("g", "new\\n")
    if sys.argv[3] == "restore":
        await desk.write("f", "two\\n")
    plan = await desk.plan(start)
    await desk.checkpoints.aclose()
    arm(sys.argv[4])
    if sys.argv[3] == "restore":
        await desk.checkpoints.apply(plan)
    else:
        await desk.write("f", "two\\n")

asyncio.run(main())
"""
STEPS = [
    "blobs.open",
    "blobs.replace",
    "session.open",
    "session.write",
    "file.open",
    "file.replace",
    "operations.write",
    "operations.write+",
]


CELLS = [("tool", step) for step in STEPS]
CELLS += [("restore", step) for step in (*STEPS, "operations.remove", "operations.remove+")]


@pytest.mark.parametrize(("what", "step"), CELLS)
async def test_killed(desk: Any, what: str, step: str) -> None:
    (desk.work / "f").write_text("one\n")
    command = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(desk.folder), what, step]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == -9, done.stderr
    assert (desk.work / "f").read_text() in ("one\n", "two\n")
    [path] = (desk.paths.sessions_dir / "here").glob("*.jsonl")
    desk.recorder.change_file(SessionFile.open(path))
    assert not desk.file.diagnostics
    plan = await desk.plan(desk.file.tree.entries[0])
    assert all(each.obstacle is None for each in plan.files)
    for litter in desk.work.glob(".pi-term-*.tmp"):
        litter.unlink()
    await desk.checkpoints.apply(plan)
    assert desk.files() == {"f": b"one\n"}
