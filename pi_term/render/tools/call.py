"""The state of one tool call, as front ends know it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Literal, Protocol, TypeAlias

from pi_term.ai.messages import ImageContent, UserPart, text_of
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject

CallStatus: TypeAlias = Literal["writing", "pending", "running", "ok", "error", "cancelled"]
"""`writing`: the model has not finished the arguments. `cancelled`: it will never run."""


class Colours(Protocol):
    """Syntax colours that are not all known yet."""

    @property
    def behind(self) -> bool:
        """Whether there are some to be found out."""

    def refine(self, deadline: float) -> bool:
        """Find out more of them until `deadline` (of `time.perf_counter`); whether what was shown plain has
        its colours now."""


@dataclass(slots=True)
class ToolCallState:
    """A call, its arguments as far as they are known, and what it has come to.

    Times are in seconds. `memo` is the renderer's own, emptied whenever the state changes; `live` is too, and
    is emptied when the arguments are whole. `colours` are those of what `memo` shows.
    """

    name: str
    args: JsonObject = field(default_factory=dict)
    status: CallStatus = "pending"
    content: Sequence[UserPart] = ()
    details: Any = None
    started: float | None = None
    duration: float | None = None
    memo: dict[str, Any] = field(default_factory=dict)
    live: dict[str, Any] = field(default_factory=dict)
    colours: Colours | None = None

    def forget(self) -> None:
        """Drop what can be worked out again."""
        self.memo.clear()
        self.colours = None

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self.status in ("ok", "error")

    @property
    def text(self) -> str:
        """The text of the result so far."""
        known = self.memo.get("text")
        if known is None:
            known = self.memo["text"] = text_of(self.content)
        return str(known)

    @property
    def images(self) -> list[ImageContent]:
        """The images of the result."""
        return [part for part in self.content if isinstance(part, ImageContent)]

    def argument(self, name: str) -> str:
        """An argument that should be a string; "" if it is missing or something else."""
        value = self.args.get(name)
        return value if isinstance(value, str) else ""

    def is_whole(self, name: str) -> bool:
        """Whether an argument is there and all of it: arguments are written one after the other."""
        if self.status != "writing":
            return name in self.args
        return name in self.args and next(reversed(self.args)) != name

    def number(self, name: str) -> float | None:
        """An argument that should be a number; None if it is missing or something else."""
        value = self.args.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None
