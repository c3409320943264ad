"""What draws the calls of one tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pi_term.base.dataclass import dataclass
from pi_term.render.line import Line
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.panel import Panel


@dataclass(frozen=True, slots=True)
class Title:
    """What a tool row says after the tool's name: sanitised, without newlines.

    `extra`: what the call came to, in a few words. `keep_end`: of a `text` too long for the row the end is
    shown, as of paths. `changes`: how many lines were added and removed.
    """

    text: str
    extra: str = ""
    keep_end: bool = False
    changes: tuple[int, int] | None = None


class ToolRenderer(Protocol):
    """Draws the calls of one tool. Strings of a call are data and pass the sanitiser first.

    What was worked out may be kept in the call's `memo` until the call changes. What draws arguments that
    are still written keeps its place in `live`, so that it looks at what is new only.
    """

    def title(self, call: ToolCallState) -> Title:
        """What the row says."""

    def body(self, call: ToolCallState, panel: Panel) -> Sequence[Line]:
        """What is under the row. Collapsed a few rows; expanded a sequence that makes rows when asked."""

    def expandable(self, call: ToolCallState) -> bool:
        """Whether the body has more to show expanded."""
