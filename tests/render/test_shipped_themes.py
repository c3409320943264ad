"""The themes that come with the program are complete and readable."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.base.paths import shipped
from pi_term.render.colour import contrast
from pi_term.render.theme import Theme, load_theme
from pi_term.render.theme_tokens import ALL_TOKENS, SYNTAX_TOKENS

AA = 4.5
FILES = sorted(shipped("themes").glob("*.json"))

SYNTAX = {token for token in ALL_TOKENS if token.startswith("syntax")} | set(SYNTAX_TOKENS.values())
MARKDOWN = {
    *("text", "muted", "mdHeading", "mdLink", "mdLinkUrl", "mdCode", "mdCodeBlock", "mdQuote"),
    "mdListBullet",
} | SYNTAX
STATES = {"success", "error", "warning", "accent", "muted", "dim", "bashMode"}
DIFF = {"toolDiffAdded", "toolDiffRemoved", "toolDiffContext"}
ON_TOOLS = {"toolTitle", "toolOutput", "mdCodeBlock", "text"} | STATES | DIFF | SYNTAX

TEXT_ON = {
    "page": MARKDOWN | STATES | DIFF | {"thinkingText", "customMessageLabel"},
    "userMessageBg": MARKDOWN | STATES | {"userMessageText"},
    "customMessageBg": MARKDOWN | STATES | {"customMessageText", "customMessageLabel"},
    "toolPendingBg": ON_TOOLS,
    "toolSuccessBg": ON_TOOLS,
    "toolErrorBg": ON_TOOLS,
    **{
        f"toolDiff{kind}{ground}": {f"toolDiff{kind}", "mdCodeBlock"} | SYNTAX
        for kind in ("Added", "Removed")
        for ground in ("Bg", "WordBg")
    },
    "selectedBg": {"text", "accent", "muted", "dim"},
    "searchMatchBg": {"searchMatchText"},
}
"""Which colours of text are drawn on which background."""


def load(path: Path) -> Theme:
    theme, found = load_theme(path)
    assert [each.text() for each in found] == []
    assert theme is not None
    return theme


def test_a_dark_and_a_light_theme_ship() -> None:
    appearances = {path.stem: load(path).appearance for path in FILES}
    assert appearances["dark"] == "dark"
    assert appearances["light"] == "light"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_name_of_a_theme_is_its_file_name(path: Path) -> None:
    assert load(path).name == path.stem


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_text_reaches_wcag_aa(path: Path) -> None:
    theme = load(path)
    too_faint = []
    for background, tokens in TEXT_ON.items():
        behind = theme.page_hex if background == "page" else theme.hex(background)
        for token in sorted(tokens):
            ink = drawn(theme, token, background)
            ratio = contrast(ink, behind)
            if ratio < AA:
                too_faint.append(f"{token} {ink} on {background} {behind}: {ratio:.2f}")
    assert too_faint == []


def drawn(theme: Theme, token: str, background: str) -> str:
    """The colour in which text is drawn on a background."""
    colour = theme.style(token, None if background == "page" else background).color
    return colour.get_truecolor().hex if colour is not None and colour.triplet else theme.hex(token)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_changed_lines_and_words_are_seen(path: Path) -> None:
    theme = load(path)
    if not theme.marks_words:
        return
    for kind in ("Added", "Removed"):
        line, word = theme.hex(f"toolDiff{kind}Bg"), theme.hex(f"toolDiff{kind}WordBg")
        assert contrast(line, theme.hex("toolSuccessBg")) >= 1.1
        assert contrast(line, word) >= 1.2
        # Syntax colours stay what they are, only lighter or darker.
        assert len({drawn(theme, token, f"toolDiff{kind}WordBg") for token in SYNTAX}) > 4


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_searched_text_differs_from_its_ground_when_inverted(path: Path) -> None:
    theme = load(path)
    assert contrast(theme.hex("searchMatchBg"), theme.hex("searchMatchText")) >= AA
