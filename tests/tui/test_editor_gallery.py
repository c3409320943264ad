"""Every state of the prompt editor, in galleries at 100x30."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.pilot import Pilot

from pi_term.ai.messages import ImageContent
from pi_term.testing.app import shipped_theme
from pi_term.tui import app as program
from pi_term.tui.completions.slash import Called, SlashCompletions
from pi_term.tui.keymap.resolver import KeyResolver
from pi_term.tui.keymap.table import load_table
from pi_term.tui.theme_binding import apply_theme
from pi_term.tui.widgets.editor import Completion, Draft, Editor, PromptHistory
from pi_term.tui.widgets.editor.completion import CompletionSource
from pi_term.tui.widgets.editor.paste import Attachment, Block


class Files(CompletionSource):
    """More names than fit, some of them awkward."""

    def complete(self, text: str, cursor: int, *, forced: bool = False) -> Sequence[Completion] | None:
        if "@" not in text:
            return None
        names = ["src/tui/app.py", "文档/说明.md", "a[bold].py", "long/" * 30 + "name.py", *"abcdef"]
        return [Completion(name, name, start=0) for name in names]


class Gallery(App[None]):
    """Editors below each other."""

    CSS_PATH = Path(program.__file__).parent / "pi_term.tcss"
    CSS = "Screen { background: $background; } Vertical { height: 1fr; } Editor { margin-bottom: 1; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, count: int, **options: Any) -> None:
        super().__init__()
        colours = shipped_theme("dark")
        apply_theme(self, colours)
        keys = load_table()[0]
        self.editors = [
            Editor(KeyResolver(keys), placeholder="Ask, or tell what to do", **options) for _ in range(count)
        ]
        for editor in self.editors:
            editor.set_rule_colour(colours.hex("thinkingMedium"), colours.hex("bashMode"))

    def compose(self) -> ComposeResult:
        yield Vertical()
        yield from self.editors


async def write(pilot: Pilot[None], editor: Editor, text: str) -> None:
    editor.focus()
    await pilot.pause()
    editor.post_message(events.Paste(text))
    await pilot.pause()


async def show(pilot: Pilot[None], picture: Any) -> None:
    await pilot.pause(0.2)
    assert pilot.app.export_screenshot(title="pi-term") == picture


async def test_what_it_may_hold(picture: Any) -> None:
    app = Gallery(5)
    async with app.run_test(size=(100, 30)) as pilot:
        image = Attachment(ImageContent("AA==", "image/png"), "/a.png")
        label = Block(1, "[image #1]", "[image #1]", image)
        paste, pending = Block(1, "line\n" * 300), Block(0, "", "[pasting…]", pending=True)
        await write(pilot, app.editors[1], "\n".join(f"line {n}" for n in range(3)) + "\ttab 中文 👩‍👩‍👧 é")
        app.editors[2].restore_draft(Draft(("see ", paste, " and ", label, " and ", pending), 4))
        await write(pilot, app.editors[3], "!make test")
        app.editors[4].set_padding(3)
        for number in range(10):
            app.editors[4].insert(f"row {number}\n")
        app.editors[4].insert("the last one")
        app.editors[4].focus()
        await show(pilot, picture)


async def test_completions(picture: Any) -> None:
    async with Gallery(1, completions=Files()).run_test(size=(100, 30)) as pilot:
        await pilot.press("@", "down")
        await show(pilot, picture)


async def test_commands_and_hints(picture: Any) -> None:
    source = SlashCompletions()
    source._called = [
        Called("model", "Choose a model", "[name]"),
        Called("review", "Review\x1b[2J [bold]staged[/] changes", "<focus> [file]"),
        Called("skill:pdf", "Work with PDF files"),
    ]
    app = Gallery(2, completions=source)
    async with app.run_test(size=(100, 30)) as pilot:
        await write(pilot, app.editors[0], "/review ")
        assert app.editors[0].ghost == "<focus> [file]"
        await show(pilot, picture)
        await pilot.press("x")
        assert app.editors[0].ghost == ""
        app.editors[1].focus()
        await pilot.press("/")
        await show(pilot, picture)


async def test_searching_earlier_prompts(picture: Any) -> None:
    history = PromptHistory()
    for number in range(12):
        history.add(Draft.of(f"prompt {number}\nwith [bold]markup[/] and \x1b[31mcolour" * (number % 3 + 1)))
    async with Gallery(1, history=history).run_test(size=(100, 30)) as pilot:
        await pilot.press("ctrl+r", "m", "a", "r", "k")
        await show(pilot, picture)
