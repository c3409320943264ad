"""Work grows with the length of what streams in, not with its square: counted in calls, not in time."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pi_term.agent.tools import text_result
from pi_term.ai.partial_json import PartialArguments
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
    "tasks": lambda n: "- [x] a task with **bold** words in it\n  - [ ] and one in it\n" * (n // 2),
    "a fence in a quote": lambda n: "> ```python\n" + "> x = 1  # y\n" * n * 2,
    "a table in a list": lambda n: "- a\n\n  | a | b |\n  |---|---|\n" + "  | one | `two` |\n" * n,
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


ARGUMENTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "write": lambda text: {"path": "a.py", "content": text},
    "edit": lambda text: {"path": "a.py", "edits": [{"oldText": "a", "newText": text}]},
    "bash": lambda text: {"command": text},
    "other": lambda text: {"a": 1, "text": text},
}


def stream_arguments(name: str, size: int, options: ViewOptions, piece: int = 4) -> None:
    """Every few characters are drawn, as a model sends them."""
    text = json.dumps(ARGUMENTS[name](CODE * (size // len(CODE))))
    arguments, block = PartialArguments(), ToolBlock(name, writing=True)
    for at in range(0, len(text), piece):
        block.set_arguments(arguments.feed(text[at : at + piece]))
        block.lines(80, options)[-40:]


@pytest.mark.parametrize("expanded", [False, True], ids=["collapsed", "expanded"])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_streaming_arguments(name: str, expanded: bool, view: ViewOptions) -> None:
    """B-086. The end alone is drawn, so that each piece costs the same; nothing is parsed again."""
    options = replace(view, expanded=expanded)
    # What was written before fills what can be shown: from there on, a piece costs no more.
    start, more = (6_000, 1_500) if expanded else (1_500, 1_500)
    stream_arguments(name, 300, options)
    stream_arguments(name, start, options, piece=100)

    def cost(size: int) -> int:
        return calls_of(lambda: stream_arguments(name, size, options, piece=40))

    first, second, third = (cost(start + step * more) for step in range(3))
    assert third - second <= 1.25 * (second - first) + 2000


def test_a_line_without_end_that_streams_in(view: ViewOptions) -> None:
    def work(size: int) -> None:
        block = ToolBlock("write", writing=True)
        for end in range(0, size, 100):
            block.set_arguments({"path": "a.json", "content": '{"a":1}' * (end // 7)})
            block.lines(80, view)[-40:]

    work(5_000)
    once = calls_of(lambda: work(8_000))
    assert calls_of(lambda: work(16_000)) <= 2.2 * once


@pytest.mark.parametrize("expanded", [False, True], ids=["collapsed", "expanded"])
@pytest.mark.parametrize("name", ["bash", "read", "write", "edit"])
def test_long_results_cost_what_is_looked_at(name: str, expanded: bool, view: ViewOptions) -> None:
    options = replace(view, expanded=expanded)

    def cost(lines: int) -> int:
        text = "".join(f"value_{n} = {n}\n" for n in range(lines))
        diff = "\n".join(f"+{n} value_{n} = {n}" for n in range(1, lines + 1))
        block = ToolBlock(name, {"path": "a.py", "content": text, "command": "x"})
        block.finish(text_result(text, details={"diff": diff} if name == "edit" else None))
        return calls_of(lambda: block.lines(80, options)[-40:])

    cost(1800)
    # Expanded, the rows of each line are counted (a few simple calls for each), not made.
    assert cost(1800) - cost(200) <= (1600 * 18 if expanded else 200)


def test_output_of_a_running_command(view: ViewOptions) -> None:
    def work(lines: int) -> None:
        block = ToolBlock("bash", {"command": "x"})
        block.start(0)
        block.update(text_result("a line of output\n" * lines))
        block.lines(80, view)

    work(50_000)
    assert calls_of(lambda: work(50_000)) <= calls_of(lambda: work(100)) + 10
