"""The kill ring."""

from __future__ import annotations

from pi_term.tui.widgets.editor.killring import KillRing


def test_cuts_that_follow_each_other_grow_in_their_direction() -> None:
    ring = KillRing()
    ring.add(("b",), forward=True, grow=False)
    ring.add(("c",), forward=True, grow=True)
    ring.add(("a",), forward=False, grow=True)
    assert ring.newest == ("a", "b", "c")


def test_rotating_goes_through_the_older_cuts_and_round() -> None:
    ring = KillRing()
    for text in "abc":
        ring.add((text,), forward=True, grow=False)
    assert ring.newest == ("c",)
    assert [ring.rotate() for _ in range(3)] == [("b",), ("a",), ("c",)]


def test_nothing_is_nothing() -> None:
    ring = KillRing()
    ring.add((), forward=True, grow=True)
    assert ring.newest == ()
    assert ring.rotate() == ()
