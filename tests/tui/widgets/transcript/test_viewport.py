"""What the person reads stays; what is at the end is shown while it is followed."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.tui.widgets.transcript.items import ItemList
from pi_term.tui.widgets.transcript.look import Look
from pi_term.tui.widgets.transcript.store import LineStore
from pi_term.tui.widgets.transcript.viewport import FAR, Viewport


class World:
    """Items and a viewport over them, without a terminal."""

    def __init__(self, kit: SimpleNamespace, width: int = 20, height: int = 10) -> None:
        self.kit = kit
        self.look = Look(kit.theme, lambda: 0.0, "ctrl+o")
        self.look.width = width
        self.items = ItemList()
        self.store = LineStore(self.items, self.look)
        self.viewport = Viewport(self.items, self.store)
        self.viewport.height = height
        self.count = 0

    def block(self, rows: int = 3) -> Any:
        self.count += 1
        return self.kit.Block(
            f"n{self.count}", "\n".join(f"n{self.count} row {r}, and some more words" for r in range(rows))
        )

    def append(self, rows: int = 3) -> Any:
        block = self.block(rows)
        self.items.append(block, block.estimate_height(self.look.width))
        return block

    def prepend(self, count: int) -> None:
        blocks = [self.block(random.Random(count + n).randint(1, 6)) for n in range(count)]
        self.items.prepend([(block, block.estimate_height(self.look.width)) for block in blocks])

    def shown(self) -> list[str]:
        return [self.store.render(item).lines[line].source_text for item, line in self.viewport.rows()]

    def last_row(self) -> str:
        item = self.items.last
        assert item is not None
        return self.store.render(item).lines[-1].source_text


def world(kit: SimpleNamespace, blocks: int = 40) -> World:
    made = World(kit)
    for n in range(blocks):
        made.append(1 + n % 5)
    return made


def test_the_end_is_followed_at_first(kit: SimpleNamespace) -> None:
    made = world(kit)
    assert made.viewport.following
    assert made.shown()[-1] == made.last_row()
    made.append()
    assert made.shown()[-1] == made.last_row()
    assert len(made.shown()) == 10


def test_scrolling_is_exact_though_heights_were_guessed(kit: SimpleNamespace) -> None:
    made = world(kit)
    everything: list[str] = [line.source_text for item in made.items for line in made.store.peek(item)]
    made.viewport.move(-7)
    assert made.shown() == everything[-17:-7]
    made.viewport.move(-50)
    assert made.shown() == everything[-67:-57]
    made.viewport.move(30)
    assert made.shown() == everything[-37:-27]
    made.viewport.move(26)
    assert not made.viewport.following
    made.viewport.move(1)
    assert made.viewport.following


def test_content_that_fits_is_always_followed(kit: SimpleNamespace) -> None:
    made = World(kit, width=60)
    made.append(4)
    made.viewport.move(-3)
    assert made.viewport.following
    assert len(made.shown()) == 4


def test_a_far_jump_measures_only_what_it_shows(kit: SimpleNamespace) -> None:
    made = world(kit, 3000)
    blocks = [item.block for item in made.items]
    made.viewport.move(-FAR - 1000)
    made.shown()
    assert sum(block.asked for block in blocks) < 30


def test_blocks_without_rows_are_passed_over(kit: SimpleNamespace) -> None:
    made = World(kit)
    for n in range(30):
        block = made.append(2)
        block.thinking = n % 3 == 0
    made.viewport.move(-20)
    made.look.hide_thinking = True
    rows = made.shown()
    assert len(rows) == 10
    made.viewport.move(-1000)
    assert made.shown()[0] == "n2 row 0, and some m"
    made.viewport.follow()
    assert made.shown()[-1] == made.last_row()


def test_when_the_anchored_block_hides_reading_goes_on_with_the_next(kit: SimpleNamespace) -> None:
    made = World(kit)
    blocks = [made.append(4) for _ in range(20)]
    blocks[5].thinking = True
    item = made.items.get(blocks[5].id)
    assert item is not None
    made.viewport.go_to(item, 2)
    made.look.hide_thinking = True
    assert made.shown()[0].startswith("n7 row 0")


def test_a_removed_block_makes_room_for_the_next(kit: SimpleNamespace) -> None:
    made = world(kit)
    item = made.items.get("n12")
    assert item is not None
    made.viewport.go_to(item, 1)
    made.viewport.leave(item)
    made.items.remove(item)
    made.store.forget(item)
    assert made.shown()[0].startswith("n13 row 0")


def test_a_row_can_be_held_where_it_is_on_the_screen(kit: SimpleNamespace) -> None:
    made = world(kit)
    item = made.items.get("n20")
    assert item is not None
    made.viewport.go_to(item, 0, y=4)
    assert made.viewport.rows()[4] == (item, 0)
    first = made.items.first
    assert first is not None
    made.viewport.go_to(first, 0, y=4)
    assert made.viewport.rows()[0] == (first, 0)


def change_elsewhere(made: World, rnd: random.Random) -> None:
    """Something that is none of the person's doing happens."""
    what = rnd.choice(["append", "prepend", "grow", "shrink", "remove", "rewrite"])
    if what == "append":
        made.append(rnd.randint(1, 12))
    elif what == "prepend":
        made.prepend(rnd.randint(1, 30))
    else:
        top = made.viewport.rows()[0][0]
        item = rnd.choice([item for item in made.items if item is not top or what == "grow"])
        if what == "grow":
            item.block.say("\n".join(["", *["grown"] * rnd.randint(1, 5)]))
        elif what == "remove":
            made.viewport.leave(item)
            made.items.remove(item)
            made.store.forget(item)
        else:
            item.block.text = "short" if what == "shrink" else "one\ntwo\nthree\nfour"
            item.block.version += 1


