"""What holds for every block: it fits, it is safe, it keeps its rows, it copies its source."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pi_term.agent.tools import text_result
from pi_term.ai.messages import AssistantMessage, ImageContent, TextContent, ThinkingContent
from pi_term.base.paths import shipped
from pi_term.render.blocks import (
    AssistantBlock,
    CustomBlock,
    NoticeBlock,
    ShellBlock,
    SummaryBlock,
    SwitchBlock,
    ToolBlock,
    UserBlock,
)
from pi_term.render.blocks.switch import Switch
from pi_term.render.line import Block, ViewOptions, copied_text
from pi_term.render.theme import load_theme

THEME, _ = load_theme(shipped("themes") / "dark.json")
assert THEME is not None
VIEWS = [
    ViewOptions(THEME, expanded=expanded, hide_thinking=hidden)
    for expanded in (False, True)
    for hidden in (False, True)
]


def tool(name: str, text: str, *, error: bool = False, done: bool = True) -> ToolBlock:
    args = {
        "command": text,
        "path": text,
        "content": text,
        "edits": [{"oldText": text, "newText": text + "x"}],
    }
    block = ToolBlock(name, args)
    if done:
        block.finish(text_result(text, is_error=error), duration_ms=1500)
    else:
        block.start(0)
        block.update(text_result(text))
    return block


def shell(text: str) -> ShellBlock:
    block = ShellBlock(text, excluded=True)
    block.show(text)
    block.finish(3, full_output_path=text)
    return block


def answer(text: str) -> AssistantBlock:
    content = [ThinkingContent(text), TextContent(text)]
    return AssistantBlock(AssistantMessage(content, stop_reason="error", error_message=text))


def edited(text: str) -> ToolBlock:
    block = ToolBlock("edit", {"path": text})
    block.finish(text_result("ok", details={"diff": f"-1 {text}\n+1 {text}\n 2 {text}"}))
    return block


MAKERS: dict[str, Callable[[str], Block]] = {
    "user": UserBlock,
    "user with image": lambda text: UserBlock([TextContent(text), ImageContent("", text)]),
    "assistant": answer,
    "notice": NoticeBlock,
    "error": lambda text: NoticeBlock(text, "error"),
    "compaction": lambda text: SummaryBlock(text, tokens_before=5),
    "switch": lambda text: SwitchBlock(Switch(text, "high")),
    "custom": lambda text: CustomBlock(text, text),
    "shell": shell,
    "bash": lambda text: tool("bash", text),
    "failed bash": lambda text: tool("bash", text, error=True),
    "running bash": lambda text: tool("bash", text, done=False),
    "read": lambda text: tool("read", text),
    "write": lambda text: tool("write", text),
    "write being written": lambda text: ToolBlock("write", {"path": text, "content": text}, writing=True),
    "edit": edited,
    "edit being written": lambda text: ToolBlock("edit", {"edits": [{"newText": text}]}, writing=True),
    "failed edit": lambda text: tool("edit", text, error=True),
    "unknown tool": lambda text: tool(text or "x", text),
}

MARKUP = [
    "[/",
    "[/bold]",
    "[00] x",
    "[b + ",
    "latvec[0]",
    "[link=file:///etc]x[/link]",
    "[data: /m?id=1-609b-]",
]
ESCAPES = [
    *("\x1b]52;c;aGk=\x07", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\link", "\x1b[2J", "\x1b[6n", "\x1bc"),
    *("\x1bPq\x1b\\", "\x1b]", "\x9b2J", "\x9d0;t\x07", "\u202e"),
]
PIECES = [
    *MARKUP,
    *ESCAPES,
    "中文字",
    "🇩🇪",
    "👨‍👩‍👧‍👦",
    "e\u0301",
    "ไทย",
    "\t",
    "\n",
    " ",
    "word ",
    "x" * 30,
    "\r",
    "\x1b[31m",
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=12).map("".join)


@pytest.mark.parametrize("kind", MAKERS)
@given(text=TEXTS, width=st.integers(1, 45), view=st.sampled_from(VIEWS))
def test_rows_fit_and_hold_no_control_characters(kind: str, text: str, width: int, view: ViewOptions) -> None:
    for line in MAKERS[kind](text).lines(width, view):
        # Piece by piece, as it is drawn: Rich takes a joiner at the end of one for part of the next.
        assert sum(cell_len(segment.text) for segment in line.segments) == line.cell_length <= width
        assert not any(char < " " or "\x7f" <= char < "\xa0" or char == "\u202e" for char in line.text)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("text", MARKUP)
def test_brackets_appear_letter_for_letter(kind: str, text: str) -> None:
    rows = MAKERS[kind](text).lines(100, VIEWS[2])
    shown = [line.text for line in rows if text in line.text]
    assert shown


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("escape", ESCAPES)
def test_text_around_escapes_is_complete(kind: str, escape: str) -> None:
    rows = MAKERS[kind](f"before{escape}after").lines(100, VIEWS[2])
    text = "\n".join(line.text for line in rows)
    assert "before" in text
    assert "after" in text
    assert "\x1b" not in "".join(str(segment) for line in rows for segment in line.segments)


@pytest.mark.parametrize("kind", MAKERS)
def test_the_first_row_is_empty_and_rows_are_kept(kind: str) -> None:
    block = MAKERS[kind]("some text")
    rows = block.lines(40, VIEWS[0])
    assert not rows[0].text
    assert block.lines(40, VIEWS[0]) is rows
    assert block.lines(30, VIEWS[0]) is not rows


@pytest.mark.parametrize("kind", MAKERS)
def test_blocks_are_blocks(kind: str) -> None:
    block = MAKERS[kind]("some text")
    assert isinstance(block, Block)
    assert block.id
    assert block.estimate_height(40) > 0
    assert isinstance(block.copy_text(), str)


def test_ids_are_unique() -> None:
    assert len({NoticeBlock("x").id for _ in range(5)}) == 5


@pytest.mark.parametrize("kind", ["user", "notice", "bash", "shell", "custom"])
def test_copied_rows_have_no_padding_and_no_layout_breaks(kind: str) -> None:
    text = "one long line " * 12 + "end"
    copied = copied_text(MAKERS[kind](text).lines(40, VIEWS[2]))
    assert text in copied
    assert not any(line.endswith(" ") for line in copied.split("\n"))


@pytest.mark.parametrize("kind", ["bash", "shell", "write", "read", "user"])
def test_tabs_are_columns_on_the_screen_and_tabs_when_copied(kind: str) -> None:
    rows = MAKERS[kind]("a\n\tb\tc").lines(60, VIEWS[2])
    line = next(line for line in rows if line.source_text == "\tb\tc")
    assert line.text[line.indent :].rstrip() in ("    b   c", "        b       c")
