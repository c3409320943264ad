"""User messages, notices, summaries, shell records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_term.ai.messages import ImageContent, TextContent
from pi_term.render.blocks import CustomBlock, NoticeBlock, ShellBlock, SummaryBlock, UserBlock
from pi_term.render.blocks.hints import duration
from pi_term.render.line import Block, ViewOptions


def drawn(block: Block, view: ViewOptions, width: int = 40) -> list[str]:
    return [row.text.rstrip() for row in block.lines(width, view)[1:]]


def test_a_user_message_stands_behind_a_bar(view: ViewOptions) -> None:
    block = UserBlock("Fix **it**\n\nand " + "x " * 20)
    assert drawn(block, view)[:3] == ["▌ Fix **it**", "▌", "▌ and x x x x x x x x x x x x x x x x x"]
    assert all(row.cell_length == 40 for row in block.lines(40, view)[1:])


def test_images_are_named(view: ViewOptions) -> None:
    content = [TextContent("look"), ImageContent("AAAA", "image/png")]
    assert drawn(UserBlock(content), view) == ["▌ look", "▌ [image: image/png, 1 KB]"]
    assert drawn(UserBlock(content[1:]), view) == ["▌ [image: image/png, 1 KB]"]


def test_a_very_long_message_can_be_opened(view: ViewOptions) -> None:
    block = UserBlock("\n".join(map(str, range(100))))
    assert drawn(block, view)[-1] == "▌ …60 more lines, ctrl+o"
    assert len(drawn(block, replace(view, expanded=True))) == 100
    assert block.expandable
    assert not UserBlock("short").expandable


def test_of_one_huge_line_only_the_beginning_is_shown(view: ViewOptions) -> None:
    block = UserBlock("x" * 100_000)
    assert len(drawn(block, view)) < 300
    assert drawn(block, view)[-1] == "▌ …more, ctrl+o"
    assert block.expandable


@pytest.mark.parametrize(("level", "mark"), [("info", "·"), ("warning", "!"), ("error", "✗"), ("other", "·")])
def test_notices_tell_their_level_without_colour(view: ViewOptions, level: str, mark: str) -> None:
    assert drawn(NoticeBlock("Something.", level), view) == [f"{mark} Something."]


def test_a_summary_opens(view: ViewOptions) -> None:
    block = SummaryBlock("## Goal\n\nFix **it**", tokens_before=110_000)
    assert drawn(block, view, 70) == ["◆ Earlier conversation, summarised (was 110,000 tokens)  ctrl+o"]
    rows = drawn(block, replace(view, expanded=True), 70)
    assert rows[2:] == ["  Goal", "", "  Fix it"]
    fresh = SummaryBlock("## Goal", tokens_before=110_000, tokens_after=12_345)
    assert drawn(fresh, view, 90) == ["◆ Earlier conversation, summarised (110,000 → 12,345 tokens)  ctrl+o"]
    assert "branch" in drawn(SummaryBlock("x", branch=True), view)[0]


def test_the_files_of_a_summary_are_lists(view: ViewOptions) -> None:
    read, changed = "<read-files>\na_b.py\nc.py\n</read-files>", "<modified-files>\nd.py\n</modified-files>"
    text = f"## Goal\n\nFix\n\n{read}\n\n{changed}"
    block = SummaryBlock(text)
    rows = drawn(block, replace(view, expanded=True))
    assert not any("<" in row for row in rows)
    assert [row.strip(" •") for row in rows if ".py" in row] == ["a_b.py", "c.py", "d.py"]
    assert block.copy_text() == text


def test_a_custom_message_has_its_label(view: ViewOptions) -> None:
    assert drawn(CustomBlock("plan", "do *this*"), view) == ["◆ plan", "  do this"]


def test_a_shell_record(view: ViewOptions) -> None:
    block = ShellBlock("make", excluded=True)
    assert drawn(block, view, 60) == ["!! make  (not shown to the model)  running"]
    block.show("one\n")
    block.show("one\ntwo\n")
    block.finish(2, full_output_path="/tmp/x")
    assert drawn(block, view, 60) == [
        "!! make  (not shown to the model)",
        "  one",
        "  two",
        "  Exit code 2.",
        "  All of the output: /tmp/x",
    ]
    assert block.copy_text() == "make\n\none\ntwo"


def test_a_shell_command_tells_how_long_it_runs_and_ran(view: ViewOptions) -> None:
    block = ShellBlock("make")
    block.start(100.0)
    assert drawn(block, view) == ["! make  running"]
    assert not block.tick(100.9)
    assert block.tick(107.2)
    assert drawn(block, view) == ["! make  running 7 s"]
    block.finish(0, now=108.5)
    assert not block.tick(120.0)
    assert drawn(block, view) == ["! make  8.5 s", "  No output."]


def test_of_a_shell_command_more_is_shown_than_of_a_tool(view: ViewOptions) -> None:
    block = ShellBlock("seq 100")
    block.show("".join(f"{number}\n" for number in range(100)))
    rows = drawn(block, view)
    assert rows[1:3] == ["  …80 earlier lines, ctrl+o", "  80"]
    assert len(drawn(block, replace(view, expanded=True))) == 101


def test_a_cancelled_shell_command(view: ViewOptions) -> None:
    block = ShellBlock("sleep 9")
    block.finish(None, cancelled=True)
    assert drawn(block, view) == ["! sleep 9", "  Cancelled."]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (12.9, "12 s"), (185, "3 min 5 s"), (7260, "2 h 1 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
