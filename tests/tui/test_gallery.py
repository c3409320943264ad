"""Every state of the parts, in galleries at 100x30."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult

from pi_term.agent.tools import ToolResult, text_result
from pi_term.ai.messages import AssistantMessage, TextContent, ThinkingContent
from pi_term.coding.stats import SessionStats
from pi_term.render.blocks import AssistantBlock, NoticeBlock, ShellBlock, SummaryBlock, ToolBlock, UserBlock
from pi_term.render.line import Block
from pi_term.testing.app import shipped_theme
from pi_term.tui.theme_binding import apply_theme
from pi_term.tui.widgets.footer import FooterState, footer_line
from pi_term.tui.widgets.rows import Rows
from pi_term.tui.widgets.status import Doing, doing_line
from pi_term.tui.widgets.transcript import Transcript

NOW = 1000.0


class Gallery(App[None]):
    """A transcript of given blocks, and rows below it."""

    CSS = "Screen { background: $background; } Transcript { height: 1fr; } "

    def __init__(self, blocks: list[Block], *, expanded: bool = False) -> None:
        super().__init__()
        self.blocks = blocks
        self.colours = shipped_theme("dark")
        self.transcript = Transcript(self.colours, is_prompt=lambda block: False, clock=lambda: NOW)
        self.transcript.expanded = expanded
        apply_theme(self, self.colours)

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_mount(self) -> None:
        self.transcript.extend(self.blocks)


async def show(app: App[None], picture: Any) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause(0.3)
        assert app.export_screenshot(title="pi-term") == picture


def tool(name: str, args: dict[str, Any], result: ToolResult | None = None, ms: int = 1234) -> ToolBlock:
    block = ToolBlock(name, args)
    if result is not None:
        block.start(NOW - 5)
        block.finish(result, duration_ms=ms)
    return block


async def test_tool_states(picture: Any) -> None:
    running = tool("bash", {"command": "pytest -q"})
    running.start(NOW - 12)
    running.update(text_result("collected 20 items\n....."))
    cancelled = tool("read", {"path": "b.py"})
    cancelled.cancel()
    blocks: list[Block] = [
        ToolBlock("write", {"path": "new.py", "content": "import os\nimport sys\n"}, writing=True),
        tool("edit", {"path": "a.py", "edits": []}),
        running,
        tool("bash", {"command": "make"}, text_result("all done\n")),
        tool(
            "bash",
            {"command": "false"},
            text_result("(no output)\n\nCommand exited with code 1", is_error=True),
        ),
        cancelled,
        tool("deploy", {"target": "staging", "force": True}, text_result("deployed to staging"), ms=75_000),
    ]
    await show(Gallery(blocks), picture)


@pytest.mark.parametrize("expanded", [False, True], ids=["closed", "open"])
async def test_tool_output(picture: Any, expanded: bool) -> None:
    output = "".join(f"{number:2} \x1b[32mok\x1b[0m test_{number}\n" for number in range(12))
    diff = " 1 def f(x):\n-2     return x\n+2     return x + 1\n 3 "
    edit = text_result("Edited", details={"diff": diff})
    blocks: list[Block] = [
        tool("bash", {"command": "pytest"}, text_result(output)),
        tool("edit", {"path": "f.py", "edits": [{"oldText": "return x", "newText": "return x + 1"}]}, edit),
        tool("read", {"path": "f.py", "offset": 10, "limit": 2}, text_result("a = 1\nb = 2\n")),
    ]
    await show(Gallery(blocks, expanded=expanded), picture)


async def test_messages(picture: Any) -> None:
    thinking = [ThinkingContent("Is it *tea*? Or coffee?"), TextContent("Coffee.")]
    blocks: list[Block] = [
        UserBlock("a question\nof two lines, the second of which is so long that it is " + "wrapped " * 9),
        AssistantBlock(AssistantMessage(thinking, stop_reason="stop")),
        AssistantBlock(AssistantMessage([TextContent("Cut o")], stop_reason="length")),
        AssistantBlock(AssistantMessage(stop_reason="error", error_message="503 overloaded [/bold]")),
        NoticeBlock("something to know", "info"),
        NoticeBlock("settings.json:3: theme: must be a string", "warning"),
        NoticeBlock("Cannot write the session file.", "error"),
        SummaryBlock("## Goal\n\nMake coffee.", tokens_before=120_000),
    ]
    await show(Gallery(blocks), picture)


async def test_shell_records(picture: Any) -> None:
    done, hidden, running = ShellBlock("git status"), ShellBlock("env", excluded=True), ShellBlock("make all")
    silent, cancelled, long = ShellBlock("true"), ShellBlock("sleep 60"), ShellBlock("cat big.log")
    done.show("On branch main\nnothing to commit\n")
    done.finish(0)
    hidden.show("SECRET=1\n")
    hidden.finish(1)
    running.start(NOW - 12)
    running.tick(NOW)
    running.show("cc main.c\n")
    silent.start(NOW - 3)
    silent.finish(0, now=NOW)
    cancelled.finish(None, cancelled=True)
    long.show("".join(f"row {number}\n" for number in range(100)))
    long.finish(0, full_output_path="/tmp/pi-term-bash-1.log")
    await show(Gallery([long, done, hidden, running, silent, cancelled]), picture)


async def test_tries_and_summaries(picture: Any) -> None:
    failed = AssistantBlock(
        AssistantMessage([TextContent("Half an")], stop_reason="error", error_message="429 rate limited")
    )
    failed.retried = True
    cut = AssistantBlock(AssistantMessage([TextContent("Far too")], stop_reason="length"))
    cut.retried = True
    blocks: list[Block] = [
        UserBlock("make coffee"),
        failed,
        AssistantBlock(AssistantMessage(stop_reason="error", error_message="429 rate limited, given up")),
        cut,
        SummaryBlock("## Goal\n\nMake coffee.", tokens_before=120_000, tokens_after=12_345),
        SummaryBlock("## Goal\n\nMake coffee.", tokens_before=120_000),
        SummaryBlock("## Goal\n\nMake tea.", branch=True),
        NoticeBlock("Nothing to compact: all of the conversation is recent.", "warning"),
    ]
    await show(Gallery(blocks), picture)


async def test_tries_and_summaries_open(picture: Any) -> None:
    summary = "## Goal\n\nMake coffee.\n\n## Progress\n\n- [x] Water\n- [ ] Beans"
    await show(
        Gallery(
            [SummaryBlock(summary, tokens_before=9_000, tokens_after=700), SummaryBlock("Tea.", branch=True)],
            expanded=True,
        ),
        picture,
    )


class StatusGallery(App[None]):
    """What the status line says of all that can go on, at several widths."""

    CSS = "Screen { background: $background; }"

    def __init__(self) -> None:
        super().__init__()
        self.colours = shipped_theme("dark")
        apply_theme(self, self.colours)

    def compose(self) -> ComposeResult:
        yield Rows(id="lines")

    def on_mount(self) -> None:
        muted = self.colours.style("muted")
        error = "429 rate limited: try again later\n" + "and again " * 9
        doings = [
            (Doing("working", NOW - 12, about="bash · ↑ 1.1k ↓ 230", hint="esc to interrupt"), ""),
            (Doing("working", NOW - 75, hint="esc to interrupt"), "Model: test/other"),
            (Doing("retrying", NOW, NOW + 6.2, " (1/3): 429 rate limited", "esc to cancel"), ""),
            (Doing("retrying", NOW, NOW - 0.1, f" (3/3): {error}", "esc to cancel"), "Thinking: high"),
            (Doing("compacting…", NOW - 3, about="the context is nearly full", hint="esc to cancel"), ""),
            (Doing("summarising the branch…", NOW - 3, hint="esc to cancel"), ""),
            (Doing("running your command", NOW - 3, hint="esc to stop it"), ""),
        ]
        rows = [
            doing_line(doing, "⠋", [(note, muted)] if note else [], NOW, self.colours, width)
            for width in (100, 60, 36)
            for doing, note in doings
        ]
        self.query_one("#lines", Rows).show(rows)


async def test_status_lines(picture: Any) -> None:
    await show(StatusGallery(), picture)


class FooterGallery(App[None]):
    """Footers at several widths."""

    CSS = "Screen { background: $background; }"

    def __init__(self) -> None:
        super().__init__()
        self.colours = shipped_theme("dark")
        apply_theme(self, self.colours)

    def compose(self) -> ComposeResult:
        yield Rows(id="footers")

    def on_mount(self) -> None:
        theme = self.colours
        stats = SessionStats(input=12_345, output=678, cache_read=1_200_000, cache_write=9_000, cost=1.234)
        cheap = SessionStats(input=900, output=20, cost=0.0123)
        states = [
            state(SessionStats(), None, None),
            state(cheap, 15_744, "off", branch="main"),
            state(stats, 150_000, "high", branch="a-long-branch-name", name="refactor the parser"),
            state(stats, 195_000, "max", branch="main"),
            state(stats, None, "low", branch="main", name="just compacted"),
        ]
        lines = [footer_line(each, theme, width) for width in (100, 60, 40) for each in states]
        self.query_one("#footers", Rows).show(lines)


def state(
    stats: SessionStats,
    tokens: int | None,
    thinking: str | None,
    branch: str | None = None,
    name: str | None = None,
) -> FooterState:
    return FooterState(Path("/srv/project"), branch, name, stats, tokens, 200_000, "Model", thinking)


async def test_footers(picture: Any) -> None:
    await show(FooterGallery(), picture)
