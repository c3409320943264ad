"""Items are found by row, id and order, whatever was added, removed or changed before."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.tui.widgets.transcript.items import CHUNK, Item, ItemList

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["append", "prepend", "remove", "height"]), st.integers(0, 10_000), st.integers(0, 9)
    ),
    max_size=60,
)


def fake(name: str) -> Any:
    return SimpleNamespace(id=name)


def check(items: ItemList, model: list[tuple[str, int]]) -> None:
    assert [(item.block.id, item.height) for item in items] == model
    assert len(items) == len(model)
    assert items.rows == sum(height for _, height in model)
    forward: list[Item] = []
    item = items.first
    while item is not None:
        forward.append(item)
        item = items.after(item)
    assert [item.block.id for item in forward] == [name for name, _ in model]
    item = items.last
    for expected in reversed(forward):
        assert item is expected
        item = items.before(expected)
    row = 0
    for item in forward:
        assert items.top(item) == row
        assert items.get(item.block.id) is item
        assert items.from_seq(item.seq) is item
        if item.height:
            assert items.at_row(row) == (item, 0)
            assert items.at_row(row + item.height - 1) == (item, item.height - 1)
        row += item.height


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_it_agrees_with_a_plain_list(steps: list[tuple[str, int, int]]) -> None:
    items, model = ItemList(), []
    for number, (step, where, size) in enumerate(steps):
        if step == "append":
            items.append(fake(f"a{number}"), size)
            model.append((f"a{number}", size))
        elif step == "prepend":
            older = [(f"p{number}.{n}", (size + n) % 7) for n in range(where % 400)]
            items.prepend([(fake(name), height) for name, height in older])
            model[:0] = older
        elif model:
            at = where % len(model)
            item = items.get(model[at][0])
            assert item is not None
            if step == "remove":
                items.remove(item)
                del model[at]
            else:
                items.set_height(item, size)
                model[at] = (model[at][0], size)
    check(items, model)


def test_rows_outside_are_the_nearest() -> None:
    items = ItemList()
    assert items.at_row(0) is None
    one, two = items.append(fake("1"), 2), items.append(fake("2"), 3)
    assert items.at_row(-5) == (one, 0)
    assert items.at_row(99) == (two, 2)


def test_the_place_of_a_removed_item_is_that_of_the_next() -> None:
    items = ItemList()
    many = [items.append(fake(str(n)), 1) for n in range(CHUNK * 2)]
    gone = many[CHUNK - 1]
    items.remove(gone)
    assert items.from_seq(gone.seq) is many[CHUNK]


def test_blocks_that_share_an_id_are_all_kept() -> None:
    items = ItemList()
    first, second = items.append(fake("x"), 1), items.append(fake("x"), 1)
    assert items.get("x") is second
    items.remove(first)
    assert items.get("x") is second
    assert list(items) == [second]
