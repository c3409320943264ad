"""What counts as a match, in texts, in rows and in stored lines."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment

from pi_term.render.line import Line
from pi_term.tui.widgets.transcript.found import Hit, Results
from pi_term.tui.widgets.transcript.query import Mark, Query


@pytest.mark.parametrize(
    ("query", "text", "count"),
    [
        ("needle", "A Needle, a NEEDLE", 2),
        ("two  words", "two\nwords two   words", 2),
        ("bold", "**bo**ld and `bold`", 2),
        ("a*b", "a*b", 1),
        ("**", "**x**", 2),
        ("[/bold]", "[/bold] [bold]", 1),
        ("größe", "GRÖSSE größe", 1),
        ("red", "\x1b[31mre\x1b[0md", 1),
        ("x", "", 0),
    ],
)
def test_what_counts(query: str, text: str, count: int) -> None:
    assert Query(query).count(text) == count


@given(st.text(min_size=1, max_size=12).filter(str.strip), st.text(max_size=20), st.text(max_size=20))
def test_a_line_that_may_not_hold_it_holds_it_not(word: str, before: str, after: str) -> None:
    query = Query(word)
    text = before + word + after
    for raw in (False, True):
        line = json.dumps({"text": text}, ensure_ascii=raw).encode("utf-8", "surrogatepass")
        assert query.may_be_in(line) or not query.count(text)


def test_nothing_cannot_be_looked_for() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Query("  ")


def test_matches_go_over_wraps_and_leave_decoration_out(kit: SimpleNamespace) -> None:
    lines = [
        Line((Segment("▌ "), Segment("the nee")), "the nee", soft_wrapped=True, indent=2),
        Line((Segment("▌ "), Segment("dle and  ")), "dle and ", soft_wrapped=True, indent=2),
        Line((Segment("▌ "), Segment("more")), "more", indent=2),
        Line((Segment("▌ needle"),), "needle", indent=2),
    ]
    query = Query("needle")
    found = [match for match in query.matches(lines) if match]
    assert found == [[Mark(0, 6, 9), Mark(1, 2, 5)], [Mark(3, 2, 8)]]
    assert [query.marks(lines, at) for at in range(4)] == [[(6, 9)], [(2, 5)], [], [(2, 8)]]
    assert [match for match in Query("and more").matches(lines) if match] == [[Mark(1, 6, 9), Mark(2, 2, 6)]]
    assert not [match for match in Query("▌").matches(lines) if match]


def results() -> Results:
    found = Results()
    for order, count in ((9, 1), (4, 3), (-2, 2)):
        found.put(f"b{order}", order, count)
    found.put("none", 5, 0)
    return found


def test_from_match_to_match() -> None:
    found = results()
    assert found.total == 6
    start = found.at_or_before(8)
    assert start == Hit("b4", 4, 2)
    assert start is not None
    assert found.place(start) == 5
    seen: list[tuple[int, int]] = []
    hit: Hit | None = start
    for _ in range(7):
        hit = found.following(hit)
        assert hit is not None
        seen.append((hit.order, hit.number))
    assert seen == [(9, 0), (-2, 0), (-2, 1), (4, 0), (4, 1), (4, 2), (9, 0)]
    back: list[tuple[int, int]] = []
    for _ in range(6):
        hit = found.preceding(hit)
        assert hit is not None
        back.append((hit.order, hit.number))
    assert back == [(4, 2), (4, 1), (4, 0), (-2, 1), (-2, 0), (9, 0)]


def test_blocks_that_change_keep_their_place() -> None:
    found = results()
    found.put("b4", 77, 1)
    assert (found.total, found.at_or_before(8)) == (4, Hit("b4", 4, 0))
    found.put("b4", 4, 0)
    assert (found.total, found.at_or_before(8)) == (3, Hit("b-2", -2, 1))
    # The match that is shown may be gone: its neighbours are still known.
    assert found.following(Hit("b4", 4, 2)) == Hit("b9", 9, 0)
    assert found.preceding(Hit("b4", 4, 2)) == Hit("b-2", -2, 1)
    assert Results().following(None) is None
    assert Results().at_or_before(0) is None
