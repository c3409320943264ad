"""Fake blocks that count what is asked of them, and an app around one transcript."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Static

from pi_term.render.line import Block, Line, ViewOptions
from pi_term.render.theme import Theme
from pi_term.tui.widgets.transcript import BlockClicked, FollowChanged, Transcript
from pi_term.tui.widgets.transcript.paint import BAR


def wrap(text: str, width: int) -> list[Line]:
    """Rows of at most `width` cells, broken anywhere, as blocks make them."""
    rows: list[Line] = []
    for paragraph in text.split("\n"):
        row = ""
        for character in paragraph:
            if cell_len(row + character) > width and row:
                rows.append(Line((Segment(row),), row, soft_wrapped=True))
                row = ""
            row += character
        rows.append(Line((Segment(row),) if row else (), row))
    return rows


@dataclass
class FakeBlock:
    """A block of plain text that counts the calls of `lines`."""

    id: str
    text: str
    version: int = 0
    expandable: bool = False
    continues: bool = False
    prompt: bool = False
    more: str = ""
    action_ids: tuple[str, ...] = ()
    spaced: bool = False
    thinking: bool = False
    asked: int = 0
    widths: list[int] = field(default_factory=list)

    def lines(self, width: int, view: ViewOptions) -> Sequence[Line]:
        self.asked += 1
        self.widths.append(width)
        if self.thinking and view.hide_thinking:
            return []
        text = self.text + ("\n" + self.more if view.expanded and self.more else "")
        rows = wrap(text, width)
        if self.action_ids:
            rows[0] = Line(rows[0].segments, rows[0].source_text, rows[0].soft_wrapped, self.action_ids)
        return [Line((), ""), *rows] if self.spaced else rows

    def estimate_height(self, width: int) -> int:
        return self.text.count("\n") + 1

    def copy_text(self) -> str:
        return self.text

    def say(self, text: str) -> None:
        """Grow."""
        self.text += text
        self.version += 1


THEME = cast("Theme", SimpleNamespace(name="fake", version=1))


class TranscriptApp(App[None]):
    """A transcript between two fixed rows."""

    CSS = "Static { height: 1; } Screen { background: black; color: white; }"

    def __init__(self, blocks: Sequence[FakeBlock] = ()) -> None:
        super().__init__()
        self.transcript = Transcript(THEME, is_prompt=lambda block: cast("FakeBlock", block).prompt)
        self.facts: list[Any] = []
        self.blocks = blocks

    def compose(self) -> ComposeResult:
        yield Static("top")
        yield self.transcript
        yield Static("bottom")

    def on_mount(self) -> None:
        self.transcript.extend(cast("Sequence[Block]", self.blocks))

    def on_follow_changed(self, event: FollowChanged) -> None:
        self.facts.append((event.following, event.new_below))

    def on_block_clicked(self, event: BlockClicked) -> None:
        self.facts.append((event.block_id, event.action_id))

    async def settle(self, pilot: Pilot[None]) -> None:
        """Wait until everything that was changed is shown."""
        del pilot  # whose own pause waits much longer
        pumps = (self, self.screen, self.transcript)
        quiet = 0
        while quiet < 3:
            await asyncio.sleep(0.002)
            busy = self.transcript._flush_coming or any(pump.message_queue_size for pump in pumps)
            quiet = 0 if busy else quiet + 1

    def screen_rows(self) -> list[str]:
        """The transcript's rows as they are painted, with the thumb's column, trailing blanks cut."""
        size = self.transcript.size
        return [strip.text.rstrip() for strip in self.transcript.render_lines(Region(0, 0, *size))]

    def rows(self) -> list[str]:
        """The transcript's rows without the thumb."""
        size = self.transcript.size
        strips = self.transcript.render_lines(Region(0, 0, *size))
        return [strip.crop(0, size.width - BAR).text.rstrip() for strip in strips]


def numbered(count: int, rows: int = 3, start: int = 0) -> list[FakeBlock]:
    """Blocks whose rows tell where they are: `b7 r2`."""
    return [
        FakeBlock(f"b{n}", "\n".join(f"b{n} r{row}" for row in range(rows)))
        for n in range(start, start + count)
    ]


@pytest.fixture(scope="session")
def kit() -> SimpleNamespace:
    """The helpers of this folder, for tests that are no package."""
    return SimpleNamespace(
        Block=FakeBlock, App=TranscriptApp, numbered=numbered, wrap=wrap, Style=Style, theme=THEME
    )
