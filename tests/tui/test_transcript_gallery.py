"""Every look of what is said, and of looking for something in it, at 100x30."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from textual.app import App, ComposeResult

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import AssistantMessage, ImageContent, TextContent, ThinkingContent
from pi_term.render.blocks import AssistantBlock, CustomBlock, ToolBlock, UserBlock
from pi_term.render.line import Block
from pi_term.testing.app import run_app, shipped_theme
from pi_term.testing.scripted import Say, ScriptedModel, Think
from pi_term.tui.background import run_in_background
from pi_term.tui.pictures.album import Album
from pi_term.tui.theme_binding import apply_theme
from pi_term.tui.widgets.transcript import Transcript

BLOCKS = """\
# First heading
## Second, with `code` and **bold**

Text with *marks*, ~~none~~, a [link](https://example.org/a), https://example.org and [/bold].

1. One
   - [x] done
   - [ ] open, with a line that is long enough to go on in the next row of the screen, and in the one after
     1. deeper

       > quoted in a list
2. Two

> A quote
> > in a quote, with `code`

| Left | Right | Wide 日本語 |
|:-----|------:|:----------:|
| a | 1 | 漢字 |
| a cell with many words in it | 22 | 👨‍👩‍👧 e\u0301 |

---
"""
WIDE = """\
Wide: 日本語のテキストは空白がないので、どこででも折り返すことができます。それでも行頭に句読点は来ません。

Joined: 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 👍🏽 · marks: e\u0301 n\u0303 ก็ · [2Jinert

A_word_without_any_blank_in_it_that_is_longer_than_the_screen_is_wide_so_that_it_must_be_cut_somewhere_in_it_sometime

```make
all:\tone two
\t@echo "tabs	line up"
```
- item
  ```python
  def f(x: int) -> str:
      return f"{x!r}"  # still being
"""


class Gallery(App[None]):
    """A transcript of given blocks."""

    CSS = "Screen { background: $background; } Transcript { height: 1fr; } "

    def __init__(self, blocks: list[Block]) -> None:
        super().__init__()
        self.blocks = blocks
        self.colours = shipped_theme("dark")
        self.transcript = Transcript(self.colours, is_prompt=lambda block: False, clock=lambda: 0.0)
        apply_theme(self, self.colours)

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_mount(self) -> None:
        album = Album(
            "cells",
            columns=30,
            cell=(8, 16),
            ground=self.colours.page_hex,
            send=lambda text: None,
            at_leave=lambda text: None,
            spawn=lambda work: run_in_background(self, work, "images"),
            ready=self.transcript.touch,
        )
        self.transcript.set_pictures(album)
        self.transcript.extend(self.blocks)


async def show(blocks: list[Block], picture: Any, *, waits_for: str = "", hide: str = "") -> None:
    app = Gallery(blocks)
    async with app.run_test(size=(100, 30)) as pilot:
        if hide:
            app.transcript.toggle_thoughts(hide)
        rows = app.screen._compositor.render_strips
        while waits_for and not any(waits_for in row.text for row in rows()):
            await asyncio.sleep(0.01)
        await pilot.pause(0.2)
        assert app.export_screenshot(title="pi-term") == picture


def answer(text: str) -> AssistantBlock:
    return AssistantBlock(AssistantMessage([TextContent(text)], stop_reason="stop"))


async def test_markdown(picture: Any) -> None:
    await show([answer(BLOCKS)], picture)


async def test_wide_characters_tabs_and_code_that_grows(picture: Any) -> None:
    growing = AssistantBlock()
    growing.append_text(WIDE.rstrip("\n"))
    await show([growing], picture)


def image(size: tuple[int, int]) -> ImageContent:
    drawn = Image.new("RGB", size, "#203a60")
    drawn.paste("#e0a030", (size[0] // 4, size[1] // 4, size[0] * 3 // 4, size[1] * 3 // 4))
    out = BytesIO()
    drawn.save(out, "PNG")
    return ImageContent(b64encode(out.getvalue()).decode(), "image/png")


async def test_thoughts_and_images(picture: Any) -> None:
    thought = AssistantMessage(
        [ThinkingContent("Is it a *square*?\n\n- perhaps\n- or not"), TextContent("A square.")],
        stop_reason="stop",
    )
    read = ToolBlock("read", {"path": "square.png"})
    read.finish(ToolResult([TextContent("Read image file [image/png]"), image((96, 64))]), duration_ms=20)
    blocks: list[Block] = [
        UserBlock([TextContent("what is this?"), image((160, 80)), ImageContent("####", "image/png")]),
        AssistantBlock(thought),
        AssistantBlock(thought, id="hidden"),
        read,
        CustomBlock("extension", "A message of **its own**."),
    ]
    await show(blocks, picture, waits_for="▀" * 5, hide="hidden")


async def test_searching_and_selecting(still: Path, picture: Any) -> None:
    text = "A needle in **ne**edles.\n\n```python\nneedle = 'needle'\n```\n\n" + "hay " * 60 + "needle"
    with ScriptedModel([[Think("No needle?"), Say(text)]], reasoning=True) as script:
        async with run_app(script, still, thinking="high") as driver:
            await driver.send("where is the needle?")
            await driver.settle()
            await driver.type("a draft")
            await driver.press("alt+s")
            await driver.type("needle")
            await driver.wait_for("7/7 ·")
            await driver.press("up", "up")
            await driver.wait_for("5/7 ·")
            await driver.pilot.pause(0.2)
            assert driver.picture() == picture
            await driver.press("tab", "alt+m", "home", "shift+up", "shift+up", "shift+right")
            await driver.wait_for("Select ·")
            await driver.pilot.pause(0.2)
            assert driver.picture() == picture
