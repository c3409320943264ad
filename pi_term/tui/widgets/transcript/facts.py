"""What a transcript tells the screen that holds it."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message


@dataclass
class FollowChanged(Message):
    """The view began or ceased to follow the end, or more arrived below it.

    `new_below` counts the blocks that arrived since the view left the end and were not shown yet.
    """

    following: bool
    new_below: int


@dataclass
class BlockClicked(Message):
    """A row was clicked. `action_id` is the action the row offers first, empty when it offers none.

    `code` is what the row offers to copy.
    """

    block_id: str
    action_id: str
    code: str | None = None


@dataclass
class TopShown(Message):
    """The oldest block came into view: older ones may be put before it now."""
