"""A long answer goes on in further blocks: together they look like one, and only what is seen is drawn."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.messages import AssistantMessage, TextContent, ThinkingContent
from pi_term.base.paths import shipped
from pi_term.render.blocks import AssistantBlock, assistant
from pi_term.render.line import Line, ViewOptions
from pi_term.render.theme import load_theme

THEME, _ = load_theme(shipped("themes") / "dark.json")
assert THEME is not None
VIEW = ViewOptions(THEME)
PIECES = (
    *(
        "word ",
        "**bold** ",
        "*it",
        "`code` ",
        "\n",
        "\n\n",
        "\n\n",
        "- a\n",
        "1. ",
        "> ",
        "# ",
        "## Head\n\n",
    ),
    *("```", "```py\n", "\n```\n\n", "  ```\n", "---\n", "===\n", "    ", "\t", "| a | b |\n", "|---|:-:|\n"),
    *("[t](http://x.y) ", "[r] ", "[r]: http://z.z\n", "\n\n[q]: http://q.q\n\n", "[q] ", "| 1 | 2 |\n"),
    *(
        "中文",
        "x = 'y' # z\n",
        "~~~\n",
        "~~s~~",
        "\\",
        "  \n",
        "\r",
        "\x1b[31m",
        "\x1b]0;t\n\nText",
        "Text\n\nMore ",
    ),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def grow(sections: list[AssistantBlock], delta: str, index: int = 0) -> None:
    """Add to an answer as a view does that shows its sections."""
    sections[-1].append_text(delta, index)
    while (following := sections[-1].go_on()) is not None:
        sections.append(following[0])


def rows(block: AssistantBlock, width: int) -> list[Line]:
    lines = list(block.lines(width, VIEW))
    while block.refine(1.0):
        pass
    return list(block.lines(width, VIEW)) if lines else lines


@settings(max_examples=150)
@given(TEXTS, st.data(), st.integers(1, 50))
def test_the_sections_look_like_the_whole_answer(text: str, data: st.DataObject, width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assistant, "SECTION", 6)
        sections = [AssistantBlock()]
        at = 0
        while at < len(text):
            size = data.draw(st.integers(1, 60))
            grow(sections, text[at : at + size])
            at += size
            if data.draw(st.booleans()):
                sections[-1].lines(width, VIEW)
                sections[0].lines(width, VIEW)
        sections[-1].finish()
        assert sections[-1].go_on() is None
    whole = AssistantBlock(AssistantMessage([TextContent(text)], stop_reason="stop"))
    assert [line for block in sections for line in rows(block, width)] == rows(whole, width)
    assert {block.copy_text() for block in sections} == {whole.copy_text()}
    assert "".join(block.search_text() for block in sections) == text


def test_prose_is_parted_between_paragraphs_and_code_never() -> None:
    sections = [AssistantBlock()]
    grow(sections, "Some words of a paragraph.\n\n" * 200)
    assert len(sections) > 2
    assert all(len(block.search_text()) < 2 * assistant.SECTION for block in sections)
    sections = [AssistantBlock()]
    grow(sections, "```python\n" + "x = 1\n\ny = 2\n\n" * 500)
    assert len(sections) == 1


def test_a_link_may_be_defined_in_a_later_section() -> None:
    sections = [AssistantBlock()]
    grow(sections, "See [there].\n\n" + "More words.\n\n" * 200)
    before = sections[0].version
    plain = [line.text for line in sections[0].lines(60, VIEW)][1]
    grow(sections, "[there]: https://example.org\n\nEnd.")
    assert len(sections) > 1
    assert sections[0].version > before
    assert [line.text for line in sections[0].lines(60, VIEW)][1] != plain


def test_sections_tell_whether_the_final_message_says_the_same() -> None:
    text = "Some words of a paragraph.\n\n" * 200
    sections = [AssistantBlock()]
    sections[0].append_thinking("Hm.", 0)
    grow(sections, text, 1)
    assert len(sections) > 2
    assert [block.continues for block in sections[:2]] == [False, True]
    said = [ThinkingContent("Hm."), TextContent(text + "And more.")]
    assert sections[-1].holds(AssistantMessage(said, stop_reason="stop"))
    said[1] = TextContent("X" + text)
    assert not sections[-1].holds(AssistantMessage(said, stop_reason="stop"))
    assert not sections[-1].holds(AssistantMessage(said[:1], stop_reason="stop"))
