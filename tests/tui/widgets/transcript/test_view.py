"""What the view shows, and what it costs: only the blocks that are seen are ever asked."""

from __future__ import annotations

import asyncio
import contextvars
import random
from types import SimpleNamespace
from typing import Any

import pytest
from rich.segment import Segment
from textual.geometry import Region

from pi_term.render.line import Line
from pi_term.testing.scripted import until
from pi_term.tui.widgets.transcript.pace import FlushPace
from pi_term.tui.widgets.transcript.paint import BAR
from pi_term.tui.widgets.transcript.store import MAX_LINES

SIZE = (40, 12)  # ten rows of transcript


def asked(blocks: list[Any]) -> int:
    return sum(block.asked for block in blocks)


async def test_the_first_paint_asks_only_what_is_seen(kit: SimpleNamespace) -> None:
    blocks = kit.numbered(10_000)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        assert app.rows()[-1] == "b9999 r2"
        assert asked(blocks) == 4
        assert asked(blocks[-4:]) == 4


async def test_scrolling_and_resizing_ask_only_what_comes_into_view(kit: SimpleNamespace) -> None:
    blocks = kit.numbered(10_000)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.scroll_lines(-30)
        assert asked(blocks) == 14
        app.transcript.scroll_lines(30)
        app.transcript.scroll_lines(-30)
        assert asked(blocks) == 14
        for block in blocks:
            block.asked = 0
        await pilot.resize_terminal(50, 12)
        await app.settle(pilot)
        assert asked(blocks) <= 5
        assert {width for block in blocks for width in block.widths[-block.asked :] if block.asked} == {
            50 - BAR
        }
        app.transcript.go_top()
        assert app.rows()[0] == "b0 r0"
        assert asked(blocks) <= 9


async def test_a_growing_block_is_the_only_one_asked(kit: SimpleNamespace) -> None:
    blocks = kit.numbered(500)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        before = asked(blocks[:-1])
        for n in range(5):
            blocks[-1].say(f" more{n}")
            app.transcript.touch("b499")
            await app.settle(pilot)
            assert app.rows()[-1].endswith(f"more{n}")
        assert asked(blocks[:-1]) == before
        assert blocks[-1].asked == 6


