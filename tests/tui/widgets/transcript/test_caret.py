"""A cursor in the transcript: where it goes, and what it selects."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.render.blocks import AssistantBlock, UserBlock
from pi_term.render.line import ViewOptions
from pi_term.testing.app import shipped_theme
from pi_term.tui.widgets.transcript import Transcript
from pi_term.tui.widgets.transcript.caret import Caret
from pi_term.tui.widgets.transcript.codes import code_at
from pi_term.tui.widgets.transcript.items import ItemList
from pi_term.tui.widgets.transcript.look import Look
from pi_term.tui.widgets.transcript.selecting import own_text
from pi_term.tui.widgets.transcript.store import LineStore

SIZE = (22, 12)


async def test_selecting_with_keys(kit: SimpleNamespace) -> None:
    blocks = [kit.Block("a", "one two\n\nthree 日本 x"), kit.Block("b", "long " * 8), kit.Block("c", "end")]
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        transcript: Transcript = app.transcript
        assert transcript.begin_marking()
        transcript.begin_mark()
        transcript.move_in_row(end=True)
        assert transcript.selected_text() == "end"
        transcript.move_rows(-1)
        assert transcript.selected_text() == "ng long long long"
        transcript.toggle_mark()
        assert transcript.selected_text() == ""

        transcript.move_to_edge(end=False)
        transcript.move_in_row(end=False)
        transcript.begin_mark()
        transcript.move_words(1)
        transcript.move_words(1)
        assert transcript.selected_text() == "one two\n\nt"
        transcript.move_words(1)
        transcript.move_characters(1)
        assert transcript.selected_text() == "one two\n\nthree 日本"
        transcript.move_characters(-1)
        transcript.move_characters(-1)
        transcript.move_words(-1)
        assert transcript.selected_text() == "one two\n\nt"
        transcript.move_rows(2)
        transcript.select_row()
        assert transcript.selected_text().startswith("long long")
        transcript.end_marking()


async def test_the_view_follows_the_cursor(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(40))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        transcript: Transcript = app.transcript
        transcript.begin_marking()
        transcript.begin_mark()
        transcript.move_rows(-30)
        assert app.rows()[0] == "b29 r2"
        assert transcript.selected_text().split("\n")[0] == "b29 r2"
        transcript.move_pages(1)
        assert app.rows()[0] == "b29 r2"
        transcript.move_to_edge(end=True)
        assert transcript.follow
        assert "b39 r2" in app.rows()


async def test_an_empty_transcript_has_no_cursor(kit: SimpleNamespace) -> None:
    app = kit.App()
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        assert not app.transcript.begin_marking()
        app.transcript.move_rows(1)
        app.transcript.move_to_edge(end=True)


def rows(text: str, width: int = 40) -> Any:
    block = AssistantBlock()
    block.append_text(text)
    return block.lines(width, ViewOptions(shipped_theme("dark")))


def test_code_is_copied_as_it_was_written() -> None:
    long = "x = [" + "1, " * 30 + "]"
    code = f"```py\n\tif x:\n\n\t\t{long}\n```\n"
    lines = rows(f"a\n\n{code}\n> 1. q\n>    ```\n>    y\n>      z\n>    ```\n\n    indented\n")
    rules = [at for at, line in enumerate(lines) if line.action_ids]
    codes = [code_at(lines, at) for at in rules]
    first, quoted = f"\tif x:\n\n\t\t{long}", "y\n  z"
    assert codes == [first, first, quoted, quoted, "indented", "indented"]
    assert code_at(lines, 1) is None


def test_code_that_is_still_written_can_be_copied() -> None:
    lines = rows("```py\na\nb")
    assert code_at(lines, 1) == "a\nb"


MOVES: list[Callable[[Caret], object]] = [
    lambda caret: caret.move_rows(1),
    lambda caret: caret.move_rows(-2),
    lambda caret: caret.move_characters(1),
    lambda caret: caret.move_characters(-1),
    lambda caret: caret.move_words(1),
    lambda caret: caret.move_words(-1),
    lambda caret: caret.move_to_end(end=True),
    lambda caret: caret.move_to_end(end=False),
    lambda caret: caret.set_mark(),
]
TEXTS = st.lists(st.text("a b\t漢👨‍👩‍👧e\u0301[/]\n", max_size=30), min_size=1, max_size=4)


@given(TEXTS, st.lists(st.sampled_from(MOVES), max_size=25), st.integers(2, 12))
@settings(max_examples=150, deadline=None)
def test_no_move_leaves_the_text(
    texts: list[str], moves: list[Callable[[Caret], object]], width: int
) -> None:
    items, look = ItemList(), Look(shipped_theme("dark"), lambda: 0.0, "ctrl+o")
    look.width = width
    store = LineStore(items, look)
    for text in texts:
        items.append(UserBlock(text), 1)
    assert items.first is not None
    caret = Caret(items, store, items.first, 0)
    for move in moves:
        move(caret)
        line = store.render(caret.item).lines[caret.line]
        assert own_text(line) <= caret.x <= max(own_text(line), len(line.text))
        first, end = caret.cell
        assert caret.x == first < end
        if caret.selection is not None:
            assert caret.selection.start is not None
            assert caret.selection.end is not None
