"""One theme for everything: pi-term's own, given to Textual under a name that is new each time."""

from __future__ import annotations

from typing import Any

from rich.color import ColorSystem
from textual.app import App
from textual.theme import Theme as TextualTheme

from pi_term.render.colour import luminance
from pi_term.render.theme import Theme
from pi_term.tui.driver import PiDriver

_MIDDLE = 0.179  # the luminance of a ground on which white and black are read equally well


def apply_theme(app: App[Any], theme: Theme) -> None:
    """Make `theme` the app's theme.

    Registering a theme anew under its old name changes nothing in Textual, so each has its version in
    its name.
    """
    name = f"{theme.name}-{theme.version}"
    app.register_theme(_textual_theme(name, theme))
    app.theme = name


def set_colour_depth(app: App[Any], true_color: bool | None) -> None:
    """Use 24-bit colours, or the 256 of older terminals; None: what the terminal is known for."""
    if true_color is not None:
        app.console._color_system = ColorSystem.TRUECOLOR if true_color else ColorSystem.EIGHT_BIT


def ask_terminal(app: App[Any]) -> None:
    """Ask the terminal for its background and keyboard; it answers with `TerminalColour` and
    `KeyboardReported`, or never."""
    if isinstance(app._driver, PiDriver):
        app._driver.write("\x1b]11;?\x1b\\\x1b[?u")


def is_light(rgb: tuple[int, int, int]) -> bool:
    """Whether a background is one for dark text."""
    return luminance("#{:02x}{:02x}{:02x}".format(*rgb)) > _MIDDLE


def _textual_theme(name: str, theme: Theme) -> TextualTheme:
    if theme.on_terminal_page:
        return _terminal_theme(name, theme)
    return TextualTheme(
        name=name,
        primary=theme.hex("accent"),
        secondary=theme.hex("border"),
        accent=theme.hex("accent"),
        warning=theme.hex("warning"),
        error=theme.hex("error"),
        success=theme.hex("success"),
        foreground=theme.hex("text"),
        background=theme.page_hex,
        surface=theme.page_hex,
        panel=theme.hex("selectedBg"),
        dark=theme.appearance == "dark",
        variables=theme.variables(),
    )


def _terminal_theme(name: str, theme: Theme) -> TextualTheme:
    """A theme in the terminal's own colours, which are sent as they are named."""
    variables = theme.variables()
    variables |= {"ansi-background": "ansi_default", "ansi-foreground": "ansi_default"}
    colour = {
        token: variables[f"pi-{token}"] for token in ("accent", "border", "warning", "error", "success")
    }
    return TextualTheme(
        name=name,
        primary=colour["accent"],
        secondary=colour["border"],
        accent=colour["accent"],
        warning=colour["warning"],
        error=colour["error"],
        success=colour["success"],
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        dark=theme.appearance == "dark",
        variables=variables,
        ansi=True,
    )
