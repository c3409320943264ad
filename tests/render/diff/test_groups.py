"""Old lines find what became of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_term.render.diff.groups import Changes, Group, groups_of
from pi_term.render.diff.model import DiffLine, Sign


def lines(*texts: str) -> list[DiffLine]:
    signs: dict[str, Sign] = {"+": "+", "-": "-", "~": "~"}
    return [DiffLine(signs.get(text[0], " "), text[1:]) for text in texts]


def pairs(*texts: str) -> list[tuple[str, str]]:
    all_lines = lines(*texts)
    changes = Changes(all_lines)
    return [
        ("" if old is None else all_lines[old].text, "" if new is None else all_lines[new].text)
        for group in changes.groups
        for old, new in changes.pairs(group)
    ]


def test_lines_that_are_alike_stand_side_by_side() -> None:
    assert pairs("-total = a + b", "+first line of something", "+total = a + c") == [
        ("", "first line of something"),
        ("total = a + b", "total = a + c"),
    ]


def test_others_are_paired_as_they_come() -> None:
    assert pairs("-one", "-two", "+three", " x", "-four", "+five", "+six") == [
        ("one", "three"),
        ("two", ""),
        ("four", "five"),
        ("", "six"),
    ]


def test_many_lines_are_not_compared_with_each_other() -> None:
    texts = [*(f"-a {n}" for n in range(1000)), *(f"+b {n}" for n in range(1000))]
    assert pairs(*texts) == [(f"a {n}", f"b {n}") for n in range(1000)]


TEXTS = st.lists(
    st.sampled_from([f"{sign}{text}" for sign in "+-  ~" for text in ("a b", "a c", "", "x y z")])
)


@given(TEXTS)
def test_every_changed_line_is_there_once_and_in_order(texts: list[str]) -> None:
    all_lines = lines(*texts)
    changes = Changes(all_lines)
    for sign, side in (("-", 0), ("+", 1)):
        found = [
            pair[side] for group in changes.groups for pair in changes.pairs(group) if pair[side] is not None
        ]
        assert found == [at for at, line in enumerate(all_lines) if line.sign == sign]
    for at in range(len(all_lines)):
        if (pair := changes.partner(at)) is not None:
            assert at in pair


def test_groups() -> None:
    assert groups_of(lines("-a", "+b", "+c", " d", "+e", "-f", "~", "-g")) == [
        Group(0, 1, 3),
        Group(4, 4, 5),
        Group(5, 6, 6),
        Group(7, 8, 8),
    ]
