"""The settings in groups, as people look for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pi_term.coding.settings.schema import SCHEMA, Setting

_BEGINNINGS = {
    "defaultProvider": "Model and thinking",
    "steeringMode": "Writing, keys and trust",
    "defaultTools": "Tools",
    "skills": "Skills, prompt templates, themes",
    "sessionDir": "Sessions and context",
    "plain": "Screen",
    "terminal.showImages": "Terminal",
    "images.autoResize": "Images for models",
    "spendLimit": "Spending",
    "httpProxy": "Network and retries",
    "ripgrepPath": "Programs and shell",
}


def grouped_settings() -> Iterator[tuple[str, Setting[Any]]]:
    """All settings in the order of the schema, each with its group, which begins at a key of the table."""
    group = ""
    for key, setting in SCHEMA.items():
        group = _BEGINNINGS.get(key, group)
        yield group, setting
