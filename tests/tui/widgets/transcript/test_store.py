"""Rows are asked for once for each look, and only the latest are kept."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from pi_term.render.line import Line
from pi_term.tui.widgets.transcript.items import ItemList
from pi_term.tui.widgets.transcript.look import Look
from pi_term.tui.widgets.transcript.paint import Palette
from pi_term.tui.widgets.transcript.store import CARRIED, LineStore

PALETTE = Palette(Style(), Style(), Style(), Style(), Style(), Style(), Color(0, 0, 0), ())


def made(kit: SimpleNamespace, max_lines: int = 50) -> tuple[ItemList, Look, LineStore]:
    look = Look(kit.theme, lambda: 7.0, "ctrl+o")
    look.width = 30
    items = ItemList()
    return items, look, LineStore(items, look, max_lines)


def test_a_block_is_asked_once_for_each_look(kit: SimpleNamespace) -> None:
    items, look, store = made(kit)
    block = kit.Block("a", "text", more="more")
    item = items.append(block, 9)
    for _ in range(3):
        assert store.measure(item) == 1
        store.render(item)
    assert block.asked == 1
    assert items.rows == 1
    block.say("\nx")
    assert store.measure(item) == 2
    look.width = 20
    assert store.measure(item) == 2
    look.set_expanded(True)
    assert store.measure(item) == 3
    assert block.asked == 4


def test_an_invalid_block_is_asked_again_though_its_version_is_the_same(kit: SimpleNamespace) -> None:
    items, _, store = made(kit)
    block = kit.Block("a", "text")
    item = items.append(block, 1)
    store.render(item)
    store.invalidate(item)
    store.render(item)
    assert block.asked == 2


def test_kept_rows_are_bounded_but_never_those_that_are_seen(kit: SimpleNamespace) -> None:
    items, _, store = made(kit, max_lines=50)
    many = [items.append(kit.Block(f"b{n}", "\n".join("x" * 9)), 1) for n in range(40)]
    big = items.append(kit.Block("big", "\n".join("x" * 500)), 1)
    store.render(big)
    for item in many:
        store.render(item)
        store.trim({big.seq, item.seq})
        assert store.line_count <= 500 + 50
    assert big in store
    store.trim({many[-1].seq})
    assert store.line_count <= 50
    assert big not in store
    assert big.height == 500


def test_peeking_keeps_nothing(kit: SimpleNamespace) -> None:
    items, _, store = made(kit)
    item = items.append(kit.Block("a", "text"), 1)
    assert [line.source_text for line in store.peek(item)] == ["text"]
    assert store.line_count == 0


def test_rows_that_are_the_same_objects_are_not_painted_again(kit: SimpleNamespace) -> None:
    items, _, store = made(kit)
    frozen = [Line((Segment(f"row {n}"),), f"row {n}") for n in range(3)]
    block = kit.Block("a", "")
    tail = ["a", "b"]
    block.lines = lambda width, view: [*frozen, Line((Segment(tail[0]),), tail[0])]
    item = items.append(block, 1)
    before = [store.strip(store.render(item), n, PALETTE) for n in range(4)]
    tail.pop(0)
    block.version += 1
    after = [store.strip(store.render(item), n, PALETTE) for n in range(4)]
    assert [a is b for a, b in zip(after, before, strict=True)] == [True, True, True, False]
    assert after[3].text.rstrip() == "b"


def test_a_block_that_only_grows_costs_the_same_each_time(kit: SimpleNamespace) -> None:
    items, _, store = made(kit, max_lines=10_000)
    rows: list[Line] = []
    block = kit.Block("a", "")
    block.lines = lambda width, view: list(rows)
    item = items.append(block, 1)
    for n in range(3000):
        rows.append(Line((Segment(f"row {n}"),), f"row {n}"))
        block.version += 1
        rendered = store.render(item)
        for at in range(max(0, n - 20), n + 1):
            store.strip(rendered, at, PALETTE)
        assert len(rendered.strips) <= CARRIED + 21


def test_blocks_are_told_how_they_are_looked_at(kit: SimpleNamespace) -> None:
    items, look, store = made(kit)
    seen: list[Any] = []
    block = kit.Block("a", "", expandable=True)
    block.lines = lambda width, view: seen.append((width, view)) or []
    item = items.append(block, 1)
    look.toggle(block)
    assert store.measure(item) == 0
    width, view = seen[0]
    assert (width, view.expanded, view.hide_thinking, view.now) == (30, True, False, 7.0)
    assert (view.theme, view.expand_key) == (kit.theme, "ctrl+o")
