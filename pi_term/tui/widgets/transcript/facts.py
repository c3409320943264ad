"""What a transcript tells the screen that holds it."""

from __future__ import annotations

from textual.message import Message


class FollowChanged(Message):
    """The view began or ceased to follow the end, or more arrived below it.

    `new_below` counts the blocks that arrived since the view left the end and were not shown yet.
    """

    def __init__(self, following: bool, new_below: int) -> None:
        super().__init__()
        self.following = following
        self.new_below = new_below


class BlockClicked(Message):
    """A row was clicked. `action_id` is the action the row offers first, empty when it offers none.

    `code` is what the row offers to copy.
    """

    def __init__(self, block_id: str, action_id: str, code: str | None = None) -> None:
        super().__init__()
        self.block_id = block_id
        self.action_id = action_id
        self.code = code


class TopShown(Message):
    """The oldest block came into view: older ones may be put before it now."""
