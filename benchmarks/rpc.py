"""RPC mode from its client's side: small and big questions, a long session, a long line.

    python benchmarks/rpc.py [ENTRIES]

Everything runs in a temporary folder, with the built-in scripted model.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

PROGRAM = [sys.executable, "-m", "pi_term", "--demo", "--mode", "rpc"]


def session(path: Path, cwd: Path, entries: int) -> None:
    """A session file of questions and answers, one behind the other, about 1 KB each."""
    header = {"type": "session", "version": 3, "id": "bench", "timestamp": "2026-01-01T00:00:00.000Z"}
    lines = [json.dumps({**header, "cwd": str(cwd)})]
    usage = {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15, "cost": {}}
    for number in range(entries):
        text = [{"type": "text", "text": f"message {number} " + "word " * 150}]
        message: dict[str, object] = {"role": "user", "content": text, "timestamp": 1}
        if number % 2:
            message |= {"role": "assistant", "api": "demo", "provider": "demo", "model": "demo"}
            message |= {"usage": usage, "stopReason": "stop"}
        entry = {"type": "message", "id": f"{number:08x}", "timestamp": "2026-01-01T00:00:00.000Z"}
        entry["parentId"] = f"{number - 1:08x}" if number else None  # type: ignore[assignment]
        lines.append(json.dumps({**entry, "message": message}))
    path.write_text("\n".join(lines) + "\n")


def ask(stdin: IO[bytes], stdout: IO[bytes], command: bytes) -> int:
    """Send a command and read its response, past any events; its size."""
    stdin.write(command + b"\n")
    stdin.flush()
    return next(len(line) for line in stdout if b'"type":"response"' in line[:200])


def main(entries: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session(folder / "long.jsonl", folder, entries)
        env = {**os.environ, "PI_TERM_HOME": str(folder / "home"), "HOME": name}
        argv = [*PROGRAM, "--session", str(folder / "long.jsonl")]
        began = time.perf_counter()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(argv, cwd=folder, env=env, **pipes) as process:  # type: ignore[call-overload]
            stdin, stdout = process.stdin, process.stdout
            ask(stdin, stdout, b'{"type":"get_state"}')
            print(f"start to first response, {entries} entries: {time.perf_counter() - began:.2f} s")
            trips = [_timed(stdin, stdout, b'{"type":"get_state"}')[0] for _ in range(1000)]
            print(f"get_state: median {statistics.median(trips) * 1e6:.0f} µs")
            names = ("get_entries", "get_tree", "get_messages", "get_session_stats", "get_session_stats")
            for command in (*names, "get_fork_messages"):
                seconds, size = _timed(stdin, stdout, b'{"type":"%s"}' % command.encode())
                print(f"{command}: {seconds * 1000:.0f} ms, {size / 1e6:.1f} MB")
            line = b'{"type":"set_session_name","name":"%s"}' % (b"x" * 100_000_000)
            print(f"a line of 100 MB: {_timed(stdin, stdout, line)[0]:.2f} s")
            stdin.close()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"peak memory: {peak / 1000:.0f} MB")


def _timed(stdin: IO[bytes], stdout: IO[bytes], command: bytes) -> tuple[float, int]:
    began = time.perf_counter()
    size = ask(stdin, stdout, command)
    return time.perf_counter() - began, size


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
