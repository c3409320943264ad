"""Which theme a setting means on this terminal."""

from __future__ import annotations

from collections.abc import Mapping

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.paths import shipped
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.render.theme import Theme, load_theme


def choose_theme(
    setting: str, resources: ResourceLoader, env: Mapping[str, str]
) -> tuple[Theme, list[Diagnostic]]:
    """The theme, and what was wrong on the way to it; the shipped dark one if nothing else works.

    "system" is the shipped theme for the terminal's background, "one/other" a light and a dark one.
    """
    light = background_is_light(env)
    if setting == "system":
        name = "light" if light else "dark"
    elif "/" in setting:
        first, _, second = setting.partition("/")
        name = first if light else second
    else:
        name = setting
    found = resources.find("themes", name)
    if found is None:
        problem = Diagnostic(
            "warning", f'there is no theme "{name}"', key="theme", hint="the dark one is used"
        )
        return _fallback(), [problem]
    theme, problems = load_theme(found.path)
    return theme or _fallback(), problems


def background_is_light(env: Mapping[str, str]) -> bool:
    """What COLORFGBG (`foreground;background`, as colour numbers) says; dark where it says nothing."""
    background = env.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")


def _fallback() -> Theme:
    theme, problems = load_theme(shipped("themes") / "dark.json")
    if theme is None:
        raise RuntimeError("; ".join(problem.text() for problem in problems))
    return theme
