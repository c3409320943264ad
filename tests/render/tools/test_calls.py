"""Calls of the built-in tools from their first letter to their result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.agent.tools import text_result
from pi_term.ai.messages import ToolResultMessage
from pi_term.ai.partial_json import PartialArguments
from pi_term.base.json import dumps_str
from pi_term.render.blocks import ToolBlock
from pi_term.render.line import Line, ViewOptions, copied_text
from pi_term.render.tools.code import CodeView
from pi_term.render.tools.live import LIVE

CODE = "".join(f"value_{n} = 'text {n}'\n" for n in range(1, 401))


def rows_of(block: ToolBlock, view: ViewOptions, width: int = 60) -> Sequence[Line]:
    return block.lines(width, view)[1:]


def texts(block: ToolBlock, view: ViewOptions, width: int = 60) -> list[str]:
    return [row.text.rstrip() for row in rows_of(block, view, width)]


def done(
    name: str, args: dict[str, Any], text: str = "", *, error: bool = False, details: Any = None
) -> ToolBlock:
    block = ToolBlock(name, args)
    block.finish(text_result(text, details=details, is_error=error), duration_ms=1230)
    return block


def coloured(row: Line) -> bool:
    """Whether a row has more than one colour of text."""
    return len({part.style.color for part in row.segments if part.style and part.text.strip()}) > 2


# The first row


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("out\n\nCommand exited with code 2", "✗ exit 2 · 1.2 s"),
        ("Command timed out after 1 seconds", "✗ timed out after 1 s"),
        ("Command aborted", "✗ aborted · 1.2 s"),
        ("Cannot run: no such file or directory", "✗ not found · 1.2 s"),
        ("Odd", "✗ 1.2 s"),
    ],
)
def test_failures_are_told_apart_at_every_width(view: ViewOptions, text: str, end: str) -> None:
    block = done("bash", {"command": "make " + "x" * 300}, text, error=True)
    assert texts(block, view)[0].endswith(end)
    assert end.split(" ·")[0] in texts(block, view, 44)[0]
    assert "✗" in texts(block, view, 16)[0]


def test_a_failure_is_told_also_when_the_call_was_drawn_while_it_ran(view: ViewOptions) -> None:
    block = ToolBlock("read", {"path": "f"})
    block.start(0)
    rows_of(block, view)
    block.search_text()
    block.finish(text_result("Cannot read f: no such file or directory.", is_error=True), duration_ms=1230)
    assert texts(block, view)[0].endswith("✗ not found · 1.2 s")


def numbered(count: int) -> str:
    return "\n".join(f"line {number}" for number in range(1, count + 1))


def added(count: int) -> str:
    return "\n".join(f"+{number:>2} line" for number in range(1, count + 1))


@pytest.mark.parametrize(
    ("most", "make"),
    [
        (5, lambda n: done("bash", {"command": "x"}, numbered(n))),
        (5, lambda n: done("find", {"pattern": "x"}, numbered(n))),
        (5, lambda n: done("unknown", {}, numbered(n))),
        (10, lambda n: done("write", {"path": "f", "content": numbered(n)}, "Wrote.")),
        (16, lambda n: done("edit", {"path": "f"}, details={"diff": added(n)})),
    ],
    ids=["bash", "find", "generic", "write", "edit"],
)
def test_no_row_tells_of_a_single_hidden_line(
    view: ViewOptions, most: int, make: Callable[[int], ToolBlock]
) -> None:
    full, one, two = (texts(make(most + more), view) for more in (0, 1, 2))
    assert not any("…" in row for row in (*full, *one))
    assert len(one) == len(full) + 1
    assert any("…2 " in row for row in two)


def test_a_timeout_is_told_as_it_was_given(view: ViewOptions) -> None:
    assert "timeout 5 s" in texts(done("bash", {"command": "x", "timeout": 5}), view)[0]
    assert "timeout 0.5 s" in texts(done("bash", {"command": "x", "timeout": 0.5}), view)[0]
    assert "timeout 2 min 0 s" in texts(done("bash", {"command": "x", "timeout": 120}), view)[0]


def test_what_was_called_off_looks_different_from_what_failed(view: ViewOptions) -> None:
    styles = [
        rows_of(done("bash", {}, text, error=True), view)[0].segments[0].style
        for text in ("Command aborted", "Command exited with code 1")
    ]
    assert styles[0] != styles[1]


def test_the_row_under_it_is_not_made_again_when_time_passes(view: ViewOptions) -> None:
    block = ToolBlock("bash", {"command": "make"})
    block.start(0)
    block.update(text_result("some\noutput"))
    before = rows_of(block, replace(view, now=1.0))
    block.tick(2.0)
    after = rows_of(block, replace(view, now=2.0))
    assert before[0] is not after[0]
    assert before[1] is after[1]


# bash

CUT = "[Showing lines 79235-81234 of 81234. Full output: /tmp/x/pi-term-bash-1.log]"


@pytest.mark.parametrize("details", [None, {"truncation": {"totalLines": 81234, "outputLines": 2000}}])
@pytest.mark.parametrize("end", ["", "\n\nCommand exited with code 1"])
def test_cut_output_tells_how_much_and_where_all_of_it_is(view: ViewOptions, details: Any, end: str) -> None:
    text = "".join(f"line {n}\n" for n in range(20)) + f"\n{CUT}{end}"
    shown = texts(done("bash", {"command": "x"}, text, error=bool(end), details=details), view)
    rows = 10 if end else 5
    assert shown[1] == f"  …{79_234 + 20 - rows:,} earlier lines, ctrl+o"
    assert shown[-2:] == ["  line 19", "  Full output: /tmp/x/pi-term-bash-1.log"]
    assert len(shown) == rows + 3


@pytest.mark.parametrize(
    "note",
    [
        "Showing last 50.0KB of line 2 (line is 293.0KB). Full output: /tmp/x.log",
        "Showing lines 5-6 of 6 (50.0KB limit). The full output was not kept: disk full",
    ],
)
def test_what_is_missing_is_told(view: ViewOptions, note: str) -> None:
    shown = " ".join(texts(done("bash", {"command": "x"}, f"a\n\n[{note}]"), view, 100))
    assert note.removeprefix("Showing lines 5-6 of 6 (50.0KB limit). ") in shown


def test_where_output_goes_is_told_while_it_runs(view: ViewOptions) -> None:
    block = ToolBlock("bash", {"command": "x"})
    block.start(0)
    details = {"truncation": {"totalLines": 9000, "outputLines": 2000}, "fullOutputPath": "/tmp/x.log"}
    block.update(text_result("\n".join(map(str, range(2000))), details=details))
    shown = texts(block, view)
    assert shown[1] == "  …8,995 earlier lines, ctrl+o"
    assert shown[-1] == "  Full output: /tmp/x.log"


def test_no_output_is_told_in_the_first_row(view: ViewOptions) -> None:
    assert texts(done("bash", {"command": "true"}, "(no output)"), view) == [
        "● bash  true  no output                             ✓ 1.2 s"
    ]


def test_output_in_brackets_is_output(view: ViewOptions) -> None:
    assert texts(done("bash", {"command": "x"}, "a\n\n[Showing off]"), view)[1:] == [
        "  a",
        "",
        "  [Showing off]",
    ]


# read


def test_line_numbers_are_those_of_the_file_and_are_not_copied(view: ViewOptions) -> None:
    block = done(
        "read",
        {"path": "a.py", "offset": 98, "limit": 3},
        "a = 1\n\tb = 2\nc = 3\n\n[7 more lines in file. Use offset=101 to continue.]",
    )
    rows = rows_of(block, replace(view, expanded=True))
    assert [row.text.rstrip() for row in rows] == [
        "● read  a.py  lines 98-100 of 107                   ✓ 1.2 s",
        "   98  a = 1",
        "   99      b = 2",
        "  100  c = 3",
        "  [7 more lines in file. Use offset=101 to continue.]",
    ]
    assert copied_text(rows[1:4]) == "a = 1\n\tb = 2\nc = 3"


@pytest.mark.parametrize(
    ("args", "text", "extra"),
    [
        ({}, "a\nb\n", "2 lines"),
        ({"offset": 2}, "b\n", "line 2"),
        ({"offset": None, "limit": None}, "a", "1 line"),
        ({"limit": 2}, "a\nb\n\n[3 more lines in file. Use offset=3 to continue.]", "lines 1-2 of 5"),
        ({"offset": 3, "limit": 50}, "c\nd\n", "lines 3-4"),
        ({}, "", "0 lines"),
    ],
)
def test_how_much_was_read(view: ViewOptions, args: dict[str, Any], text: str, extra: str) -> None:
    first = texts(done("read", {"path": "a.py", **args}, text), view)[0]
    assert first.split("a.py  ")[1].split("   ")[0] == extra


def test_only_the_end_of_a_result_is_searched_for_notes(view: ViewOptions) -> None:
    block = done("read", {"path": "a.ini"}, "x=1\n\n[section]")
    assert texts(block, replace(view, expanded=True))[-1] == "    3  [section]"


def test_far_lines_are_plain_until_there_is_time(view: ViewOptions) -> None:
    block = done("read", {"path": "a.py"}, CODE)
    options = replace(view, expanded=True)
    rows = rows_of(block, options)
    assert coloured(rows[1])
    assert not coloured(rows[400])
    version = block.version
    assert not block.refine(0.0) or block.version == version
    deadline = time.monotonic() + 60
    while block.refine(0.01):
        assert time.monotonic() < deadline
    assert block.version > version
    assert coloured(rows_of(block, options)[400])
    assert not block.refine(1.0), "there is nothing more to do"


def test_colours_of_what_is_not_looked_at_are_not_found_out(view: ViewOptions) -> None:
    block = done("read", {"path": "a.py"}, CODE * 10)
    block.lines(60, replace(view, expanded=True))[:20]
    while block.refine(1.0):
        pass
    code = block._call.memo["code"]
    assert isinstance(code, CodeView)
    assert code.colours._highlighter.received < 300


# write


def test_a_file_grows_line_by_line(view: ViewOptions) -> None:
    arguments, block = PartialArguments(), ToolBlock("write", writing=True)
    heights = []
    last = ""
    text = dumps_str({"path": "shop/order.py", "content": CODE[:2000]})
    for at in range(0, len(text), 7):
        block.set_arguments(arguments.feed(text[at : at + 7]))
        shown = texts(block, view)
        heights.append(len(shown))
        last = shown[-1]
        assert shown[0].startswith("◌ write")
    assert heights == sorted(heights), "the row never jumps"
    assert max(heights) == LIVE + 2
    assert last.endswith(CODE[:2000].rpartition("\n")[2])


def test_what_is_written_is_coloured_once_the_name_is_whole(view: ViewOptions) -> None:
    block = ToolBlock("write", writing=True)
    block.set_arguments({"path": "a.p"})
    assert len(rows_of(block, view)) == 1
    block.set_arguments({"path": "a.py", "content": "x = 'a'\ny"})
    assert coloured(rows_of(block, view)[1])
    block.set_arguments({"content": "x = 'a'\ny", "path": "a.p"})
    assert not coloured(rows_of(block, view)[1])


def test_a_file_that_was_changed_shows_what_changed(view: ViewOptions) -> None:
    diff = " 1 a = 1\n-2 b = 2\n+2 b = 3"
    block = done("write", {"path": "a.py", "content": "a = 1\nb = 3\n"}, "Wrote", details={"diff": diff})
    shown = texts(block, view)
    assert shown[0].startswith("● write  a.py  +1 -1")
    assert shown[1:] == ["  1   a = 1", "  2 - b = 2", "  2 + b = 3"]


def test_a_file_that_was_not_changed_says_so(view: ViewOptions) -> None:
    text = "a.py was not touched: it holds exactly these 6 bytes already."
    block = done("write", {"path": "a.py", "content": "a = 1\n"}, text)
    [row] = texts(block, view)
    assert row.startswith("● write  a.py  unchanged")
    assert "a = 1" in "\n".join(texts(block, replace(view, expanded=True)))


@pytest.mark.parametrize("name", ["write", "edit"])
def test_after_a_failure_the_reason_counts(view: ViewOptions, name: str) -> None:
    args = {"path": "a.py", "content": "new = 1", "edits": [{"oldText": "old", "newText": "new = 1"}]}
    block = done(name, args, "Cannot write a.py: permission denied", error=True)
    assert texts(block, view)[1:] == ["  Cannot write a.py: permission denied"]
    assert any("new = 1" in row for row in texts(block, replace(view, expanded=True)))
    assert block.expandable


def test_long_lines_are_cut_in_short_and_copied_whole(view: ViewOptions) -> None:
    line = "x = " + "1 + " * 100 + "1"
    rows = rows_of(done("write", {"path": "a.py", "content": f"{line}\ny = 2\n"}, "ok"), view)
    assert len(rows) == 3
    assert rows[1].text.rstrip().endswith("…")
    assert copied_text(rows[1:]) == f"{line}\ny = 2"


# edit


def test_replacements_are_seen_as_they_come(view: ViewOptions) -> None:
    arguments, block = PartialArguments(), ToolBlock("edit", writing=True)
    args = {
        "path": "a.py",
        "edits": [{"oldText": "a = 1\nb = 2", "newText": "a = 3\nb = 4"}, {"oldText": "c", "newText": "d"}],
    }
    seen: list[list[str]] = []
    for character in dumps_str(args):
        block.set_arguments(arguments.feed(character))
        shown = [row.strip() for row in texts(block, view)[1:]]
        if not seen or seen[-1] != shown:
            seen.append(shown)
    assert [] in seen
    assert ["- a = 1", "- b"] in seen
    assert ["- a = 1", "- b = 2", "+ a ="] in seen
    assert seen[-1] == ["- a = 1", "- b = 2", "+ a = 3", "+ b = 4", "⋯", "- c", "+ d"]
    assert [len(shown) for shown in seen] == sorted(len(shown) for shown in seen)


# All

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["oldText", "newText", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)
ARGS = st.dictionaries(
    st.sampled_from(
        ["path", "content", "command", "edits", "offset", "limit", "timeout", "oldText", "pattern"]
    ),
    JSON,
    max_size=5,
)


@given(
    st.sampled_from(["bash", "read", "write", "edit", "grep", "find", "ls", "other"]),
    ARGS,
    st.booleans(),
    st.data(),
)
def test_arguments_of_any_shape_in_pieces(
    view: ViewOptions, name: str, args: dict[str, Any], expanded: bool, data: st.DataObject
) -> None:
    options = replace(view, expanded=expanded)
    text = dumps_str(args)
    arguments, block = PartialArguments(), ToolBlock(name, writing=True)
    for at in range(0, len(text), data.draw(st.integers(1, 40))):
        block.set_arguments(arguments.feed(text[at : at + 40]))
        assert len(list(block.lines(50, options))) == len(block.lines(50, options))
    block.set_arguments(args, complete=True)
    assert list(block.lines(50, options))
    block.finish(ToolResultMessage("1", name, [], details=data.draw(JSON), is_error=data.draw(st.booleans())))
    assert list(block.lines(150, options))
    assert isinstance(block.copy_text(), str)
