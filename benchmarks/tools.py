"""The built-in tools under load: endless output, huge files, many small commands.

    python benchmarks/tools.py

Prints seconds, memory over idle (the peak of this process in MB) and the longest time for which the event
loop did not turn, in which no key would have been answered. Needs 2 GB in the temporary folder for a while.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from pi_term.agent.tools import ToolCallContext, ToolResult
from pi_term.ai.messages import UserMessage, text_of
from pi_term.base.abort import AbortController
from pi_term.base.paths import AppPaths
from pi_term.coding.checkpoints import Checkpoints
from pi_term.coding.recorder import Recorder
from pi_term.coding.session import MessageEntry, SessionFile
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.tools import LOCAL, MutationQueue, ToolContext, builtin_tools
from pi_term.coding.tools.bash.prune import prune_outputs

TOOLS = builtin_tools()
FAR_LINE = 45_000_000


def resident() -> float:
    """The memory of this process in MB."""
    with open("/proc/self/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["VmRSS"].split()[0]) / 1024


class Watch:
    """Turns with the event loop; knows the longest pause between two turns, and the most memory."""

    def __init__(self) -> None:
        self.longest_pause = 0.0
        self.peak = 0.0

    async def run(self) -> None:
        last = looked = time.perf_counter()
        while True:
            await asyncio.sleep(0.005)
            now = time.perf_counter()
            self.longest_pause = max(self.longest_pause, now - last - 0.005)
            if now - looked > 0.02:
                self.peak, looked = max(self.peak, resident()), now
            last = time.perf_counter()


async def measured(what: str, work: Callable[[], Awaitable[object]]) -> None:
    """Print what `work` took."""
    idle, watch = resident(), Watch()
    watching = asyncio.create_task(watch.run())
    await asyncio.sleep(0.01)
    began = time.perf_counter()
    await work()
    seconds = time.perf_counter() - began
    watching.cancel()
    over_idle, pause = max(0.0, watch.peak - idle), watch.longest_pause * 1000
    print(f"{what:52} {seconds:7.3f} s  {over_idle:6.1f} MB  {pause:6.1f} ms")


@contextmanager
def large_file(folder: Path, size: int) -> Iterator[Path]:
    """A file of short numbered lines."""
    path = folder / "large.txt"
    with open(path, "wb") as file:
        number = 0
        while file.tell() < size:
            file.write(b"".join(b"line %d\n" % each for each in range(number, number + 100_000)))
            number += 100_000
    yield path
    path.unlink()


async def kept_changes(folder: Path) -> Checkpoints:
    """The checkpoints of a session in `folder`."""
    paths = AppPaths(folder, folder, folder, folder)
    recorder = Recorder(SessionFile.create(paths.sessions_dir, folder), print)
    recorder.add(MessageEntry(UserMessage("hello")))
    await recorder.flush(force=True)
    return Checkpoints(paths, SettingsStore(), LOCAL, lambda: recorder, print)


async def main(folder: Path) -> None:
    mutations = MutationQueue()
    checkpoints = await kept_changes(folder / "home")
    keeps = False

    async def call(name: str, **args: object) -> str:
        context = ToolCallContext("call", AbortController().signal, lambda shown: None)
        where = ToolContext(folder, context, mutations, folder)
        if keeps:
            where = replace(where, mutations=checkpoints.mutations, operations=checkpoints.watched())
        result: ToolResult = await TOOLS[name].execute(dict(args), where)
        return text_of(result.content)

    async def endless() -> None:
        await call("bash", command="yes 'some long line of text' | head -c 2000000000")
        prune_outputs(folder, days=0)

    async def commands() -> None:
        for _ in range(100):
            await call("bash", command="true")

    async def edits(begin: int) -> None:
        for number in range(begin, begin + 100):
            old, new = f"value {number}\n", f"value {number + 1}\n"
            await call("edit", path="small.txt", edits=[{"oldText": old, "newText": new}])

    await call("bash", command="true")  # loads what is loaded with the first call
    await call("write", path="small.txt", content="line\n" * 1000 + "value 0\n")
    print(f"{'':52} {'time':>9}  {'over idle':>9}  {'pause':>9}")
    await measured("bash: 2 GB of output", endless)
    await measured("bash: 200,000 lines", lambda: call("bash", command="seq 200000"))
    await measured("bash: 100 commands that do nothing", commands)
    with large_file(folder, 1_000_000_000):
        await measured(
            "read: 5 lines at the beginning of 1 GB",
            lambda: call("read", path="large.txt", offset=1000, limit=5),
        )
        await measured(
            "read: 5 lines at the end of 1 GB",
            lambda: call("read", path="large.txt", offset=FAR_LINE, limit=5),
        )
    for begin in (0, 200):  # the first time is dearer
        await measured("edit: 100 edits of a small file", partial(edits, begin))
        keeps = True
        await measured("edit: 100 edits, what there was is kept", partial(edits, begin + 100))
        keeps = False
    keeps = True
    await call("write", path="8mb.txt", content="line\n" * 1_600_000)
    await measured(
        "write: a file of 8 MB, what there was is kept", lambda: call("write", path="8mb.txt", content="")
    )
    await checkpoints.aclose()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        asyncio.run(main(Path(folder)))
