"""Messages that wait for their turn in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Literal, TypeAlias

from pi_term.ai.messages import UserMessage
from pi_term.base.dataclass import dataclass

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]
_ids = count(1)


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A waiting message; `id` names it for editing and removal, in whichever queue it is."""

    id: int
    message: UserMessage


def _nobody() -> None:
    return None


class MessageQueue:
    """First in, first out, and open to editing until the moment of delivery.

    `mode` says how many messages a turn takes; it may be changed at any time. While the queue is `held`,
    nothing is delivered: for a run it is empty. `on_change` is called once for every change of what waits.
    Editing what has been delivered in the meantime changes nothing, and the answer says so.
    """

    def __init__(self, mode: QueueMode = "one-at-a-time", on_change: Callable[[], None] = _nobody) -> None:
        self.mode = mode
        self.held = False
        self._on_change = on_change
        self._waiting: list[QueuedMessage] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[QueuedMessage]:
        return iter(tuple(self._waiting))

    @property
    def ready(self) -> bool:
        """Whether something waits that may be delivered."""
        return bool(self._waiting) and not self.held

    def add(self, message: UserMessage) -> QueuedMessage:
        """Append."""
        queued = QueuedMessage(next(_ids), message)
        self._insert(len(self._waiting), queued)
        return queued

    def replace(self, queued_id: int, message: UserMessage) -> bool:
        """Put another message in the place of one; False when that one does not wait any more."""
        position = self._position(queued_id)
        if position is None:
            return False
        self._waiting[position] = QueuedMessage(queued_id, message)
        self._on_change()
        return True

    def move(self, queued_id: int, position: int) -> bool:
        """Put one at another position, from 0, as far as there are; False when it does not wait any more."""
        before = self._position(queued_id)
        if before is None:
            return False
        after = max(0, min(position, len(self._waiting) - 1))
        if after != before:
            self._waiting.insert(after, self._waiting.pop(before))
            self._on_change()
        return True

    def remove(self, queued_id: int) -> UserMessage | None:
        """Take one out; None when it does not wait any more."""
        queued = self._take(queued_id)
        if queued is None:
            return None
        self._on_change()
        return queued.message

    def clear(self) -> list[UserMessage]:
        """Take all out."""
        taken, self._waiting = self._waiting, []
        if taken:
            self._on_change()
        return [queued.message for queued in taken]

    def due(self) -> list[UserMessage]:
        """What one turn takes of what waits now; it goes on waiting."""
        if self.held:
            return []
        count = len(self._waiting) if self.mode == "all" else 1
        return [queued.message for queued in self._waiting[:count]]

    def take_due(self) -> list[UserMessage]:
        """Take out what one turn takes: for a harness that begins a run with it."""
        taken = self.due()
        del self._waiting[: len(taken)]
        if taken:
            self._on_change()
        return taken

    def hand_over(self, queued_id: int, other: MessageQueue, position: int) -> bool:
        """Let one wait in another queue, which tells of it; False when it does not wait here any more."""
        queued = self._take(queued_id)
        if queued is None:
            return False
        other._insert(position, queued)
        return True

    # --- for the loop

    def claim(self) -> QueuedMessage | None:
        """Take the oldest out for delivery. `delivering` or `put_back` follows, and only they tell of it."""
        return self._waiting.pop(0) if self.ready else None

    def delivering(self) -> None:
        """What was claimed is about to be delivered."""
        self._on_change()

    def put_back(self, queued: QueuedMessage) -> None:
        """What was claimed could not be delivered."""
        self._insert(0, queued)

    # --- inside

    def _insert(self, position: int, queued: QueuedMessage) -> None:
        self._waiting.insert(position, queued)
        self._on_change()

    def _take(self, queued_id: int) -> QueuedMessage | None:
        position = self._position(queued_id)
        return None if position is None else self._waiting.pop(position)

    def _position(self, queued_id: int) -> int | None:
        found = (index for index, queued in enumerate(self._waiting) if queued.id == queued_id)
        return next(found, None)
