"""How a transcript is looked at: what decides the rows of its blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pi_term.render.line import ViewOptions

if TYPE_CHECKING:
    from pi_term.render.line import Block, Pictures
    from pi_term.render.theme import Theme
    from pi_term.tui.widgets.transcript.items import LookKey


class Look:
    """Width, theme and what is opened. `width` is in columns, 0 while it is not known."""

    def __init__(self, theme: Theme, clock: Callable[[], float], expand_key: str) -> None:
        self.theme = theme
        self.width = 0
        self.expanded = False
        self.hide_thinking = False
        self.expand_key = expand_key
        self.pictures: Pictures | None = None
        self._clock = clock
        self._alone: dict[str, bool] = {}
        self._thoughts: dict[str, bool] = {}

    def is_open(self, block: Block) -> bool:
        """Whether a block is shown expanded."""
        return self._alone.get(block.id, self.expanded)

    def toggle(self, block: Block) -> None:
        """Open or close one block, whatever holds for the others."""
        self._alone[block.id] = not self.is_open(block)

    def shows_thoughts(self, block: Block) -> bool:
        """Whether a block is shown with what was thought."""
        return self._thoughts.get(block.id, not self.hide_thinking)

    def toggle_thoughts(self, block: Block) -> None:
        """Show or hide what was thought in one block, whatever holds for the others."""
        self._thoughts[block.id] = not self.shows_thoughts(block)

    def set_hide_thinking(self, hidden: bool) -> None:
        """Show or hide all thinking, also of blocks that were toggled alone."""
        self.hide_thinking = hidden
        self._thoughts.clear()

    def set_expanded(self, expanded: bool) -> None:
        """Open or close all blocks, also those that were toggled alone."""
        self.expanded = expanded
        self._alone.clear()

    def forget(self, block_id: str | None = None) -> None:
        """Forget that a block, or that any block, was toggled alone."""
        if block_id is None:
            self._alone.clear()
            self._thoughts.clear()
        else:
            self._alone.pop(block_id, None)
            self._thoughts.pop(block_id, None)

    def key(self, block: Block) -> LookKey:
        """What the rows of a block depend on now."""
        return (block.version, self.width, self.is_open(block), not self.shows_thoughts(block))

    def options(self, block: Block) -> ViewOptions:
        """The view options a block is asked with."""
        return ViewOptions(
            theme=self.theme,
            expanded=self.is_open(block),
            hide_thinking=not self.shows_thoughts(block),
            now=self._clock(),
            expand_key=self.expand_key,
            pictures=self.pictures,
        )
