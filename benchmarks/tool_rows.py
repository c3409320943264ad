"""What rows of tool calls cost: a file streaming in, a long difference, much output.

Usage: `python benchmarks/tool_rows.py`. Times are of one process on this machine; a frame may take 5 ms.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from pi_term.agent.tools import text_result
from pi_term.ai.partial_json import PartialArguments
from pi_term.base.paths import shipped
from pi_term.render.blocks import ToolBlock
from pi_term.render.line import ViewOptions
from pi_term.render.theme import load_theme
from pi_term.render.warm import warm_steps

CODE = "    def method(self, value: int = 3) -> str:\n        return f'{value} of {self.items!r}'  # why\n\n"
WIDTH, SCREEN = 120, 50


def view(expanded: bool) -> ViewOptions:
    theme, _ = load_theme(shipped("themes") / "dark.json")
    assert theme is not None
    return ViewOptions(theme, expanded=expanded)


def look(block: ToolBlock, options: ViewOptions, at_end: bool = True) -> None:
    """What a screen does with a block: its height, and the rows that can be seen."""
    rows = block.lines(WIDTH, options)
    first = max(0, len(rows) - SCREEN) if at_end else 0
    for at in range(first, min(len(rows), first + SCREEN)):
        rows[at].cell_length  # noqa: B018


def streamed(size: int, deltas: int, expanded: bool) -> tuple[float, list[float]]:
    """Seconds in all, and for each delta, when every single one is drawn."""
    text = json.dumps({"path": "shop/order.py", "content": CODE * (size // len(CODE))})
    step = max(1, len(text) // deltas)
    arguments, options = PartialArguments(), view(expanded)
    block = ToolBlock("write", writing=True)
    frames: list[float] = []
    began = time.perf_counter()
    for at in range(0, len(text), step):
        start = time.perf_counter()
        block.set_arguments(arguments.feed(text[at : at + step]))
        look(block, options)
        frames.append(time.perf_counter() - start)
    return time.perf_counter() - began, frames


def diff_of(lines: int) -> str:
    """A difference of many lines in Pi's form: every seventh line changed."""
    out: list[str] = []
    for number in range(1, lines * 7 // 8 + 1):
        text = f"    value_{number} = compute(number={number}, mode='fast')  # step {number}"
        if number % 7 == 0:
            out += [f"-{number:4} {text}", f"+{number:4} {text.replace('fast', 'exact')}"]
        else:
            out.append(f" {number:4} {text}")
    return "\n".join(out)


def timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def finished(name: str, args: dict[str, Any], text: str, details: Any = None) -> ToolBlock:
    block = ToolBlock(name, args)
    block.finish(text_result(text, details=details), duration_ms=1000)
    return block


def report(name: str, *values: float) -> None:
    print(f"{name:58}" + "".join(f"{value:10.2f}" for value in values))


def once(make: Callable[[], ToolBlock]) -> Iterator[tuple[str, float]]:
    """First and second look, collapsed and expanded, then a step down."""
    block = make()
    yield "collapsed", timed(lambda: look(block, view(False)))
    yield "expanded, from the top", timed(lambda: look(block, view(True), at_end=False))
    rows = block.lines(WIDTH, view(True))
    yield "expanded, jump to the end", timed(lambda: rows[-SCREEN:])
    yield "expanded, other width", timed(lambda: block.lines(WIDTH - 1, view(True))[:SCREEN])
    yield "side by side", timed(lambda: block.lines(180, view(True))[:SCREEN])


def main() -> None:
    for _ in warm_steps():
        pass
    streamed(20_000, 500, True)
    print(f"{'a write streams in, every delta drawn: s; ms: median, p99, max':58}")
    for size, deltas in ((100_000, 2_500), (200_000, 5_000), (400_000, 10_000)):
        for expanded in (False, True):
            total, frames = streamed(size, deltas, expanded)
            tail = statistics.quantiles(frames, n=100)[98]
            name = f"{size // 1000} KB in {deltas:,} deltas{', expanded' if expanded else ''}"
            report(name, total, *(1000 * t for t in (statistics.median(frames), tail, max(frames))))
    print(f"\n{'one look, ms':58}")
    diff = diff_of(5000)
    cases: dict[str, Callable[[], ToolBlock]] = {
        "5,000-line difference": lambda: finished("edit", {"path": "a.py"}, "ok", {"diff": diff}),
        "5,000-line write": lambda: finished("write", {"path": "a.py", "content": CODE * 1667}, "ok"),
        "2,000-line read": lambda: finished("read", {"path": "a.py"}, CODE * 667),
        "2,000 lines of coloured output": lambda: finished(
            "bash",
            {"command": "x"},
            "".join(f"\x1b[32mok\x1b[0m line {n} \x1b[1;31mbad\n" for n in range(2000)),
        ),
        "1 MB on one line": lambda: finished("bash", {"command": "x"}, "x" * 1_000_000),
    }
    for name, make in cases.items():
        for what, took in once(make):
            report(f"{name}: {what}", took)


if __name__ == "__main__":
    main()
