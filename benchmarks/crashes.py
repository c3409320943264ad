"""Kills a working session with `kill -9` again and again, and looks whether anything finished was lost.

    python benchmarks/crashes.py --crashes 1000 [--seed 7]

A child process goes on with one session file: it prompts a scripted model that calls tools, steers, runs
commands, sets labels, compacts, moves in the tree, forks. Each time a front end would show something as
finished, the child says so on its standard output, unbuffered. After a random time the parent kills it,
opens every session file that there is, and looks for all that was said to be finished. Prints one line
and exits with 1 when something is missing or a file does not load.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from pi_term.agent.events import MessageEnd
from pi_term.ai.context import Context
from pi_term.base import json
from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import CompactionEnd, SessionEvent
from pi_term.coding.session import SessionFile, build_context
from pi_term.testing.scripted import Call, Part, Reply, Say, ScriptedModel
from pi_term.testing.sessions import scripted_session

SETTINGS: json.JsonObject = {"compaction.keepRecentTokens": 400}


def main() -> int:
    """Run the crashes, or one child of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--crashes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child is not None:
        asyncio.run(Child(asked.child, random.Random(asked.seed)).work())
        return 0
    seed = random.randrange(1 << 30) if asked.seed is None else asked.seed
    with tempfile.TemporaryDirectory(prefix="pi-term-crashes-") as folder:
        return Parent(Path(folder), random.Random(seed), seed).crash(asked.crashes)


# --- the process that is killed


class Child:
    """Works on the newest session of a folder until somebody kills it."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folder = folder
        self._chance = chance
        self._number = 0

    async def work(self) -> None:
        with ScriptedModel(answer=self._answer) as model:
            session = await scripted_session(model, self._folder, settings=SETTINGS)
            session.subscribe(self._tell)
            files = sorted(self._folder.rglob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
            if files:
                await session.switcher.open(SessionFile.open(files[-1]))
            say("ready")
            while True:
                await self._act(session)

    async def _act(self, session: AgentSession) -> None:
        """One thing that a user does; what cannot be done right now is no matter."""
        self._number += 1
        try:
            await self._do(session, self._chance.choice(_ACTIONS))
        except (PiTermError, AbortError):
            await asyncio.sleep(0)

    async def _do(self, session: AgentSession, action: str) -> None:
        tree = session.file.tree
        match action:
            case "prompt":
                await session.prompt(f"prompt {self._number} {os.getpid()}")
            case "steer":
                session.submit("first")
                session.submit("second")
                session.submit("third", follow_up=True)
                await session.wait_settled()
            case "shell":
                await session.run_shell("echo hi")
            case "label" if tree.leaf is not None:
                text = f"label {self._number} {os.getpid()}"
                await session.navigator.label(tree.leaf.id, text)
                if session.file.stored:
                    say(f"text {text}")
            case "compact":
                await session.compact()
            case "move" if tree.entries:
                await session.navigator.go_to(self._chance.choice(tree.entries).id)
            case "fork":
                prompts = [entry for entry in tree.branch() if entry.role == "user"]
                if prompts:
                    await session.switcher.fork(self._chance.choice(prompts).id)
            case "clone":
                await session.switcher.clone()

    async def _tell(self, event: SessionEvent) -> None:
        if isinstance(event, MessageEnd):
            say(f"message {digest(event.message.to_json())}")
        elif isinstance(event, CompactionEnd) and event.result is not None:
            say(f"text {event.result.first_kept_entry_id}")

    def _answer(self, context: Context) -> Sequence[Part] | Reply:
        if not context.tools:
            return [Say("## Goal\nsummary")]
        if self._chance.random() < 0.4:
            return [Say("look "), Call("bash", {"command": "echo out"}), Call("read", {"path": "none"})]
        return [Say("word " * self._chance.randrange(1, 400))]


_ACTIONS = ("prompt",) * 6 + ("steer", "steer", "shell", "label", "compact", "move", "fork", "clone")


def say(line: str) -> None:
    """Tell the parent, at once."""
    os.write(1, f"{line}\n".encode())


def digest(message: json.JsonObject) -> str:
    """A name for a message."""
    return hashlib.sha256(json.dumps(message)).hexdigest()[:20]


# --- the process that kills


class Parent:
    """Starts children, kills them, and keeps account."""

    def __init__(self, folder: Path, chance: random.Random, seed: int) -> None:
        self._folder = folder
        self._chance = chance
        self._seed = seed
        self._finished = 0

    def crash(self, times: int) -> int:
        """Kill so many children; the exit code."""
        for number in range(times):
            self._clear_old_files()
            lost = self._missing(self._kill_one(number))
            if lost:
                print(f"crash {number} (seed {self._seed}): lost {lost[:5]}", file=sys.stderr)
                return 1
        entries = sum(path.read_bytes().count(b"\n") for path in self._files())
        print(
            f"{times} crashes, {self._finished} finished entries, {entries} lines in "
            f"{len(self._files())} files: nothing lost (seed {self._seed})"
        )
        return 0

    def _files(self) -> list[Path]:
        return list(self._folder.rglob("*.jsonl"))

    def _kill_one(self, number: int) -> list[str]:
        """What a child said to be finished before it was killed."""
        command = [sys.executable, __file__, "--child", str(self._folder)]
        command += ["--seed", str(self._seed + number)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
        assert child.stdout is not None
        said = b""
        killed_at: float | None = None
        while True:
            wait = 60.0 if killed_at is None else max(0.0, killed_at - time.monotonic())
            if select.select([child.stdout], [], [], wait)[0]:
                piece = child.stdout.read(1 << 16)
                if not piece:
                    break
                said += piece
                if killed_at is None and b"ready\n" in said:
                    killed_at = time.monotonic() + self._chance.random() * 0.3
            else:
                child.send_signal(signal.SIGKILL)
                killed_at = time.monotonic() + 60
        if child.wait() != -signal.SIGKILL:
            raise SystemExit(f"crash {number} (seed {self._seed}): the child ended by itself")
        return said.decode().split("\n")[:-1]

    def _missing(self, said: list[str]) -> list[str]:
        whole = b""
        messages: set[str] = set()
        for path in self._files():
            whole += path.read_bytes()
            messages |= self._messages_of(path)
        missing = []
        for line in said:
            kind, _, what = line.partition(" ")
            if kind == "ready":
                continue
            self._finished += 1
            found = what in messages if kind == "message" else what.encode() in whole
            if not found:
                missing.append(line)
        return missing

    def _messages_of(self, path: Path) -> set[str]:
        """Names of the messages in a file, which must load."""
        file = SessionFile.open(path)
        build_context(file.tree)
        found = {digest(entry.data["message"]) for entry in file.tree.entries if entry.type == "message"}
        file.close()
        return found

    def _clear_old_files(self) -> None:
        """Keep a thousand crashes quick: only the newest files are gone on with."""
        files = sorted(self._files(), key=lambda path: path.stat().st_mtime_ns)
        for path in files[:-2] if len(files) > 12 else []:
            path.unlink()
        if files and files[-1].stat().st_size > 1_000_000:
            files[-1].unlink()


if __name__ == "__main__":
    sys.exit(main())
