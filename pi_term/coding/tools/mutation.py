"""The queue for changes to files: one at a time per real file, in the order they were asked for."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class _Turn:
    """A place in the queue. `key` is the real file, None until it is known."""

    __slots__ = ("key", "may_start")

    def __init__(self) -> None:
        self.key: str | None = None
        self.may_start: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class MutationQueue:
    """Changes to one real file wait for each other, also through links; others run side by side.

    Order is that of the calls of `run`, however long it takes to find out which files they mean.
    """

    def __init__(self) -> None:
        self._turns: list[_Turn] = []

    async def run(self, target: Path | Callable[[], Path], work: Callable[[Path], T]) -> T:
        """Run `work(path)` in a thread when it is its turn; gives its result or raises its error.

        `target` is the path or finds it (in a thread). Cancelling while waiting gives up the place; work
        that has begun goes on to its end and keeps its place until then.
        """
        turn = _Turn()
        self._turns.append(turn)
        try:
            path, turn.key = await asyncio.to_thread(_locate, target)
            self._admit()
            await turn.may_start
        except BaseException:
            self._leave(turn)
            raise
        running = asyncio.ensure_future(asyncio.to_thread(work, path))
        running.add_done_callback(lambda done: self._finished(turn, done))
        return await asyncio.shield(running)

    def _finished(self, turn: _Turn, done: asyncio.Future[T]) -> None:
        if not done.cancelled():
            done.exception()  # marks it as seen: after a cancellation nobody else asks for it
        self._leave(turn)

    def _leave(self, turn: _Turn) -> None:
        self._turns.remove(turn)
        self._admit()

    def _admit(self) -> None:
        """Let every turn start that no earlier one can be in the way of."""
        taken: set[str] = set()
        for turn in self._turns:
            if turn.key is None:
                return
            if turn.key not in taken and not turn.may_start.done():
                turn.may_start.set_result(None)
            taken.add(turn.key)


def _locate(target: Path | Callable[[], Path]) -> tuple[Path, str]:
    path = target if isinstance(target, Path) else target()
    return path, os.path.realpath(path)
