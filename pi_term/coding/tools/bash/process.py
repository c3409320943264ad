"""A command in a session of its own: no terminal, no input, one stream of output, one end for all of it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pi_term.coding.tools.bash.output import OutputLog
from pi_term.coding.tools.bash.tree import Member, members, send

_READ_BYTES = 256 * 1024
_PIPE_BYTES = 1024 * 1024
_F_SETPIPE_SZ = 1031
_POLL_SECONDS = 0.02
TERM_SECONDS = 0.4
"""How long processes may take to end by themselves before they are killed."""
KILL_SECONDS = 0.3
QUIET_SECONDS = 0.1
"""Silence after the shell's end that counts as the end of output, while a background child holds the pipe."""
LINGER_SECONDS = 0.5
"""The longest wait for that silence."""


class ShellProcess:
    """A running command. Two threads serve it: one waits for its end, one empties its pipe.

    The second goes on after the call is over, as long as a background child holds the pipe: without a
    reader that child would be killed by its next line. What it prints then is dropped.
    """

    def __init__(self, log: OutputLog, on_output: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._log = log
        self._on_output = on_output
        self._started: asyncio.Future[int] = self._loop.create_future()
        self._is_unwanted = False
        self.exited: asyncio.Future[int] = self._loop.create_future()
        self._drained: asyncio.Future[None] = self._loop.create_future()

    async def start(self, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        """Start it; raises `OSError`, `ValueError` (a NUL) or `RuntimeError` (no thread) if it cannot."""
        threading.Thread(target=self._run, args=(argv, cwd, env), name="shell", daemon=True).start()
        try:
            self._pid = await asyncio.shield(self._started)
        except asyncio.CancelledError:
            self._is_unwanted = True
            self._started.add_done_callback(_kill_if_started)
            raise

    async def output_ended(self) -> None:
        """Return when all output has come, or, with the pipe still held, when it falls silent."""
        deadline = self._loop.time() + LINGER_SECONDS
        while self._loop.time() < deadline:
            size = self._log.size
            await asyncio.wait([self._drained], timeout=QUIET_SECONDS)
            if self._drained.done() or self._log.size == size:
                return

    async def end_tree(self) -> None:
        """End the command and everything it started: first asked to, then killed; within a second."""
        processes = await asyncio.to_thread(members, self._pid)
        send(self._pid, processes, signal.SIGTERM)
        processes = await self._survivors(processes, TERM_SECONDS)
        deadline = self._loop.time() + KILL_SECONDS
        while processes or not self.exited.done():
            send(self._pid, processes, signal.SIGKILL)
            left = deadline - self._loop.time()
            if left <= 0:
                return
            processes = await self._survivors(processes, min(left, 5 * _POLL_SECONDS))

    def kill(self) -> None:
        """Kill everything at once, without waiting for it."""
        _kill(self._pid)

    async def _survivors(self, processes: set[Member], seconds: float) -> set[Member]:
        """Those, and their children, that are left after `seconds`; returns early when there are none."""
        deadline = self._loop.time() + seconds
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            processes = await asyncio.to_thread(members, self._pid, processes)
            if (not processes and self.exited.done()) or self._loop.time() >= deadline:
                return processes

    def _run(self, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        """The thread that starts the command and waits for its end."""
        try:
            process = self._spawn(argv, cwd, env)
        except (OSError, ValueError, RuntimeError) as error:
            self._tell(self._started, error=error)
            return
        if not self._tell(self._started, process.pid) or self._is_unwanted:
            _kill(process.pid)
        self._tell(self.exited, process.wait())

    def _spawn(self, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        reading, writing = os.pipe()
        _enlarge(writing)
        try:
            threading.Thread(target=self._pump, args=(reading,), name="shell-output", daemon=True).start()
        except RuntimeError:  # no more threads
            os.close(reading)
            os.close(writing)
            raise
        try:
            return subprocess.Popen(
                argv,
                cwd=cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
            )
        finally:
            os.close(writing)

    def _pump(self, reading: int) -> None:
        """The thread that empties the pipe until nobody can write to it any more."""
        try:
            while data := os.read(reading, _READ_BYTES):
                if self._log.add(data):
                    self._on_output()
        finally:
            os.close(reading)
            self._tell(self._drained, None)

    def _tell(
        self, future: asyncio.Future[Any], value: Any = None, error: BaseException | None = None
    ) -> bool:
        """Settle a future of the loop from a thread; False when the loop is closed and nobody waits."""

        def settle() -> None:
            if not future.done():
                future.set_exception(error) if error is not None else future.set_result(value)

        try:
            self._loop.call_soon_threadsafe(settle)
        except RuntimeError:
            return False
        return True


def _enlarge(pipe: int) -> None:
    """Let the pipe hold more, where the system can: it saves switches between the processes."""
    with suppress(OSError, ImportError):
        import fcntl

        fcntl.fcntl(pipe, _F_SETPIPE_SZ, _PIPE_BYTES)


def _kill(pid: int) -> None:
    send(pid, members(pid), signal.SIGKILL)


def _kill_if_started(started: asyncio.Future[int]) -> None:
    if not started.cancelled() and started.exception() is None:
        _kill(started.result())
