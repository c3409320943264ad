"""Answers: text and thinking as they stream in, and how they ended."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_term.ai.messages import AssistantMessage, TextContent, ThinkingContent, ToolCall
from pi_term.render.blocks import AssistantBlock
from pi_term.render.line import ViewOptions, copied_text


def drawn(block: AssistantBlock, view: ViewOptions, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in block.lines(width, view)]


def test_deltas_become_text(view: ViewOptions) -> None:
    block = AssistantBlock()
    for delta in ("Hel", "lo **wor", "ld**"):
        block.append_text(delta)
    assert drawn(block, view) == ["", "  Hello world"]
    assert block.copy_text() == "Hello **world**"


def test_nothing_said_is_nothing_shown(view: ViewOptions) -> None:
    block = AssistantBlock()
    assert drawn(block, view) == []
    assert block.empty
    block.append_text("\n\n")
    assert drawn(block, view) == []


def test_every_change_raises_the_version(view: ViewOptions) -> None:
    block = AssistantBlock()
    seen = {block.version}
    block.append_thinking("a", 0)
    seen.add(block.version)
    block.append_text("b", 1)
    seen.add(block.version)
    block.finish()
    seen.add(block.version)
    assert len(seen) == 4


def test_thinking_is_told_apart_without_colour(view: ViewOptions) -> None:
    message = AssistantMessage([ThinkingContent("Hm.\n\nSo."), TextContent("Yes.")], stop_reason="stop")
    assert drawn(AssistantBlock(message), view) == ["", "┊ Hm.", "┊", "┊ So.", "", "  Yes."]


def test_thinking_is_italic_and_in_its_colour(view: ViewOptions) -> None:
    block = AssistantBlock(AssistantMessage([ThinkingContent("# A `b`")], stop_reason="stop"))
    styles = {segment.style for segment in block.lines(60, view)[1].segments[1:]}
    assert all(style and style.italic for style in styles)
    assert {style.color for style in styles if style} == {view.theme.style("thinkingText").color}


def test_hidden_thinking_is_one_line(view: ViewOptions) -> None:
    block = AssistantBlock()
    block.append_thinking("one two\n\nthree")
    hiding = replace(view, hide_thinking=True)
    assert drawn(block, hiding) == ["", "┊ Thinking…"]
    block.append_text("Done.", 1)
    block.finish()
    assert drawn(block, hiding) == ["", "┊ Thought (3 words)", "", "  Done."]


@pytest.mark.parametrize(
    ("reason", "error", "note"),
    [
        ("error", "429 Too many requests", "✗ 429 Too many requests"),
        ("error", None, "✗ The model's answer failed."),
        ("aborted", "x", "! Interrupted."),
        ("length", None, "! The answer reached the output limit and was cut off."),
    ],
)
def test_a_bad_end_is_told(view: ViewOptions, reason: str, error: str | None, note: str) -> None:
    block = AssistantBlock()
    block.append_text("Well")
    block.finish(reason, error)
    assert drawn(block, view) == ["", "  Well", "", note]


def test_a_growing_message_is_followed(view: ViewOptions) -> None:
    message = AssistantMessage([ThinkingContent("a")])
    block = AssistantBlock(message)
    message.content[0] = ThinkingContent("a b")
    message.content.append(TextContent("c"))
    block.show(message)
    assert drawn(block, view) == ["", "┊ a b", "", "  c"]
    version = block.version
    block.show(message)
    assert block.version == version


def test_a_replaced_message_is_shown_as_replaced(view: ViewOptions) -> None:
    block = AssistantBlock(AssistantMessage([TextContent("secret")]))
    block.show(AssistantMessage([TextContent("[removed]")], stop_reason="stop"))
    assert drawn(block, view) == ["", "  [removed]"]


def test_a_block_may_be_for_part_of_a_message(view: ViewOptions) -> None:
    content = [TextContent("one"), ToolCall("1", "bash"), TextContent("two")]
    message = AssistantMessage(content, stop_reason="length")
    assert drawn(AssistantBlock(message, stop=1), view) == ["", "  one"]
    assert drawn(AssistantBlock(message), view) == ["", "  one"]
    assert drawn(AssistantBlock(message, start=2), view)[:2] == ["", "  two"]
    assert "cut off" in drawn(AssistantBlock(message, start=2), view)[-1]


def test_rows_that_are_final_stay_the_same_objects(view: ViewOptions) -> None:
    block = AssistantBlock()
    block.append_text("One.\n\nTwo.\n\nThr")
    before = list(block.lines(60, view))
    block.append_text("ee.\n\nFour")
    after = block.lines(60, view)
    assert all(one is other for one, other in zip(before[:4], after, strict=False))


def test_an_answer_is_copied_as_it_was_written(view: ViewOptions) -> None:
    text = "x " * 100 + "y\n\n```py\n\tdef f():\n        pass\n```\n\n中文 " + "z " * 60 + "end"
    block = AssistantBlock(AssistantMessage([TextContent(text)], stop_reason="stop"))
    rows = block.lines(40, view)
    assert copied_text(rows).strip("\n") == text
    assert block.copy_text() == text


def test_long_code_gets_its_colours_in_time(view: ViewOptions) -> None:
    text = "```python\n" + "\n".join(f"x = {n}" for n in range(400)) + "\n```"
    block = AssistantBlock(AssistantMessage([TextContent(text)], stop_reason="stop"))
    last = block.lines(60, view)[-2]
    assert len(last.segments) == 2
    version = block.version
    while block.refine(0.001):
        pass
    assert block.version > version
    assert len(block.lines(60, view)[-2].segments) > 2
    assert not block.refine(1)


def test_a_failure_that_was_tried_again_is_a_remark_and_its_text_stays(view: ViewOptions) -> None:
    failed = AssistantMessage([TextContent("Half")], stop_reason="error", error_message="503 busy")
    block = AssistantBlock(failed)
    block.retried = True
    assert drawn(block, view) == ["", "  Half", "", "↻ failed, tried again: 503 busy"]
    block.retried = False
    assert drawn(block, view) == ["", "  Half", "", "✗ 503 busy"]
    cut = AssistantBlock(AssistantMessage([TextContent("Half")], stop_reason="length"))
    cut.retried = True
    assert drawn(cut, view)[-1] == "↻ cut off, tried again"
