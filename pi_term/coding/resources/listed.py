"""Which lists of files the settings give."""

from __future__ import annotations

from pathlib import Path

from pi_term.base.paths import AppPaths
from pi_term.coding.resources.listing import Listing, Listings
from pi_term.coding.resources.options import Kind, Layer
from pi_term.coding.resources.project import ProjectFolder
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore

_LISTS: dict[Kind, schema.Setting[tuple[str, ...]]] = {
    "skills": schema.SKILLS,
    "prompts": schema.PROMPTS,
    "themes": schema.THEMES,
}


def listings_of(settings: SettingsStore, paths: AppPaths, project: ProjectFolder) -> Listings:
    """The lists of files in the settings; their paths begin in the folder that the settings file is for."""
    bases: dict[Layer, Path | None] = {"user": paths.config, "project": project.path()}
    return {
        (layer, kind): Listing(base, given[layer])
        for kind, setting in _LISTS.items()
        if (given := settings.given(setting))
        for layer, base in bases.items()
        if base is not None and layer in given
    }
