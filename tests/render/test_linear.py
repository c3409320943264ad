"""Work grows with the length of what streams in, not with its square: counted in calls, not in time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from pi_term.agent.tools import text_result
from pi_term.render.blocks import AssistantBlock, ToolBlock
from pi_term.render.line import ViewOptions
from pi_term.render.markdown.inline import parse_inline

CODE = "def f(x):\n    return {'a': x}  # comment\n"
TEXTS: dict[str, Callable[[int], str]] = {
    "prose": lambda n: "Some **bold** words and `code` in a paragraph.\n\n" * n,
    "one fence": lambda n: "```python\n" + CODE * n,
    "a fence in a list": lambda n: "1. do\n   ```python\n" + "   x = 1  # y\n" * n * 2,
    "list": lambda n: "- an item with **bold** words in it\n" * n,
    "nested list": lambda n: "- top\n" + "  - an item with `code`\n" * n,
    "quote": lambda n: "> a line of a quote\n>\n" * n,
    "table": lambda n: "| a | b |\n|---|---|\n" + "| one | two and `three` |\n" * n,
    "one paragraph": lambda n: "words and **bold** words without an end " * n,
    "one line of code": lambda n: "```\n" + "abcdefgh" * 6 * n,
    "blank lines": lambda n: "\n" * 40 * n,
}


def calls_of(work: Callable[[], object]) -> int:
    count = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def stream(text: str, view: ViewOptions) -> None:
    block = AssistantBlock()
    for start in range(0, len(text), 100):
        block.append_text(text[start : start + 100])
        block.lines(80, view)[-40:]
    block.finish()
    block.lines(80, view)[-40:]


@pytest.mark.parametrize("kind", TEXTS)
def test_streaming_an_answer(kind: str, view: ViewOptions) -> None:
    parse_inline("*imports*", {})
    stream(TEXTS[kind](30), view)
    once = calls_of(lambda: stream(TEXTS[kind](200), view))
    twice = calls_of(lambda: stream(TEXTS[kind](400), view))
    assert twice <= 2.2 * once


@pytest.mark.parametrize("name", ["write", "edit", "bash", "other"])
def test_streaming_arguments(name: str, view: ViewOptions) -> None:
    def work(count: int) -> None:
        block = ToolBlock(name, writing=True)
        for size in range(count):
            text = CODE * size
            block.set_arguments(
                {"path": "a.py", "content": text, "edits": [{"oldText": "a", "newText": text}]}
            )
            block.lines(80, view)

    work(20)
    once = calls_of(lambda: work(100))
    assert calls_of(lambda: work(200)) <= 2.2 * once


def test_output_of_a_running_command(view: ViewOptions) -> None:
    def work(lines: int) -> None:
        block = ToolBlock("bash", {"command": "x"})
        block.start(0)
        block.update(text_result("a line of output\n" * lines))
        block.lines(80, view)

    work(10)
    assert calls_of(lambda: work(50_000)) <= calls_of(lambda: work(100)) + 10
