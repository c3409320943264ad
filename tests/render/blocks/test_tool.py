"""Tool rows: name, subject, state, and what can be seen of the work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pi_term.agent.tools import text_result
from pi_term.ai.messages import ImageContent, ToolResultMessage
from pi_term.render.blocks import ToolBlock
from pi_term.render.line import ViewOptions, copied_text

DIFF = "    ...\n  9 def a():\n-10     return 1\n+10     return 2\n 11 "


def drawn(block: ToolBlock, view: ViewOptions, width: int = 50) -> list[str]:
    rows = block.lines(width, view)
    assert all(row.cell_length == width for row in rows[1:])
    return [row.text.rstrip() for row in rows[1:]]


def row(left: str, right: str) -> str:
    """A tool row 50 cells wide."""
    return left + right.rjust(49 - len(left))


def done(name: str, args: dict[str, Any], text: str = "", **more: Any) -> ToolBlock:
    block = ToolBlock(name, args)
    block.finish(
        text_result(text, details=more.get("details"), is_error=more.get("error", False)), duration_ms=1230
    )
    return block


def test_the_row_tells_each_state_without_colour(view: ViewOptions) -> None:
    block = ToolBlock("bash", {"command": "pytest"}, writing=True)
    assert drawn(block, view) == [row("◌ bash  pytest", "writing…")]
    block.set_arguments({"command": "pytest -q"}, complete=True)
    assert drawn(block, view) == [row("○ bash  pytest -q", "waiting")]
    block.start(10.0)
    assert drawn(block, replace(view, now=10.5)) == [row("◐ bash  pytest -q", "running")]
    block.finish(text_result(""), duration_ms=1230)
    assert drawn(block, view) == [row("● bash  pytest -q", "✓ 1.2 s")]
    block.finish(text_result("", is_error=True), duration_ms=61_000)
    assert drawn(block, view) == [row("● bash  pytest -q", "✗ 1 min 1 s")]


def test_a_call_that_will_never_run(view: ViewOptions) -> None:
    block = ToolBlock("bash", {"command": "pytest"})
    block.cancel()
    assert drawn(block, view) == [row("○ bash  pytest", "no result")]
    finished = done("bash", {"command": "ls"})
    finished.cancel()
    assert finished.status == "ok"


def test_a_running_call_shows_its_time_and_output(view: ViewOptions) -> None:
    block = ToolBlock("bash", {"command": "make"})
    block.start(100.0)
    block.update(text_result("compiling"))
    assert drawn(block, replace(view, now=112.7)) == [
        row("◐ bash  make", "12 s"),
        "  compiling",
    ]
    assert not block.tick(112.9)
    version = block.version
    assert block.tick(113.0)
    assert block.version > version
    assert drawn(block, replace(view, now=113.0))[0].endswith("13 s")


def test_late_progress_does_not_undo_the_result(view: ViewOptions) -> None:
    block = done("bash", {"command": "ls"}, "final")
    block.update(text_result("late"))
    assert drawn(block, view)[1:] == ["  final"]


def test_collapsed_output_is_its_end(view: ViewOptions) -> None:
    block = done("bash", {"command": "seq 20"}, "\n".join(map(str, range(1, 21))) + "\n")
    assert drawn(block, view)[1:] == ["  …15 earlier lines, ctrl+o", *(f"  {n}" for n in range(16, 21))]
    assert block.expandable
    assert drawn(block, replace(view, expanded=True))[1:] == [f"  {n}" for n in range(1, 21)]


def test_the_hint_names_the_key_in_use(view: ViewOptions) -> None:
    block = done("bash", {"command": "seq 20"}, "\n".join("x" * 20))
    assert "alt+e" in drawn(block, replace(view, expand_key="alt+e"))[1]


def test_expanded_output_has_a_bound(view: ViewOptions) -> None:
    block = done("bash", {"command": "x"}, "\n".join(map(str, range(5000))))
    rows = drawn(block, replace(view, expanded=True))
    assert rows[1] == "  …3,000 earlier lines"
    assert rows[-1] == "  4999"
    assert len(rows) == 2002


def test_of_a_huge_line_only_the_end_is_looked_at(view: ViewOptions) -> None:
    block = done("bash", {"command": "x"}, "a" * 1_000_000 + "END")
    rows = drawn(block, view)
    assert len(rows) == 6
    assert rows[-1].endswith("END")


def test_colours_of_output_stay_and_the_exit_status_stands_out(view: ViewOptions) -> None:
    block = done("bash", {"command": "x"}, "\x1b[32mgreen\x1b[0m\n\nCommand exited with code 2", error=True)
    rows = block.lines(50, view)
    green = next(segment for line in rows for segment in line.segments if segment.text == "green")
    assert green.style is not None
    assert green.style.color is not None
    assert green.style.color.number == 2
    assert rows[1].text.rstrip().endswith("✗ exit 2 · 1.2 s")
    rows = block.lines(50, replace(view, expanded=True))
    status = next(seg for line in rows for seg in line.segments if "exited" in seg.text)
    assert status.style is not None
    assert status.style.color == view.theme.style("error").color


def test_a_progress_bar_is_shown_in_its_last_state(view: ViewOptions) -> None:
    assert drawn(done("bash", {"command": "x"}, "10%\r50%\r100%\ndone"), view)[1:] == ["  100%", "  done"]


def test_a_command_of_many_lines(view: ViewOptions) -> None:
    block = done("bash", {"command": "cd x\nmake", "timeout": 30}, "ok")
    assert drawn(block, view)[0] == row("● bash  cd x …  timeout 30 s", "✓ 1.2 s")
    assert drawn(block, replace(view, expanded=True))[1:] == ["  cd x", "  make", "", "  ok"]


def test_reading_shows_how_much_and_the_content_when_expanded(view: ViewOptions) -> None:
    block = done("read", {"path": "src/a.py", "offset": 5, "limit": 2}, "x = 1\ny = 'z'\n")
    assert drawn(block, view) == [row("● read  src/a.py  lines 5-6", "✓ 1.2 s")]
    rows = block.lines(50, replace(view, expanded=True))
    assert [row.text.rstrip() for row in rows[2:]] == ["    5  x = 1", "    6  y = 'z'"]
    string = next(seg for line in rows for seg in line.segments if "z" in seg.text)
    assert string.style is not None
    assert string.style.color == view.theme.style("syntaxString").color


def test_reading_an_image(view: ViewOptions) -> None:
    block = ToolBlock("read", {"path": "a.png"})
    message = ToolResultMessage("1", "read", [ImageContent("AAAA", "image/png")])
    block.finish(message)
    assert drawn(block, view) == [row("● read  a.png  image/png, 1 KB", "✓")]


@pytest.mark.parametrize("name", ["read", "write", "edit", "other"])
def test_errors_are_shown(view: ViewOptions, name: str) -> None:
    assert "  No such file: b" in drawn(done(name, {"path": "b"}, "No such file: b", error=True), view)


def test_long_paths_keep_their_end(view: ViewOptions) -> None:
    block = done("read", {"path": "/a/very/long/path/" * 5 + "name.py"}, "x")
    assert "/name.py" in drawn(block, view)[0]
    assert drawn(block, view)[0].startswith("● read  …")


def test_a_file_being_written_shows_its_end(view: ViewOptions) -> None:
    content = "".join(f"line {n}\n" for n in range(50)) + "and mo"
    block = ToolBlock("write", {"path": "a.txt", "content": content}, writing=True)
    assert drawn(block, view)[0] == row("◌ write  a.txt  51 lines", "writing…")
    shown = [*(f"   {n + 1}  line {n}" for n in range(41, 50)), "   51  and mo"]
    assert drawn(block, view)[1:] == ["  …41 earlier lines, ctrl+o", *shown]
    assert drawn(block, replace(view, expanded=True))[1:4] == [
        "    1  line 0",
        "    2  line 1",
        "    3  line 2",
    ]


def test_a_written_file_shows_its_beginning(view: ViewOptions) -> None:
    block = done("write", {"path": "a.py", "content": "".join(f"x = {n}\n" for n in range(30))}, "Wrote a.py")
    assert drawn(block, view)[1:] == [
        *(f"  {n + 1:3}  x = {n}" for n in range(10)),
        "  …20 more lines, ctrl+o",
    ]
    assert len(drawn(block, replace(view, expanded=True))) == 31


def test_an_edit_shows_the_difference_it_made(view: ViewOptions) -> None:
    block = done("edit", {"path": "a.py"}, "ok", details={"diff": DIFF})
    assert drawn(block, view) == [
        row("● edit  a.py  +1 -1", "✓ 1.2 s"),
        "  ⋯ 8 unchanged lines",
        "   9   def a():",
        "  10 -     return 1",
        "  10 +     return 2",
        "  11",
    ]
    rows = block.lines(50, view)
    grounds = [line.segments[-1].style.bgcolor for line in rows[4:6] if line.segments[-1].style]
    assert grounds == [view.theme.style(None, f"toolDiff{kind}Bg").bgcolor for kind in ("Removed", "Added")]
    assert copied_text(rows[4:6]) == "-    return 1\n+    return 2"


def test_before_it_ran_an_edit_shows_what_it_is_to_change(view: ViewOptions) -> None:
    args = {
        "path": "a.py",
        "edits": [{"oldText": "a\nb\nc", "newText": "a\nB\nc"}, {"oldText": "x", "newText": ""}],
    }
    assert drawn(ToolBlock("edit", args), view)[1:] == ["    a", "  - b", "  + B", "    c", "  ⋯", "  - x"]


@pytest.mark.parametrize("edits", [None, "text", [1, None], [{"oldText": 5}], [{}]])
def test_arguments_of_any_shape_are_survived(view: ViewOptions, edits: Any) -> None:
    args = {"path": 5, "command": None, "content": [], "edits": edits, "timeout": "x", "offset": []}
    for name in ("bash", "read", "write", "edit", "other"):
        for writing in (True, False):
            assert drawn(ToolBlock(name, args, writing=writing), view)


def test_an_unknown_tool_shows_its_arguments_and_output(view: ViewOptions) -> None:
    block = done("search", {"query": "a b", "limit": 5}, "\n".join(f"hit {n}" for n in range(8)))
    assert drawn(block, view) == [
        row("● search  query=a b  limit=5", "✓ 1.2 s"),
        *(f"  hit {n}" for n in range(5)),
        "  …3 more lines, ctrl+o",
    ]
    expanded = drawn(block, replace(view, expanded=True))
    assert expanded[1:5] == ["  query: a b", "  limit: 5", "", "  hit 0"]
    assert "  hit 7" in expanded


def test_rows_offer_to_open_what_can_be_opened(view: ViewOptions) -> None:
    long = done("bash", {"command": "x"}, "\n".join("abcdefgh"))
    assert long.lines(50, view)[1].action_ids == ("app.tools.expand",)
    short = done("bash", {"command": "x"}, "a")
    assert short.lines(50, view)[1].action_ids == ()


def test_the_ground_tells_the_state(view: ViewOptions) -> None:
    def ground(block: ToolBlock) -> Any:
        style = block.lines(50, view)[1].segments[-1].style
        return style and style.bgcolor

    wanted = {
        state: view.theme.style(None, f"tool{state}Bg").bgcolor for state in ("Pending", "Success", "Error")
    }
    assert ground(ToolBlock("bash", {})) == wanted["Pending"]
    assert ground(done("bash", {})) == wanted["Success"]
    assert ground(done("bash", {}, error=True)) == wanted["Error"]


def test_copying_a_call_gives_command_and_output() -> None:
    assert done("bash", {"command": "ls"}, "a\nb").copy_text() == "bash ls\n\na\nb"
    assert ToolBlock("search", {"q": 1}).copy_text() == 'search {"q":1}'