@given(st.integers(0, 10**6))
@settings(max_examples=80, deadline=None)
def test_nothing_that_happens_moves_what_is_read(kit: SimpleNamespace, seed: int) -> None:
    rnd = random.Random(seed)
    made = world(kit)
    for _ in range(25):
        act = rnd.random()
        if act < 0.2:
            made.viewport.move(rnd.randint(-40, 25))
        elif act < 0.3:
            made.viewport.height = rnd.randint(3, 15)
            made.viewport.settle()
        elif act < 0.35:
            made.viewport.follow()
        before = made.shown()
        change_elsewhere(made, rnd)
        made.store.trim(set())
        after = made.shown()
        if made.viewport.following:
            assert after[-1] == made.last_row()
        else:
            assert after[0] == before[0]


@given(st.integers(0, 10**6), st.lists(st.integers(3, 120), min_size=1, max_size=12))
@settings(max_examples=80, deadline=None)
def test_changes_of_width_keep_the_text_at_the_top(
    kit: SimpleNamespace, seed: int, widths: list[int]
) -> None:
    rnd = random.Random(seed)
    made = World(kit, width=20, height=8)
    for n in range(60):
        made.append(1 + n % 7)
    made.viewport.move(-rnd.randint(20, 100))
    if made.viewport.following:
        return
    top = made.shown()[0]
    start = text_before(made)
    for width in widths:
        made.look.width = width
        line = made.shown()[0]
        here = text_before(made)
        assert here <= start < here + max(1, len("".join(line.split())))
    made.look.width = 20
    assert made.shown()[0] == top


def text_before(made: World) -> int:
    """How much text is above the view, blanks not counted."""
    item, line = made.viewport.rows()[0]
    above = 0
    for other in made.items:
        lines = made.store.peek(other)
        if other is item:
            return above + sum(len("".join(row.source_text.split())) for row in lines[:line])
        above += sum(len("".join(row.source_text.split())) for row in lines)
    raise AssertionError("the shown item is gone")


@pytest.mark.parametrize("height", [1, 2, 30])
def test_every_height_works(kit: SimpleNamespace, height: int) -> None:
    made = world(kit)
    made.viewport.height = height
    assert len(made.shown()) == height
    made.viewport.move(-3)
    assert len(made.shown()) == height
