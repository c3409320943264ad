"""Calls of tools and what they come to, in galleries: narrow, usual and wide, dark and light."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App, ComposeResult

from pi_term.agent.tools import ToolResult, text_result
from pi_term.ai.messages import ImageContent, TextContent
from pi_term.coding.tools.edit.apply import Edit, locate
from pi_term.coding.tools.edit.diff import EditDiff
from pi_term.coding.tools.edit.source import Source
from pi_term.render.blocks import ToolBlock
from pi_term.render.line import Block
from pi_term.testing.app import shipped_theme
from pi_term.tui.theme_binding import apply_theme
from pi_term.tui.widgets.transcript import Transcript

NOW = 1000.0

SOURCE = '''"""Prices of an order."""

from decimal import Decimal

RATES = {"books": Decimal("0.07"), "other": Decimal("0.19")}


class Order:
    """What somebody wants to have."""

    def __init__(self, items):
        self.items = items
        self.discount = 0

    def total(self):
        # without taxes
        sum = 0
        for item in self.items:
            sum = sum + item.price * item.count
        return sum

    def taxes(self, kind="other"):
        return self.total() * RATES[kind]

    def describe(self):
        return "%d items for %s" % (len(self.items), self.total())
'''
EDITS = [
    ("    def __init__(self, items):\n        self.items = items\n",
     "    def __init__(self, items: list[Item]):\n        self.items = list(items)\n"),
    ('        sum = 0\n        for item in self.items:\n            sum = sum + item.price * item.count\n'
     "        return sum\n", "        return sum(item.price * item.count for item in self.items)\n"),
    ('        return "%d items for %s" % (len(self.items), self.total())\n',
     '        return f"{len(self.items)} items for {self.total()}"\n\n    def __len__(self):\n'
     "        return len(self.items)\n"),
]  # fmt: skip


class Gallery(App[None]):
    """A transcript of given blocks."""

    CSS = "Screen { background: $background; } Transcript { height: 1fr; } "

    def __init__(self, blocks: list[Block], theme: str, expanded: bool) -> None:
        super().__init__()
        self.blocks = blocks
        self.colours = shipped_theme(theme)
        self.transcript = Transcript(self.colours, is_prompt=lambda block: False, clock=lambda: NOW)
        self.transcript.expanded = expanded
        apply_theme(self, self.colours)

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_mount(self) -> None:
        self.transcript.extend(self.blocks)


def tool(name: str, args: dict[str, Any], result: ToolResult | None = None, ms: int = 1234) -> ToolBlock:
    block = ToolBlock(name, args)
    if result is not None:
        block.finish(result, duration_ms=ms)
    return block


def failed(name: str, args: dict[str, Any], text: str, ms: int = 2345) -> ToolBlock:
    return tool(name, args, text_result(text, is_error=True), ms)


def edit() -> ToolBlock:
    source = Source(SOURCE.encode())
    splices = locate(source, [Edit(*each) for each in EDITS], "shop/order.py")
    details = EditDiff(source, splices, "shop/order.py").details()
    edits = [{"oldText": old, "newText": new} for old, new in EDITS]
    return tool("edit", {"path": "shop/order.py", "edits": edits}, text_result("Edited", details=details))


def summaries() -> list[Block]:
    cancelled = tool("read", {"path": "b.py"})
    cancelled.cancel()
    running = tool("bash", {"command": "make all", "timeout": 90})
    running.start(NOW - 12)
    running.update(text_result("cc -c main.c\ncc -c \x1b[33mwarning\x1b[0m.c\n"))
    short = {"path": "shop/order.py", "edits": [{"oldText": "a", "newText": "b"}]}
    return [
        tool("read", {"path": "shop/order.py"}, text_result(SOURCE), 12),
        tool("read", {"path": "server.log", "offset": 2001}, text_result(
            "x\n" * 1999 + "x\n\n[Showing lines 2001-4000 of 81234. Use offset=4001 to continue.]"), 40),
        tool("read", {"path": "logo.png"}, ToolResult([TextContent("Read image file [image/png]"),
             ImageContent("A" * 20_000, "image/png")]), 80),
        failed("read", {"path": "missing.py"}, "Cannot read missing.py: no such file or directory.", 1),
        failed("edit", short, "oldText was not found in shop/order.py. It must repeat its text exactly."),
        tool("bash", {"command": "true"}, text_result("(no output)"), 20),
        failed("bash", {"command": "pytest -q"}, "1 failed\n\nCommand exited with code 1"),
        failed("bash", {"command": "sleep 600", "timeout": 30}, "Command timed out after 30 seconds", 30_012),
        failed("bash", {"command": "make bench"}, "running\n\nCommand aborted", 65_000),
        failed("bash", {"command": "./crash"}, "Command killed by SIGSEGV, exited with code 139"),
        running,
        cancelled,
    ]  # fmt: skip


def code() -> list[Block]:
    return [
        tool("read", {"path": "shop/order.py", "offset": 8, "limit": 6},
             text_result("\n".join(SOURCE.split("\n")[7:13])
                         + "\n\n[13 more lines in file. Use offset=14 to continue.]")),
        tool("write", {"path": "shop/order.py", "content": SOURCE}, text_result("Wrote 700 bytes")),
    ]  # fmt: skip


def output() -> list[Block]:
    lines = "".join(f"tests/test_{n}.py \x1b[32mPASSED\x1b[0m  [{n:3}%]\n" for n in range(90, 100))
    cut = {"totalLines": 81_234, "outputLines": 2000}
    long = text_result(
        lines + "\n[Showing lines 79235-81234 of 81234. Full output: /tmp/pi-term/pi-term-bash-x1.log]",
        details={"truncation": cut, "fullOutputPath": "/tmp/pi-term/pi-term-bash-x1.log"},
    )
    trouble = "\x1b[1m\x1b[31mE   assert 3 == 4\x1b[0m\n\x1b[31mFAILED\x1b[0m tests/test_a.py::test_b\n"
    return [
        tool("bash", {"command": "pytest -v"}, long, 75_000),
        tool("bash", {"command": "set -e\nfor f in *.py; do\n  python -m py_compile \"$f\"  # quick\ndone"},
             text_result("(no output)")),
        failed("bash", {"command": "pytest -q tests/test_a.py"}, f"{trouble}\nCommand exited with code 1"),
    ]  # fmt: skip


def streams() -> list[Block]:
    half = SOURCE[: SOURCE.index("return sum") + 6]
    edits = [{"oldText": old, "newText": new} for old, new in EDITS[:2]]
    edits[1]["newText"] = edits[1]["newText"][:40]
    return [
        ToolBlock("write", {"path": "shop/order.py", "content": half}, writing=True),
        ToolBlock("edit", {"path": "shop/order.py", "edits": edits}, writing=True),
        ToolBlock("bash", {"command": "cat > a.txt <<EOF\nfirst line\nsecond li"}, writing=True),
        ToolBlock("write", {"path": "shop/ord"}, writing=True),
    ]


def unknown() -> list[Block]:
    args = {
        "query": "open issues",
        "filter": {"labels": ["bug", "urgent"], "state": "open", "since": None},
        "limit": 25,
        "draft": False,
        "id": "42",
        "body": "First line\nSecond line with \x1b[2Jan escape\n\tindented",
    }
    result = ToolResult([TextContent("3 issues found\n#12 crash at start\n#15 wrong total\n#18 slow"),
                         ImageContent("AAAA", "image/png")])  # fmt: skip
    return [
        tool("tracker_search", args, result),
        failed("deploy", {"to": "staging"}, "Tool deploy not found."),
    ]


SCENES: dict[str, Any] = {
    "summaries": summaries,
    "difference": lambda: [edit()],
    "code": code,
    "output": output,
    "streams": streams,
    "unknown": unknown,
}
PICTURES = [
    ("summaries", False, 100, 42, "dark"),
    ("summaries", False, 60, 42, "light"),
    ("difference", False, 60, 26, "dark"),
    ("difference", True, 100, 42, "dark"),
    ("difference", True, 100, 42, "light"),
    ("difference", True, 200, 36, "dark"),
    ("difference", True, 200, 36, "light"),
    ("code", False, 100, 20, "dark"),
    ("code", True, 100, 42, "light"),
    ("output", False, 100, 24, "dark"),
    ("output", True, 100, 34, "dark"),
    ("streams", False, 100, 38, "dark"),
    ("unknown", True, 100, 30, "dark"),
]


@pytest.mark.parametrize(("scene", "expanded", "width", "height", "theme"), PICTURES)
async def test_calls(picture: Any, scene: str, expanded: bool, width: int, height: int, theme: str) -> None:
    app = Gallery(SCENES[scene](), theme, expanded)
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause(0.5)
        assert app.export_screenshot(title="pi-term") == picture
