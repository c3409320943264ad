"""Colours in all notations of theme files become the right sRGB."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.render.colour import AA, blend, contrast, from_index, legible, luminance, parse_colour


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("#0af", "#00aaff"),
        ("#00AAff", "#00aaff"),
        ("oklch(62.8% 0.2577 29.23)", "#ff0000"),
        ("oklch(45.2% 0.31321 264.052)", "#0000ff"),
        ("oklch(62% 0.1 200)", "#1c989e"),
        ("oklch(0.62, 25%, 200deg)", "#1c989e"),
        ("oklch(100% 0 0)", "#ffffff"),
        ("okhsl(29.2339 100% 56.8085%)", "#ff0000"),
        ("okhsl(109.769 1 0.9627)", "#ffff00"),
        ("okhsl(142.495 100% 84.4529%)", "#00ff00"),
        ("okhsl(194.769 100% 88.9848%)", "#00ffff"),
        ("okhsl(264.052 100% 36.6565%)", "#0000ff"),
        ("okhsl(328.363 100% 65.3299%)", "#ff00ff"),
        ("okhsl(10 0% 50%)", "#777777"),
        ("okhsl(10 50% 0%)", "#000000"),
        ("okhsl(10 50% 100%)", "#ffffff"),
    ],
)
def test_notations(text: str, colour: str) -> None:
    assert parse_colour(text) == colour


@pytest.mark.parametrize("text", ["red", "teal", "0", "accent", "rgb(1,2,3)"])
def test_other_texts_are_no_colours(text: str) -> None:
    assert parse_colour(text) is None


@pytest.mark.parametrize(
    "text", ["#12", "#12345g", "oklch(1 2)", "oklch(a b c)", "okhsl(nan 1 1)", "okhsl()"]
)
def test_broken_colours_are_told(text: str) -> None:
    with pytest.raises(ValueError, match="not a"):
        parse_colour(text)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-400, 800))
def test_any_amounts_give_a_colour(first: float, second: float, hue: float) -> None:
    for text in (f"oklch({first:f} {second:f} {hue:f})", f"okhsl({hue:f} {first:f} {second:f})"):
        colour = parse_colour(text)
        assert isinstance(colour, str)
        assert len(colour) == 7


def test_equal_okhsl_lightness_looks_equally_light() -> None:
    hues = [luminance(str(parse_colour(f"okhsl({hue} 80% 60%)"))) for hue in range(0, 360, 30)]
    assert max(hues) - min(hues) < 0.12


@pytest.mark.parametrize(
    ("index", "colour"),
    [
        (0, 0),
        (15, 15),
        (16, "#000000"),
        (39, "#00afff"),
        (231, "#ffffff"),
        (232, "#080808"),
        (255, "#eeeeee"),
    ],
)
def test_palette_indices(index: int, colour: str | int) -> None:
    assert from_index(index) == colour


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_blending() -> None:
    assert blend("#000000", "#ffffff", 0.5) == "#808080"
    assert blend("#102030", "#ffffff", 0) == "#102030"


HEX = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06x}")


@given(HEX, HEX)
def test_any_ink_can_be_made_legible(ink: str, ground: str) -> None:
    assert contrast(legible(ink, ground), ground) >= AA
    if contrast(ink, ground) >= AA:
        assert legible(ink, ground) == ink