async def test_a_flush_that_is_due_in_no_time_is_not_left_out(
    kit: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A timer that is late before it has begun must not leave the view as it was for good."""
    monkeypatch.setattr(FlushPace, "delay", lambda self, now: 1e-9)
    blocks = kit.numbered(50)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        for n in range(3):
            blocks[-1].say(f" more{n}")
            app.transcript.touch("b49")
            await pilot.pause(0.05)
            assert app.rows()[-1].endswith(f"more{n}")


async def test_the_end_of_what_was_coming_is_shown_at_once(
    kit: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FlushPace, "delay", lambda self, now: 3600.0)
    blocks = kit.numbered(50)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        blocks[-1].say(" the end")
        app.transcript.touch("b49")
        await until(lambda: app.transcript._flush_timer is not None)
        app.transcript.hurry()
        await app.settle(pilot)
        assert app.rows()[-1].endswith("the end")


async def test_a_burst_of_touches_is_one_flush(kit: SimpleNamespace) -> None:
    blocks = kit.numbered(50)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        for _ in range(500):
            blocks[-1].say(".")
            app.transcript.touch("b49")
        await app.settle(pilot)
        assert blocks[-1].asked == 2
        assert app.rows()[-1].endswith("...")


async def test_a_change_out_of_sight_asks_nothing_and_moves_nothing(kit: SimpleNamespace) -> None:
    blocks = kit.numbered(50)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        rows, total = app.rows(), app.transcript.virtual_size.height
        blocks[3].say("\n" * 100)
        app.transcript.touch("b3")
        await app.settle(pilot)
        assert blocks[3].asked == 0
        assert app.rows() == rows
        app.transcript.append(kit.Block("n", "new"))
        await app.settle(pilot)
        assert app.transcript.virtual_size.height == total + 101


async def test_only_changed_rows_are_repainted(kit: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = kit.numbered(3)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        painted: list[Region] = []
        monkeypatch.setattr(app.transcript, "refresh", lambda *regions, **_: painted.extend(regions))
        blocks[1].text = "b1 r0\nb1 changed\nb1 r2"
        blocks[1].version += 1
        app.transcript.touch("b1")
        await app.settle(pilot)
        assert painted == [Region(0, 4, 40, 1)]
        app.transcript.touch("b1")
        app.transcript.touch("unknown")
        await app.settle(pilot)
        assert len(painted) == 1


async def test_nothing_runs_when_nothing_changes(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.touch("b49")
        await app.settle(pilot)
        running = [timer for timer in app.transcript._timers if timer._task and not timer._task.done()]
        assert running == []


async def test_changes_may_come_from_a_task_that_knows_nothing_of_the_app(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))

    async def agent() -> None:
        for n in range(3):
            app.transcript.append(kit.Block(f"x{n}", f"from outside {n}"))
            await asyncio.sleep(0.01)

    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        await asyncio.get_running_loop().create_task(agent(), context=contextvars.Context())
        await app.settle(pilot)
        assert app.rows()[-1] == "from outside 2"


async def test_kept_rows_are_bounded(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(1500, rows=8))
    async with app.run_test(size=(40, 30)) as pilot:
        await app.settle(pilot)
        for _ in range(480):
            app.transcript.scroll_page(-1)
        assert app.rows()[0] == "b0 r0"
        assert app.transcript._store.line_count <= MAX_LINES + 40


async def test_data_is_never_markup(kit: SimpleNamespace) -> None:
    texts = [
        "[/]",
        "[/bold] x",
        "[00] x",
        "[b + ",
        "latvec[0]",
        "[link=file:///etc]x[/link]",
        "[data: /m?id=1-6]",
    ]
    app = kit.App([kit.Block(str(n), text) for n, text in enumerate(texts)])
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        assert app.rows()[: len(texts)] == [text.rstrip() for text in texts]


@pytest.mark.parametrize("width", [20, 21, 33, 60, 300])
async def test_every_width_is_filled_exactly(kit: SimpleNamespace, width: int) -> None:
    text = "漢字かな交じり文 and ascii 🎉 e\u0301 " * 30
    app = kit.App([kit.Block(f"b{n}", text, spaced=True) for n in range(30)])
    async with app.run_test(size=(width, 12)) as pilot:
        await app.settle(pilot)
        app.transcript.scroll_lines(-7)
        strips = app.transcript.render_lines(Region(0, 0, *app.transcript.size))
        assert len(strips) == 10
        for strip in strips:
            assert sum(segment.cell_length for segment in strip) == strip.cell_length == width


async def test_rows_wider_than_they_should_be_are_cut(kit: SimpleNamespace) -> None:
    block = kit.Block("wide", "")
    block.lines = lambda width, view: [Line((Segment("漢" * 40),), "漢" * 40)]
    app = kit.App([block])
    async with app.run_test(size=(40, 12)) as pilot:
        await app.settle(pilot)
        assert app.rows()[0] == "漢" * 19


async def test_older_blocks_come_in_without_a_jump(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        end = app.rows()
        app.transcript.prepend(kit.numbered(700, start=1000))
        await app.settle(pilot)
        assert app.rows() == end
        app.transcript.scroll_lines(-20)
        there = app.rows()
        app.transcript.prepend(kit.numbered(300, start=2000))
        await app.settle(pilot)
        assert app.rows() == there
        app.transcript.go_top()
        assert app.rows()[0] == "b2000 r0"


async def test_the_top_is_that_of_what_comes_before_it_too(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.go_top()
        app.transcript.prepend(kit.numbered(30, start=1000))
        await app.settle(pilot)
        assert app.rows()[0] == "b1000 r0"
        app.transcript.scroll_lines(1)
        there = app.rows()
        app.transcript.prepend(kit.numbered(30, start=2000))
        await app.settle(pilot)
        assert app.rows() == there


async def test_blocks_can_be_taken_out(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(4))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.discard("b1")
        app.transcript.discard("unknown")
        await app.settle(pilot)
        assert app.rows()[:4] == ["b0 r0", "b0 r1", "b0 r2", "b2 r0"]
        app.transcript.clear()
        await app.settle(pilot)
        assert app.rows() == [""] * 10
        app.transcript.append(kit.Block("b1", "again"))
        await app.settle(pilot)
        assert app.rows()[0] == "again"


async def test_reading_goes_on_where_a_block_is_taken_out(kit: SimpleNamespace) -> None:
    app = kit.App(kit.numbered(50))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.scroll_lines(-60)
        app.transcript.scroll_lines(-1)
        block_id = app.rows()[0].split()[0]
        app.transcript.discard(block_id)
        await app.settle(pilot)
        assert app.rows()[0] == f"b{int(block_id[1:]) + 1} r0"
        assert not app.transcript.follow


async def test_a_touched_block_is_asked_though_only_time_went_on(kit: SimpleNamespace) -> None:
    block = kit.Block("tool", "")
    seconds = [1]
    block.lines = lambda width, view: kit.wrap(f"running {seconds[0]} s", width)
    app = kit.App([block])
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        seconds[0] = 2
        app.transcript.touch("tool")
        await app.settle(pilot)
        assert app.rows()[0] == "running 2 s"


async def test_all_blocks_open_and_close_together(kit: SimpleNamespace) -> None:
    blocks = [kit.Block(f"t{n}", f"t{n} head", more=f"t{n} body", expandable=True) for n in range(3)]
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.toggle_expanded("t1")
        assert app.rows()[:4] == ["t0 head", "t1 head", "t1 body", "t2 head"]
        app.transcript.expanded = True
        assert app.rows()[:3] == ["t0 head", "t0 body", "t1 head"]
        app.transcript.toggle_expanded("t0")
        assert app.rows()[:3] == ["t0 head", "t1 head", "t1 body"]
        app.transcript.expanded = False
        assert app.rows()[:4] == ["t0 head", "t1 head", "t2 head", ""]


async def test_what_opens_at_the_bottom_is_seen(kit: SimpleNamespace) -> None:
    blocks = [kit.Block(f"b{number}", f"row {number}") for number in range(20)]
    app = kit.App([*blocks, kit.Block("t", "head", expandable=True, more="body\n" * 3 + "body")])
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        assert app.rows()[-1].startswith("head")
        app.transcript.toggle_expanded("t")
        assert [row.split()[0] for row in app.rows()[-3:]] == ["head", "body", "body"]
        app.transcript.toggle_expanded("t")
        assert app.rows()[-1].startswith("head")


async def test_thinking_can_be_hidden(kit: SimpleNamespace) -> None:
    app = kit.App(
        [kit.Block("a", "said"), kit.Block("t", "thought", thinking=True), kit.Block("b", "said too")]
    )
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.hide_thinking = True
        assert app.rows()[:3] == ["said", "said too", ""]
        app.transcript.hide_thinking = False
        assert app.rows()[:3] == ["said", "thought", "said too"]


async def test_what_is_set_before_it_is_shown_holds(kit: SimpleNamespace) -> None:
    app = kit.App([kit.Block("t", "head", more="body", expandable=True)])
    app.transcript.expanded = True
    app.transcript.go_top()
    app.transcript.scroll_to_end()
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        assert app.rows()[:2] == ["head", "body"]


async def test_a_theme_change_asks_what_is_seen_again(kit: SimpleNamespace) -> None:
    blocks = kit.numbered(200)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.scroll_lines(-50)
        before, rows = asked(blocks), app.rows()
        app.transcript.set_theme(SimpleNamespace(name="other", version=2))
        await app.settle(pilot)
        assert asked(blocks) - before == 4
        assert app.rows() == rows


async def test_the_background_is_that_of_the_widget(kit: SimpleNamespace) -> None:
    blocks = kit.numbered(3)
    app = kit.App(blocks)
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        before = asked(blocks)
        app.transcript.styles.background = "#102030"
        await app.settle(pilot)
        for strip in app.transcript.render_lines(Region(0, 0, *app.transcript.size)):
            for segment in strip:
                assert segment.style is not None
                assert segment.style.bgcolor is not None
                assert segment.style.bgcolor.triplet == (0x10, 0x20, 0x30)
        assert asked(blocks) == before


async def test_blocks_refine_their_rows_in_idle_slices(kit: SimpleNamespace) -> None:
    block = kit.Block("code", "plain")
    slices = iter(["red", "green", "blue"])
    left = [3]

    def refine(budget: float) -> bool:
        if left[0]:
            left[0] -= 1
            block.text = next(slices)
            block.version += 1
        return left[0] > 0

    block.refine = refine
    app = kit.App([block])
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        while left[0]:
            await pilot.pause(0.02)
        await app.settle(pilot)
        assert app.rows()[0] == "blue"


def bother(app: Any, kit: SimpleNamespace, rnd: random.Random, number: int) -> None:
    """Something arrives, grows or vanishes while the person reads."""
    what = rnd.choice(["append", "grow", "prepend", "touch", "notice"])
    if what == "append":
        app.transcript.append(kit.Block(f"new{number}", f"new{number}\n" * rnd.randint(1, 30)))
    elif what == "prepend":
        app.transcript.prepend(kit.numbered(rnd.randint(1, 40), start=10_000 * (number + 1)))
    elif what == "notice":
        app.transcript.discard(f"b{rnd.randint(0, 20)}")
    else:
        block = rnd.choice(app.blocks[100:])
        if what == "grow":
            block.say("\ngrown" * rnd.randint(1, 8))
        app.transcript.touch(block.id)


@pytest.mark.parametrize("seed", range(4))
async def test_reading_back_is_never_disturbed(kit: SimpleNamespace, seed: int) -> None:
    rnd = random.Random(seed)
    app = kit.App(kit.numbered(170))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        app.transcript.scroll_lines(-100)
        top = app.rows()[0]
        for number in range(20):
            for _ in range(rnd.randint(1, 4)):
                bother(app, kit, rnd, number)
            if rnd.random() < 0.3:
                await pilot.resize_terminal(rnd.randint(20, 80), rnd.randint(8, 20))
            await app.settle(pilot)
            assert app.rows()[0] == top
            assert not app.transcript.follow
        app.transcript.scroll_to_end()
        app.transcript.append(kit.Block("end", "the end"))
        await app.settle(pilot)
        assert app.rows()[-1] == "the end"


@pytest.mark.parametrize("seed", range(3))
async def test_the_newest_row_is_always_shown_while_following(kit: SimpleNamespace, seed: int) -> None:
    rnd = random.Random(seed)
    app = kit.App(kit.numbered(60, rows=4))
    async with app.run_test(size=SIZE) as pilot:
        await app.settle(pilot)
        for number in range(12):
            text = f"newest {number}"
            app.transcript.append(kit.Block(f"n{number}", "x\n" * rnd.randint(0, 20) + text))
            if rnd.random() < 0.4:
                await pilot.resize_terminal(rnd.randint(20, 80), rnd.randint(5, 20))
            await app.settle(pilot)
            assert app.rows()[-1] == text
            assert app.transcript.scroll_y == app.transcript.max_scroll_y


async def test_each_width_looks_as_if_it_had_always_been_so(kit: SimpleNamespace) -> None:
    text = "漢字 and ascii, full-width ＡＢＣ and e\u0301 more " * 6
    app = kit.App([kit.Block(f"b{n}", f"{n} {text}") for n in range(20)])
    async with app.run_test(size=(42, 12)) as pilot:
        await app.settle(pilot)
        for width in range(41, 19, -2):
            await pilot.resize_terminal(width, 12)
            await app.settle(pilot)
            rows = [line.text.rstrip() for n in range(20) for line in kit.wrap(f"{n} {text}", width - BAR)]
            assert app.rows() == rows[-10:]
