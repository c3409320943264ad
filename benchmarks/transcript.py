"""The frame path alone, without a terminal: a streamed answer, one that comes at once, a long history.

    python benchmarks/transcript.py

Prints seconds of CPU. Run it before and after a change of `render` or of the transcript.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from textual.app import App, ComposeResult

from pi_term.ai.events import TextDelta
from pi_term.ai.messages import AssistantMessage, TextContent
from pi_term.render.blocks import AssistantBlock, UserBlock
from pi_term.render.line import ViewOptions
from pi_term.testing.app import shipped_theme
from pi_term.tui.answer_view import AnswerView
from pi_term.tui.theme_binding import apply_theme
from pi_term.tui.widgets.transcript import Transcript

PARAGRAPH = "Some **bold** words, `code` and a [link](https://example.org), over and over again. " * 4
CODE = "```python\n" + "def f(x: int) -> int:\n    return x + 1  # next\n" * 12 + "```\n"
TEXT = "\n\n".join((PARAGRAPH + "\n\n" + CODE) for _ in range(100))[:100_000]


def timed(what: str, work: Callable[[], object]) -> None:
    """Print the CPU time of `work`."""
    began = time.process_time()
    work()
    print(f"{what:58} {time.process_time() - began:7.3f} s")


def stream(size: int) -> None:
    """An answer in pieces of 20 characters, drawn every 16 pieces, as 500 a second at 30 frames are."""
    block, view = AssistantBlock(), ViewOptions(shipped_theme("dark"))
    for number, start in enumerate(range(0, size, 20)):
        block.append_text(TEXT[start : start + 20])
        if number % 16 == 0:
            block.lines(110, view)
    block.finish()
    block.lines(110, view)


class History(App[None]):
    """A transcript with a long history."""

    def __init__(self) -> None:
        super().__init__()
        theme = shipped_theme("dark")
        apply_theme(self, theme)
        self.transcript = Transcript(theme, is_prompt=lambda block: isinstance(block, UserBlock))

    def compose(self) -> ComposeResult:
        yield self.transcript


async def burst() -> None:
    """100 KB at once, through the view that makes sections of it, until the last row is painted."""
    app = History()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        answers, message = AnswerView(app.transcript), AssistantMessage([TextContent(TEXT)])
        began = time.process_time()
        answers.begin()
        for at in range(0, len(TEXT), 4_000):
            answers.update(message, TextDelta(0, message, TEXT[at : at + 4_000]))
        message.stop_reason = "stop"
        answers.end(message)
        await pilot.pause(0.05)
        print(f"{'show 100 KB that come at once':58} {time.process_time() - began:7.3f} s")


async def history(count: int) -> None:
    """Open `count` messages, then scroll through the last of them."""
    app = History()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        message = AssistantMessage([TextContent(PARAGRAPH)], stop_reason="stop")
        blocks = [UserBlock("question") if n % 2 else AssistantBlock(message) for n in range(count)]
        timed(f"add {count:,} messages", lambda: app.transcript.extend(blocks))
        began = time.process_time()
        await pilot.pause(0.2)
        print(f"{'show the last of them':58} {time.process_time() - began:7.3f} s")
        timed("scroll back 300 rows", lambda: [app.transcript.scroll_lines(-3) for _ in range(100)])


def main() -> None:
    stream(10_000)  # loads what the first drawing loads
    timed("stream 50 KB of markdown", lambda: stream(50_000))
    timed("stream 100 KB of markdown", lambda: stream(100_000))
    asyncio.run(burst())
    for count in (1_000, 10_000):
        asyncio.run(history(count))


if __name__ == "__main__":
    main()
