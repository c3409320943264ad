"""The queue for changes to files: one at a time per real file, in the order they were asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import Protocol, TypeVar

from pi_term.coding.tools.local.operations import LOCAL
from pi_term.coding.tools.operations import Operations

T = TypeVar("T")


class ChangeKeeper(Protocol):
    """Keeps what files held before they changed."""

    def around(self, path: str, operations: Operations) -> AbstractAsyncContextManager[None]:
        """Entered before the file at the real path `path` may change, and left when it may no longer."""
        ...


class _Turn:
    """A place in the queue. `key` is the real file, None until it is known."""

    __slots__ = ("key", "may_start")

    def __init__(self) -> None:
        self.key: str | None = None
        self.may_start: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class MutationQueue:
    """Changes to one real file wait for each other, also through links; others run side by side.

    Order is that of the calls of `run`, however long it takes to find out which files they mean. `keeper`
    hears of every change.
    """

    def __init__(self, keeper: ChangeKeeper | None = None) -> None:
        self._keeper = keeper
        self._turns: list[_Turn] = []

    async def run(
        self,
        target: str | Path | Callable[[], Awaitable[str]],
        work: Callable[[str], Awaitable[T]],
        operations: Operations = LOCAL,
    ) -> T:
        """Run `work(path)` when it is its turn; gives its result or raises its error.

        `target` is the path, absolute, or finds it; where it really leads is known to `operations`.
        Cancelling cancels work that has begun, which keeps its place until it has really ended.
        """
        turn = _Turn()
        self._turns.append(turn)
        try:
            path = str(target) if isinstance(target, str | Path) else await target()
            turn.key = await operations.real_path(path)
            self._admit()
            await turn.may_start
        except BaseException:
            self._leave(turn)
            raise
        keeping = self._keeper.around(turn.key, operations) if self._keeper else nullcontext()
        running = asyncio.create_task(_done(work, path, keeping))
        running.add_done_callback(lambda done: self._finished(turn, done))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            running.cancel()
            raise

    def _finished(self, turn: _Turn, done: asyncio.Task[T]) -> None:
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


async def _done(
    work: Callable[[str], Awaitable[T]], path: str, keeping: AbstractAsyncContextManager[None]
) -> T:
    """A task of its own for whatever `work` is, also if it already fails before it awaits anything."""
    async with keeping:
        return await work(path)
