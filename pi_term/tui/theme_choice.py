"""Which theme a setting means on this terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.paths import shipped
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.render.theme import Theme, load_theme

SYSTEM = "system"
SYSTEM_LIGHT = "system-light"
"""The terminal's own colours, as they are used on a dark and on a light background."""


@dataclass(frozen=True, slots=True)
class ChosenTheme:
    """A theme, what was wrong on the way to it, and the file of the user's or the project's that it is in."""

    theme: Theme
    problems: tuple[Diagnostic, ...] = ()
    file: Path | None = None


def choose_theme(
    setting: str, resources: ResourceLoader, env: Mapping[str, str], light: bool | None = None
) -> ChosenTheme:
    """What `setting` means: a name, or a name for light and one for dark terminals as "one/other".

    `light` is what the terminal itself told of its background. Where nothing else works, the shipped dark
    theme is used.
    """
    name = theme_name(setting, background_is_light(env) if light is None else light)
    found = resources.find("themes", name)
    if found is None:
        problem = Diagnostic(
            "warning", f'there is no theme "{name}"', key="theme", hint="the dark one is used"
        )
        return ChosenTheme(_fallback(), (problem,))
    theme, problems = load_theme(found.path)
    own_file = None if found.source == "shipped" else found.path
    return ChosenTheme(theme or _fallback(), tuple(problems), own_file)


def theme_name(setting: str, light: bool) -> str:
    """The name of the theme that a setting means on a light or dark background."""
    if setting == SYSTEM:
        return SYSTEM_LIGHT if light else SYSTEM
    if "/" in setting:
        first, _, second = setting.partition("/")
        return theme_name(first if light else second, light)
    return setting


def background_is_light(env: Mapping[str, str]) -> bool:
    """What COLORFGBG (`foreground;background`, as colour numbers) says; dark where it says nothing."""
    background = env.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")


def _fallback() -> Theme:
    theme, problems = load_theme(shipped("themes") / "dark.json")
    if theme is None:
        raise RuntimeError("; ".join(problem.text() for problem in problems))
    return theme
