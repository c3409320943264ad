"""Following, jumping, clicking and selecting, as the mouse and the actions do it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from textual.events import MouseMove, MouseScrollDown, MouseScrollUp
from textual.pilot import Pilot

from pi_term.tui.widgets.transcript import Transcript

SIZE = (40, 12)  # ten rows of transcript, 39 columns of text and the thumb's
THUMB_X = 39


async def drag(pilot: Pilot[None], start: tuple[int, int], *points: tuple[int, int]) -> None:
    """Press at the first place, move over the others and let go at the last."""
    await pilot.mouse_down(Transcript, offset=start)
    for point in points:
        await pilot.hover(Transcript, offset=point)
    await pilot.mouse_up(Transcript, offset=points[-1])


def move_up_to_the_edge(app: Any) -> None:
    """A move as a terminal reports it, with the distance moved, which Pilot leaves out."""
    region = app.transcript.region
    app.mouse_position = region.offset
    app.screen._forward_event(MouseMove(None, region.x, region.y, 0, -5, 1, False, False, False))


def thumb_rows(app: Any) -> list[int]:
    return [y for y, row in enumerate(app.screen_rows()) if row.endswith("▐")]


async def wheel(app: Any, pilot: Pilot[None], events: int) -> None:
    """Turn the wheel over the transcript; up when negative."""
    event = MouseScrollUp if events < 0 else MouseScrollDown
    for _ in range(abs(events)):
        await pilot._post_mouse_events([event], Transcript, offset=(3, 3))
    await app.settle(pilot)


async def test_the_wheel_leaves_the_end_and_comes_back(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        end = app.rows()
        await wheel(app, pilot, -2)
        assert app.rows()[6] == end[0]
        assert not app.transcript.follow
        app.transcript.append(kit.Block("new", "new"))
        await app.settle(pilot)
        assert app.rows()[6] == end[0]
        await wheel(app, pilot, 2)
        assert not app.transcript.follow
        await wheel(app, pilot, 1)
        assert app.transcript.follow
        assert app.rows()[-1] == "new"


async def test_what_arrived_below_is_counted_and_one_click_away(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.scroll_page(-1)
        await app.settle(pilot)
        assert app.rows()[-1].endswith("↓ end")
        app.transcript.extend(kit.numbered(3, start=100))
        await app.settle(pilot)
        assert app.rows()[-1].endswith("↓ 3 new")
        app.transcript.scroll_lines(11)
        await app.settle(pilot)
        assert app.rows()[-1].endswith("↓ 2 new")
        await pilot.click(Transcript, offset=(34, 9))
        await app.settle(pilot)
        assert app.transcript.follow
        assert app.rows()[-1] == "b102 r2"
        assert app.facts == [(False, 0), (False, 3), (False, 2), (True, 0)]


async def test_a_block_that_continues_another_is_part_of_it(kit: SimpleNamespace) -> None:
    first, second = kit.Block("a", "one\ntwo"), kit.Block("b", "one\ntwo")
    second.continues = True
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.scroll_page(-1)
        app.transcript.extend([first, second])
        await app.settle(pilot)
        assert app.rows()[-1].endswith("↓ 1 new")
        assert app.transcript.copy_text().endswith("b49 r2\n\none\ntwo")


async def test_scrolling_by_pages_and_halves(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        top = app.rows()[0]
        app.transcript.scroll_page(-1)
        assert app.rows()[8] == top
        app.transcript.scroll_half_page(-1)
        assert app.rows()[:5].count(top) == 0
        app.transcript.scroll_half_page(1)
        assert app.rows()[8] == top
        app.transcript.scroll_page(1)
        assert app.transcript.follow
        app.transcript.go_top()
        assert app.rows()[0] == "b0 r0"
        assert not app.transcript.follow
        app.transcript.scroll_to_end()
        assert app.transcript.follow


async def test_the_thumb_can_be_dragged(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(20))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        assert thumb_rows(app) == [9]
        await drag(pilot, (THUMB_X, 9), (THUMB_X, 5), (THUMB_X, 4))
        assert thumb_rows(app) == [4]
        assert app.rows()[0] == "b7 r1"
        assert not app.transcript.follow
        await drag(pilot, (THUMB_X, 4), (20, 0))
        assert app.rows()[0] == "b0 r0"
        await drag(pilot, (THUMB_X, 0), (THUMB_X, 9))
        assert app.transcript.follow
        await pilot.click(Transcript, offset=(THUMB_X, 0))
        assert app.rows()[0] == "b0 r0"
        assert app.screen.selections == {}
        assert app.mouse_captured is None


async def test_pressing_the_thumb_moves_nothing_and_keeps_the_selection(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(400))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        await drag(pilot, (0, 2), (4, 2))
        selected = app.transcript.selected_text()
        rows = app.rows()
        await pilot.mouse_down(Transcript, offset=(THUMB_X, 9))
        await pilot.pause()
        assert app.rows() == rows
        await pilot.mouse_up(Transcript, offset=(THUMB_X, 8))
        assert app.transcript.selected_text() == selected == "b397"


async def test_the_wheel_and_the_thumb_as_people_want_them(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    app.transcript.wheel_lines = 1
    app.transcript.thumb = False
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        end = app.rows()
        await wheel(app, pilot, -2)
        assert app.rows()[2] == end[0]
        assert thumb_rows(app) == []
        event = MouseScrollUp(app.transcript, 3, 3, 0, 0, 0, False, True, False)
        app.transcript.on_mouse_scroll_up(event)
        assert app.rows()[7] == end[0]


async def test_content_that_fits_has_no_thumb(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(2))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        await wheel(app, pilot, -3)
        assert thumb_rows(app) == []
        assert app.transcript.follow
        await pilot.click(Transcript, offset=(THUMB_X, 5))


def tools(kit: SimpleNamespace, count: int = 12) -> list[Any]:
    more = "\n".join(f"out {n}" for n in range(30))
    return [
        kit.Block(
            f"t{n}", f"t{n} head\nt{n} foot", more=more, expandable=True, action_ids=("app.tools.expand",)
        )
        for n in range(count)
    ]


async def test_a_click_opens_a_tool_row_where_it_is(kit: SimpleNamespace) -> None:
    app = kit.App(tools(kit))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        rows = app.rows()
        assert rows[6] == "t10 head"
        await pilot.click(Transcript, offset=(3, 6))
        await app.settle(pilot)
        assert app.rows()[:8] == rows[:8]
        assert app.rows()[8] == "out 0"
        assert not app.transcript.follow
        assert ("t10", "app.tools.expand") in app.facts
        await pilot.click(Transcript, offset=(3, 6))
        await app.settle(pilot)
        assert app.rows() == rows
        assert app.transcript.follow


async def test_closing_a_row_from_further_down_shows_its_head(kit: SimpleNamespace) -> None:
    app = kit.App(tools(kit))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.toggle_expanded("t5")
        app.transcript.go_top()
        app.transcript.scroll_lines(20)
        assert app.rows()[0] == "out 8"
        app.transcript.toggle_expanded("t5")
        assert app.rows()[0] == "t5 head"


async def test_rows_out_of_sight_open_without_a_move(kit: SimpleNamespace) -> None:
    app = kit.App(tools(kit))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        rows = app.rows()
        app.transcript.toggle_expanded("t0")
        app.transcript.toggle_expanded("unknown")
        await app.settle(pilot)
        assert app.rows() == rows
        app.transcript.go_top()
        assert app.rows()[2] == "out 0"


async def test_clicks_elsewhere_are_told_and_open_nothing(kit: SimpleNamespace) -> None:
    app = kit.App([kit.Block("a", "text\nmore", expandable=True, more="hidden")])
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        await pilot.click(Transcript, offset=(1, 1))
        await pilot.click(Transcript, offset=(1, 7))
        await app.settle(pilot)
        assert app.facts == [("a", "")]
        assert app.rows()[2] == ""


async def test_a_drag_is_no_click(kit: SimpleNamespace) -> None:
    app = kit.App(tools(kit, 2))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        await drag(pilot, (0, 0), (5, 0))
        assert app.rows()[2] == "t1 head"
        assert app.transcript.selected_text() == "t0 hea"
        await pilot.click(Transcript, offset=(0, 0))
        assert app.rows()[2] == "t1 head", "the first click takes the selection away"
        assert app.transcript.selected_text() == ""
        await pilot.click(Transcript, offset=(5, 0))
        assert app.rows()[2] == "out 0"


async def test_it_never_takes_the_focus(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        await pilot.click(Transcript, offset=(3, 3))
        assert app.focused is None
        assert not app.transcript.can_focus
        await pilot.press("pageup", "up", "home")
        assert app.transcript.follow


async def test_jumping_from_prompt_to_prompt(kit: SimpleNamespace) -> None:
    blocks = kit.numbered(60)
    for n in (3, 20, 40, 59):
        blocks[n].prompt = blocks[n].spaced = True
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        seen = []
        for _ in range(4):
            app.transcript.jump_prompt(-1)
            seen.append(app.rows()[0])
        assert seen == ["b40 r0", "b20 r0", "b3 r0", "b0 r0"]
        app.transcript.scroll_lines(4)
        seen = []
        for _ in range(3):
            app.transcript.jump_prompt(1)
            seen.append(app.rows()[0])
        assert seen == ["b3 r0", "b20 r0", "b40 r0"]
        app.transcript.scroll_lines(1)
        app.transcript.jump_prompt(-1)
        assert app.rows()[0] == "b40 r0"
        app.transcript.jump_prompt(1)
        assert app.transcript.follow
        app.transcript.jump_prompt(1)
        assert app.rows()[-1] == "b59 r2"


PARAGRAPH = "The quick brown fox jumps over the lazy dog. " * 4


async def test_selected_text_has_no_wraps_and_no_padding(kit: SimpleNamespace) -> None:
    app = kit.App([kit.Block("p", PARAGRAPH + "\n    code 漢字\n\nend"), kit.Block("q", "next")])
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        await drag(pilot, (4, 0), (20, 5), (3, 8))
        expected = PARAGRAPH[4:].rstrip() + "\n    code 漢字\n\nend\nnext"
        assert app.transcript.selected_text() == expected
        await pilot.press("ctrl+c")
        assert app.clipboard == expected


async def test_the_selected_part_is_marked_and_only_it(kit: SimpleNamespace) -> None:
    app = kit.App([kit.Block("a", "漢字 and text\nsecond")])
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        plain = app.transcript.render_lines(app.transcript.size.region)
        await drag(pilot, (2, 0), (2, 1))
        await app.settle(pilot)
        marked = app.transcript.render_lines(app.transcript.size.region)
        changed = [
            "".join(segment.text for segment in row if segment.style != old_row._segments[0].style)
            for old_row, row in zip(plain[:3], marked, strict=False)
        ]
        assert changed == ["字 and text", "sec", ""]
        styles = [segment.style for row in marked for segment in row]
        assert all(style.color != style.bgcolor for style in styles), "selected text can be read"
        assert app.transcript.selected_text() == "字 and text\nsec"
        await pilot.click(Transcript, offset=(20, 5))
        await app.settle(pilot)
        assert app.transcript.render_lines(app.transcript.size.region) == plain


async def test_a_selection_stays_on_its_text(kit: SimpleNamespace) -> None:
    blocks = kit.numbered(50)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.scroll_lines(-20)
        await app.settle(pilot)
        rows = app.rows()
        await drag(pilot, (0, 1), (4, 3))
        text = app.transcript.selected_text()
        assert text == f"{rows[1]}\n{rows[2]}\n{rows[3][:5]}"
        app.transcript.prepend(kit.numbered(9, start=100))
        app.transcript.append(kit.Block("new", "new"))
        blocks[5].say("\nx\ny\nz")
        app.transcript.touch("b5")
        await app.settle(pilot)
        app.transcript.go_top()
        await pilot.resize_terminal(40, 15)
        await app.settle(pilot)
        assert app.transcript.selected_text() == text
        await pilot.resize_terminal(30, 15)
        await app.settle(pilot)
        assert app.transcript.selected_text() == ""


async def test_a_drag_beyond_the_view_means_what_can_be_seen(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.scroll_lines(-60)
        await app.settle(pilot)
        rows = app.rows()
        await pilot.mouse_down(Transcript, offset=(0, 6))
        await pilot.hover(Transcript, offset=(3, 7))
        await pilot.hover(offset=(3, 11))
        await pilot.mouse_up(offset=(3, 11))
        await app.settle(pilot)
        last = rows[9].removesuffix("↓ end").rstrip()
        assert app.transcript.selected_text() == "\n".join([*rows[6:9], last])


async def test_dragging_at_the_edge_scrolls_and_takes_the_selection_along(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        bottom = app.rows()[-1]
        await pilot.mouse_down(Transcript, offset=(6, 9))
        await pilot.hover(Transcript, offset=(0, 5))
        move_up_to_the_edge(app)
        while "b43 r0" not in app.rows():
            await pilot.pause(0.02)
        await pilot.mouse_up(Transcript, offset=(0, 0))
        text = app.transcript.selected_text()
        assert "b43 r0\nb43 r1" in text
        assert text.endswith(bottom)
        top = app.rows()[0]
        await pilot.pause(0.1)
        assert app.rows()[0] == top, "nothing scrolls on after the button is up"


async def test_two_clicks_select_a_word_and_three_a_paragraph(kit: SimpleNamespace) -> None:
    app = kit.App([kit.Block("a", "before\n" + PARAGRAPH), *kit.numbered(1)])
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        await pilot.click(Transcript, offset=(5, 1), times=2)
        assert app.transcript.selected_text() == "quick"
        await pilot.click(Transcript, offset=(5, 2), times=3)
        assert app.transcript.selected_text() == PARAGRAPH.rstrip()


async def test_copying_gives_the_original(kit: SimpleNamespace) -> None:
    app = kit.App([kit.Block("a", "**one**"), kit.Block("t", ""), kit.Block("b", "two")])
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        assert app.transcript.copy_text("a") == "**one**"
        assert app.transcript.copy_text("unknown") == ""
        assert app.transcript.copy_text() == "**one**\n\ntwo"
        app.transcript.text_select_all()
        await app.settle(pilot)
        assert app.transcript.selected_text() == "**one**\n\ntwo"


@pytest.mark.parametrize("at_end", [True, False])
async def test_selecting_while_an_answer_streams(kit: SimpleNamespace, at_end: bool) -> None:
    blocks = kit.numbered(20)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        if not at_end:
            app.transcript.scroll_lines(-5)
        await app.settle(pilot)
        text = app.rows()[3]
        await pilot.mouse_down(Transcript, offset=(0, 3))
        await pilot.hover(Transcript, offset=(3, 3))
        await pilot.hover(Transcript, offset=(5, 3))
        blocks[-1].say("\nmore\nand more")
        app.transcript.touch("b19")
        await app.settle(pilot)
        y = app.rows().index(text)
        assert y == (1 if at_end else 3)
        await pilot.mouse_up(Transcript, offset=(5, y))
        assert app.transcript.selected_text() == text[:6]
