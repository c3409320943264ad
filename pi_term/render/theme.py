"""A theme: every colour by its name in Pi's format, as Rich styles, as hex, as Textual variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from rich.color import Color
from rich.style import Style

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.json_locate import JsonFile, parse_json_file
from pi_term.render.colour import ANSI_HEX, Colour, blend, legible
from pi_term.render.theme_file import Appearance, ThemeSpec, read_theme, read_theme_file
from pi_term.render.theme_tokens import SYNTAX_TOKENS

_versions = count(1)
_CAPITAL = re.compile(r"(?=[A-Z])")
_TINTS = {"Bg": 0.1, "WordBg": 0.28}
"""How much of their ink is in the grounds of changed lines, and of the words that differ in them."""
_ANSI_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


class Theme:
    """Colours of one theme file. Immutable; `version` differs between any two themes of a process."""

    def __init__(self, spec: ThemeSpec) -> None:
        self.name = spec.name
        self.appearance: Appearance = spec.appearance
        self.colours: Mapping[str, Colour] = spec.colours
        self.export: Mapping[str, Colour] = spec.export
        self.version = next(_versions)
        self._grounds: Mapping[str, Colour] = _diff_grounds(spec.colours)
        self._drawn: Mapping[str, Colour] = {**spec.colours, **self._grounds}
        self._styles: dict[tuple[object, ...], Style] = {}

    def style(
        self,
        token: str | None,
        bg: str | None = None,
        *,
        bold: bool | None = None,
        italic: bool | None = None,
        underline: bool | None = None,
        strike: bool | None = None,
        dim: bool | None = None,
        reverse: bool | None = None,
    ) -> Style:
        """The style that draws in the colour `token`, on the colour `bg`; the same object every time.

        A token whose colour is the terminal's default sets no colour. Besides the tokens of the format
        there are `toolDiffAddedBg` and `toolDiffRemovedBg`, grounds for the lines of diffs, and
        `toolDiffAddedWordBg` and `toolDiffRemovedWordBg` for the words that differ in them; on these text
        is drawn lighter or darker where it could not be read. Raises `KeyError` for unknown names.
        """
        key = (token, bg, bold, italic, underline, strike, dim, reverse)
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = Style(
                color=None if token is None else _rich(self._ink(token, bg)),
                bgcolor=None if bg is None else _rich(self._drawn[bg]),
                bold=bold,
                italic=italic,
                underline=underline,
                strike=strike,
                dim=dim,
                reverse=reverse,
            )
        return style

    @property
    def marks_words(self) -> bool:
        """Whether the grounds of changed words differ from those of changed lines."""
        return self._drawn["toolDiffAddedBg"] != self._drawn["toolDiffAddedWordBg"]

    def _ink(self, token: str, bg: str | None) -> Colour:
        """The colour of text; on a ground that no theme file chose, one that can be read there."""
        ink, ground = self._drawn[token], self._grounds.get(bg or "")
        mixable = isinstance(ink, str) and isinstance(ground, str) and ink and ground
        return legible(str(ink), str(ground)) if mixable else ink

    def hex(self, token: str) -> str:
        """The colour as `#rrggbb`, guessed where the terminal decides."""
        colour = self._drawn[token]
        if isinstance(colour, int):
            return ANSI_HEX[colour]
        if colour:
            return colour
        dark_wanted = token.endswith("Bg") == (self.appearance == "dark")
        return "#000000" if dark_wanted else "#ffffff"

    @property
    def page_hex(self) -> str:
        """The background of the whole page, for the HTML export and for full-screen programs."""
        page = self.export.get("pageBg", "")
        if isinstance(page, int):
            return ANSI_HEX[page]
        return page or ("#000000" if self.appearance == "dark" else "#ffffff")

    @property
    def on_terminal_page(self) -> bool:
        """Whether the page is to be the terminal's own background, as the file says (`"pageBg": ""`)."""
        return self.export.get("pageBg") == ""

    def variables(self) -> dict[str, str]:
        """Textual variables: `pi-user-message-bg` and so on for each token, in Textual's colour syntax."""
        return {
            "pi-" + _CAPITAL.sub("-", token).lower(): _textual(colour)
            for token, colour in self.colours.items()
        }


def syntax_token(token_type: tuple[str, ...]) -> str:
    """The theme token that colours a Pygments token type (a tuple of names: Pygments is not needed here)."""
    kind = tuple(token_type)
    while kind:
        found = SYNTAX_TOKENS.get(kind)
        if found is not None:
            return found
        kind = kind[:-1]
    return "mdCodeBlock"


def load_theme(source: Path | str | Mapping[str, Any]) -> tuple[Theme | None, list[Diagnostic]]:
    """The theme in a file (a path), in a text of JSON (a string) or in decoded JSON.

    Faults come as diagnostics with file, line and key; what is not faulty is kept. None only when
    nothing is usable: no JSON, no name, no colours.
    """
    if isinstance(source, Path):
        spec, found = read_theme_file(source)
    elif isinstance(source, str):
        spec, found = read_theme(parse_json_file(None, source))
    else:
        spec, found = read_theme(JsonFile(None, data=dict(source)))
    return (None if spec is None else Theme(spec)), found


def _diff_grounds(colours: Mapping[str, Colour]) -> dict[str, Colour]:
    """The grounds of tool rows, tinted; untinted where colours are the terminal's affair."""
    grounds: dict[str, Colour] = {}
    for token, row in (("toolDiffAdded", "toolSuccessBg"), ("toolDiffRemoved", "toolErrorBg")):
        ground, ink = colours[row], colours[token]
        mixable = isinstance(ground, str) and isinstance(ink, str) and ground and ink
        for name, tint in _TINTS.items():
            grounds[f"{token}{name}"] = blend(str(ground), str(ink), tint) if mixable else ground
    return grounds


def _rich(colour: Colour) -> Color | None:
    if isinstance(colour, int):
        return Color.from_ansi(colour)
    return Color.parse(colour) if colour else None


def _textual(colour: Colour) -> str:
    if isinstance(colour, int):
        return f"ansi_{'bright_' if colour > 7 else ''}{_ANSI_NAMES[colour % 8]}"
    return colour or "ansi_default"
