"""Differences as rows: one below the other, side by side, folded, copied."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.render.diff.model import diff_of_text
from pi_term.render.diff.view import SHORT, SIDE_BY_SIDE, DiffView
from pi_term.render.line import Line, ViewOptions, copied_text
from pi_term.render.theme import Theme, load_theme
from pi_term.render.tools.panel import Panel

DIFF = f"""\
     ...
  9 def a(x):
-10     return x + 1
+10     return x - 1
+11     # the end
 11 {""}
     ...
 40 tail = "a"
-41 gone = None
     ..."""


def panel(theme: Theme, width: int, *, expanded: bool = True) -> Panel:
    return Panel(width, ViewOptions(theme, expanded=expanded), "toolSuccessBg")


def rows_of(text: str, theme: Theme, width: int, *, expanded: bool = True) -> Sequence[Line]:
    rows = DiffView(diff_of_text(text, 1000), "a.py").rows(panel(theme, width, expanded=expanded))
    assert all(row.cell_length == width for row in rows)
    return rows


def test_one_below_the_other(theme: Theme) -> None:
    assert [row.text.rstrip() for row in rows_of(DIFF, theme, 60)] == [
        "  ⋯ 8 unchanged lines",
        "   9   def a(x):",
        "  10 -     return x + 1",
        "  10 +     return x - 1",
        "  11 +     # the end",
        "  12",
        "  ⋯ 28 unchanged lines",
        '  41   tail = "a"',
        "  41 -gone = None".replace("-g", "- g"),
        "  ⋯",
    ]


def test_side_by_side(theme: Theme) -> None:
    rows = rows_of(DIFF, theme, SIDE_BY_SIDE)
    halves = [tuple(half.rstrip() for half in row.text.split(" │ ")) for row in rows]
    assert halves == [
        ("  ⋯ 8 unchanged lines",),
        ("   9   def a(x):", " 9   def a(x):"),
        ("  10 -     return x + 1", "10 +     return x - 1"),
        ("", "11 +     # the end"),
        ("  11", "12"),
        ("  ⋯ 28 unchanged lines",),
        ('  40   tail = "a"', '41   tail = "a"'),
        ("  41 - gone = None", ""),
        ("  ⋯",),
    ]


def test_nothing_stands_beside_what_only_came_or_went(theme: Theme) -> None:
    assert not any("│" in row.text for row in rows_of("+1 a\n+2 b\n 1 c", theme, 200))


@pytest.mark.parametrize("width", [60, 200])
def test_copied_rows_are_a_difference_without_numbers(theme: Theme, width: int) -> None:
    rows = rows_of(DIFF, theme, width)
    assert copied_text(rows[1:5]) == (
        " def a(x):\n-    return x + 1\n+    return x - 1\n+    # the end\n".rstrip("\n")
        + ("\n" if width > 100 else "")
    )


def test_wrapped_lines_are_copied_as_one(theme: Theme) -> None:
    old, new = "value = " + "a + " * 60 + "b", "value = " + "a + " * 60 + "c"
    text = f"-1 {old}\n+1 {new}\n 2 end"
    for width in (50, 160):
        rows = rows_of(text, theme, width)
        assert len(rows) > 3
        assert copied_text(rows) == f"-{old}\n+{new}\n end"


@pytest.mark.parametrize("width", [60, 200])
def test_changed_words_stand_out(theme: Theme, width: int) -> None:
    grounds = {
        segment.text: segment.style.bgcolor
        for row in rows_of("-1 return x + first\n+1 return x + second\n", theme, width)
        for segment in row.segments
        if segment.style
    }
    for kind, word in (("Removed", "first"), ("Added", "second")):
        assert grounds[word] == theme.style(None, f"toolDiff{kind}WordBg").bgcolor
    assert grounds["return"] == theme.style(None, "toolDiffAddedBg").bgcolor


def test_changed_words_stand_out_without_colours_of_our_own() -> None:
    plain = {
        "name": "plain",
        "colors": {"toolDiffAdded": 2, "toolDiffRemoved": 1, "toolSuccessBg": "", "toolErrorBg": ""},
    }
    theme, _ = load_theme(plain)
    assert theme is not None
    segments = [part for row in rows_of("-1 x + first\n+1 x + second", theme, 60) for part in row.segments]
    assert [part.text for part in segments if part.style and part.style.reverse] == ["first", "second"]


def test_syntax_has_its_colours(theme: Theme) -> None:
    rows = rows_of('-1 x = "a"\n+1 x = "b"', theme, 60)
    strings = [part.style for row in rows for part in row.segments if part.text in ('"a"', "a")]
    assert strings
    assert strings[0] is not None
    assert strings[0].color == theme.style("syntaxString", "toolDiffRemovedWordBg").color


def test_a_string_that_is_open_in_the_old_text_does_not_colour_the_new_one(theme: Theme) -> None:
    rows = rows_of('-1 x = """\n+1 x = 1\n 2 y = 2', theme, 60)
    colours = {part.text: part.style.color for part in rows[2].segments if part.style}
    assert colours["2"] == theme.style("syntaxNumber").color


@pytest.mark.parametrize("width", [60, 200])
def test_long_differences_are_folded(theme: Theme, width: int) -> None:
    text = "\n".join(f"{sign}{n} line {n}" for n in range(1, 41) for sign in "-+")
    rows = rows_of(text, theme, width, expanded=False)
    shown = len(rows) - 1
    assert shown == SHORT
    hidden = 80 - shown * (1 if width == 60 else 2)
    assert rows[-1].text.strip() == f"…{hidden} more lines, ctrl+o"


def test_long_lines_are_cut_in_short(theme: Theme) -> None:
    rows = rows_of("-1 " + "x" * 1000 + "\n+1 y", theme, 60, expanded=False)
    assert len(rows) == 4
    assert rows[2].text.endswith("…")


TEXTS = st.lists(
    st.tuples(
        st.sampled_from("+- "),
        st.sampled_from(["a b", "a\tc", "中文 x", "x" * 99, "", "e\u0301 👨‍👩‍👧 f"]),
        st.booleans(),
    ),
    max_size=12,
)


@given(TEXTS, st.sampled_from([10, 33, 140, 161]), st.booleans())
def test_rows_are_as_many_as_promised_and_fit(
    theme: Theme, made: list[tuple[str, str, bool]], width: int, expanded: bool
) -> None:
    text = "\n".join(
        f"{sign}{n:3} {said}\n     ..." if gap else f"{sign}{n:3} {said}"
        for n, (sign, said, gap) in enumerate(made, 1)
    )
    rows = rows_of(text, theme, width, expanded=expanded)
    assert len(list(rows)) == len(rows)
    assert not any("\t" in row.text for row in rows)


def test_a_long_difference_costs_what_is_looked_at(theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"{sign}{n} value_{n} = {sign}{n}" for n in range(1, 1001) for sign in "-+")
    wrapped = 0
    original = Panel.rows

    def counting(self: Panel, *args: object, **more: object) -> list[Line]:
        nonlocal wrapped
        wrapped += 1
        return original(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Panel, "rows", counting)
    rows = DiffView(diff_of_text(text, 5000), "a.py").rows(panel(theme, 80))
    assert len(rows) == 2000
    assert rows[1500:1520][0].text.strip().startswith("751 - value_751")
    assert wrapped == 20


def test_old_numbers_may_be_longer_than_new_ones(theme: Theme) -> None:
    text = "\n".join([*(f"-{number:>3} a" for number in range(5, 10)), "  10 b"])
    assert rows_of(f"+  1 a\n{text}", theme, 161, expanded=False)
