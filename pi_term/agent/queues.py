"""Messages that wait for their turn in a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Literal, TypeAlias

from pi_term.ai.messages import UserMessage

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]
_ids = count(1)


@dataclass(slots=True)
class QueuedMessage:
    """A waiting message; `id` names it for editing and removal."""

    id: int
    message: UserMessage


class MessageQueue:
    """First in, first out; `mode` says how many one delivery takes."""

    def __init__(self, mode: QueueMode = "one-at-a-time") -> None:
        self.mode = mode
        self._waiting: list[QueuedMessage] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[QueuedMessage]:
        return iter(tuple(self._waiting))

    def add(self, message: UserMessage) -> QueuedMessage:
        """Append."""
        queued = QueuedMessage(next(_ids), message)
        self._waiting.append(queued)
        return queued

    def due(self) -> int:
        """How many messages the next delivery takes."""
        return len(self._waiting) if self.mode == "all" else min(1, len(self._waiting))

    def take_due(self) -> list[UserMessage]:
        """Take out what the next delivery takes."""
        return [self._waiting.pop(0).message for _ in range(self.due())]

    def pop(self) -> UserMessage | None:
        """The oldest, taken out; None when nothing waits."""
        return self._waiting.pop(0).message if self._waiting else None

    def remove(self, queued_id: int) -> UserMessage | None:
        """Take one out; None when it has been delivered in the meantime."""
        for index, queued in enumerate(self._waiting):
            if queued.id == queued_id:
                return self._waiting.pop(index).message
        return None

    def clear(self) -> list[UserMessage]:
        """Take all out."""
        taken, self._waiting = self._waiting, []
        return [queued.message for queued in taken]
