"""A command in a session of its own: no terminal, no input, one stream of output, one end for all of it."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pi_term.base.abort import AbortSignal
from pi_term.coding.tools.local.environment import MARK, command_environment
from pi_term.coding.tools.local.tree import Member, members, send
from pi_term.coding.tools.operations import Command, Exit

_READ_BYTES = 256 * 1024
_PIPE_BYTES = 1024 * 1024
_F_SETPIPE_SZ = 1031
_POLL_SECONDS = 0.02
TERM_SECONDS = 0.4
"""How long processes may take to end by themselves before they are killed."""
KILL_SECONDS = 0.3
QUIET_SECONDS = 0.1
"""Silence after the command's end that is taken for the end of output, while a child holds the pipe."""
LINGER_SECONDS = 0.5
"""The longest wait for that silence."""


async def run_process(command: Command, on_output: Callable[[bytes], None], wanted: AbortSignal) -> Exit:
    """`Operations.run` on this machine."""
    if wanted.aborted:
        return Exit(None)
    process = Process(command, on_output)
    await process.start()
    try:
        has_exited = await _exited(process, wanted)
        if not has_exited:
            await process.end_tree()
        await process.output_ended(LINGER_SECONDS if has_exited else QUIET_SECONDS)
    except BaseException:
        process.kill()
        raise
    return _exit(process.exited.result()) if has_exited else Exit(None)


async def _exited(process: Process, wanted: AbortSignal) -> bool:
    """Whether the command ended before nobody wanted it any more."""
    aborted = asyncio.ensure_future(wanted.wait())
    either: list[asyncio.Future[Any]] = [process.exited, aborted]
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        aborted.cancel()
    return process.exited.done()


def _exit(code: int) -> Exit:
    if code >= 0:
        return Exit(code)
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return Exit(128 - code, name)


class Process:
    """A running command. Two threads serve it: one waits for its end, one empties its pipe.

    The second goes on after the call is over, as long as a background child holds the pipe: without a
    reader that child would be killed by its next line.
    """

    def __init__(self, command: Command, on_output: Callable[[bytes], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._command = command
        self._on_output = on_output
        self._mark = os.urandom(8).hex()
        self._size = 0
        self._started: asyncio.Future[int] = self._loop.create_future()
        self._is_unwanted = False
        self.exited: asyncio.Future[int] = self._loop.create_future()
        self._drained: asyncio.Future[None] = self._loop.create_future()

    async def start(self) -> None:
        """Start it; raises `OSError` if it cannot be."""
        try:
            threading.Thread(target=self._run, name="command", daemon=True).start()
        except RuntimeError as error:
            raise OSError(errno.EAGAIN, f"{error}") from None
        try:
            self._pid = await asyncio.shield(self._started)
        except asyncio.CancelledError:
            self._is_unwanted = True
            self._started.add_done_callback(self._kill_if_started)
            raise

    async def output_ended(self, seconds: float) -> None:
        """Return when all output has come, or, with the pipe still held, when it falls silent; the latest
        after some seconds."""
        deadline = self._loop.time() + seconds
        while self._loop.time() < deadline:
            size = self._size
            await asyncio.wait([self._drained], timeout=QUIET_SECONDS)
            if self._drained.done() or self._size == size:
                return

    async def end_tree(self) -> None:
        """End the command and everything it started: first asked to, then killed; within a second."""
        processes = await asyncio.to_thread(members, self._pid, self._mark)
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
        try:
            threading.Thread(target=self._kill, args=(self._pid,), name="kill").start()
        except RuntimeError:  # no more threads, or the program is at its end
            self._kill(self._pid)

    async def _survivors(self, processes: set[Member], seconds: float) -> set[Member]:
        """Those, and their children, that are left after `seconds`; returns early when there are none."""
        deadline = self._loop.time() + seconds
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            processes = await asyncio.to_thread(members, self._pid, self._mark, processes)
            if (not processes and self.exited.done()) or self._loop.time() >= deadline:
                return processes

    def _run(self) -> None:
        """The thread that starts the command and waits for its end."""
        try:
            process = self._spawn()
        except (OSError, ValueError, RuntimeError) as error:
            self._tell(self._started, error=_as_os_error(error))
            return
        if not self._tell(self._started, process.pid) or self._is_unwanted:
            self._kill(process.pid)
        self._tell(self.exited, process.wait())

    def _spawn(self) -> subprocess.Popen[bytes]:
        command = self._command
        reading, writing = os.pipe()
        _enlarge(writing)
        try:
            threading.Thread(target=self._pump, args=(reading,), name="output", daemon=True).start()
        except RuntimeError:  # no more threads
            os.close(reading)
            os.close(writing)
            raise
        try:
            return subprocess.Popen(
                command.argv,
                cwd=command.cwd,
                env=command_environment(os.environ, {**command.env, "PWD": command.cwd, MARK: self._mark}),
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
                self._size += len(data)
                self._on_output(data)
        finally:
            os.close(reading)
            self._tell(self._drained, None)

    def _kill(self, pid: int) -> None:
        """Kill until nothing is left: what is found may start something before its turn comes."""
        deadline = time.monotonic() + KILL_SECONDS
        found = members(pid, self._mark)
        while found and time.monotonic() < deadline:
            send(pid, found, signal.SIGKILL)
            time.sleep(_POLL_SECONDS)
            found = members(pid, self._mark, found)

    def _kill_if_started(self, started: asyncio.Future[int]) -> None:
        if not started.cancelled() and started.exception() is None:
            self._pid = started.result()
            self.kill()

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


def _as_os_error(error: Exception) -> OSError:
    """A NUL in an argument is a `ValueError`, too many threads a `RuntimeError`."""
    if isinstance(error, OSError):
        return error
    return OSError(errno.EINVAL if isinstance(error, ValueError) else errno.EAGAIN, str(error))
