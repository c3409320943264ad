"""Every state of the queue strip, in a gallery at 100x30."""

from __future__ import annotations

from typing import Any

from rich.style import Style
from textual import events
from textual.app import App, ComposeResult

from pi_term.testing.app import shipped_theme
from pi_term.tui.keymap.resolver import KeyResolver
from pi_term.tui.keymap.table import load_table
from pi_term.tui.theme_binding import apply_theme
from pi_term.tui.widgets.queue_strip import QueueStrip, Waiting

LONG = "wait for the tests, then look at every file that they touch, and tell what " * 3


class NoDesk:
    """Nothing waits for a run here."""

    def begin(self) -> None: ...
    def end(self) -> None: ...
    def edit(self, waiting: Waiting) -> None: ...
    def delete(self, waiting: Waiting) -> None: ...
    def move(self, waiting: Waiting, by: int) -> None: ...
    def switch(self, waiting: Waiting) -> None: ...
    def leave(self, event: events.Key | None = None) -> None: ...
    def dispatch(self, action_id: str) -> bool:
        return False


def waiting(steering: list[str], follow_ups: list[str]) -> list[Waiting]:
    texts = [*((text, True) for text in steering), *((text, False) for text in follow_ups)]
    return [Waiting(number, text, steers) for number, (text, steers) in enumerate(texts)]


STATES = [
    waiting(["don't touch the public API"], []),
    waiting([], ["add a changelog"]),
    waiting(["one", LONG], ["a follow-up\nof [/bold] two lines", "漢字 and 👨‍👩‍👧"]),
    waiting([f"steer {number}" for number in range(6)], [f"follow {number}" for number in range(5)]),
]


class Gallery(App[None]):
    CSS = "Screen { background: $background; } Rows { margin-bottom: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.colours = shipped_theme("dark")
        apply_theme(self, self.colours)
        keys = load_table()[0]
        self.strips = [QueueStrip(NoDesk(), KeyResolver(keys), self.colours) for _ in STATES]
        self.edited = QueueStrip(NoDesk(), KeyResolver(keys), self.colours)

    def compose(self) -> ComposeResult:
        yield from self.strips
        yield self.edited

    def on_mount(self) -> None:
        for strip, state in zip(self.strips, STATES, strict=True):
            strip.update(state, self.colours)
        self.edited.update(waiting([], []), self.colours)


async def test_queues(picture: Any) -> None:
    app = Gallery()
    async with app.run_test(size=(100, 30)) as pilot:
        app.edited.update(STATES[2], app.colours)
        app.edited.edit()
        await pilot.pause()
        await pilot.press("down", "down")
        await pilot.pause()
        assert app.export_screenshot(title="pi-term") == picture


async def test_a_long_queue_is_edited_around_the_selected_message() -> None:
    """No row is wider than the terminal, whatever waits."""
    for width in (100, 40):
        app = Gallery()
        async with app.run_test(size=(width, 30)) as pilot:
            app.edited.update(waiting([LONG] * 6, ["漢字" * 40] * 6), app.colours)
            app.edited.edit()
            await pilot.pause()
            await pilot.press(*["down"] * 9)
            rows = app.edited._lines
            assert len(rows) == 9
            assert all(row.cell_length <= width for row in rows)
            assert "10/12" in rows[0].text
            assert any(row.text.startswith(" → follow-up: 漢字") for row in rows)


def test_styles_reach_the_gaps_of_the_selected_row() -> None:
    from pi_term.render.line import Line
    from pi_term.tui.text import line_of
    from pi_term.tui.widgets.queue_strip import _filled

    line: Line = _filled(line_of(("a", None), ("b", Style(bold=True))), Style(bgcolor="red"))
    assert [segment.style for segment in line.segments] == [Style(bgcolor="red"), Style(bold=True)]
