"""A theme that is read once, and how rows look as text."""

from __future__ import annotations

import pytest

from pi_term.base.paths import shipped
from pi_term.render.line import ViewOptions
from pi_term.render.theme import Theme, load_theme


@pytest.fixture(scope="session")
def theme() -> Theme:
    loaded, _ = load_theme(shipped("themes") / "dark.json")
    assert loaded is not None
    return loaded


@pytest.fixture(scope="session")
def view(theme: Theme) -> ViewOptions:
    return ViewOptions(theme)
