"""Where skills and prompt templates are looked for, in the order in which they win."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.paths import AppPaths
from pi_term.coding.resources.options import Kind, Layer, ResourceOptions
from pi_term.coding.resources.project import ProjectFolder, agent_skills, home_folder

if TYPE_CHECKING:
    from pi_term.base.json import JsonObject
    from pi_term.coding.resources.listing import Listing, Listings

Source: TypeAlias = Literal["flag", "project", "user", "shipped"]

_SCOPES = {"flag": "temporary", "project": "project", "user": "user", "shipped": "user"}


class Origin(NamedTuple):
    """Who brought a resource along: `listed` by a flag or a settings file, or found in a usual folder.

    `base` is the folder that it belongs to.
    """

    source: Source
    listed: bool = False
    base: Path | None = None

    def to_json(self, path: Path) -> JsonObject:
        """What RPC clients are told of the file `path`."""
        told: JsonObject = {
            "path": str(path),
            "source": "local" if self.listed else "auto",
            "scope": _SCOPES[self.source],
            "origin": "top-level",
        }
        return told if self.base is None else {**told, "baseDir": str(self.base)}


class Place(NamedTuple):
    """A file or folder to look at. Where `loose`, single files of its own level count as skills.

    `listing` decides which files count.
    """

    path: Path
    origin: Origin
    loose: bool = True
    listing: Listing | None = None


class Surroundings:
    """All that decides where resources come from."""

    def __init__(
        self, paths: AppPaths, project: ProjectFolder, options: ResourceOptions, listings: Listings
    ) -> None:
        self._paths = paths
        self._project = project
        self._options = options
        self._listings = listings

    def places(self, kind: Kind, problems: list[Diagnostic]) -> Iterator[Place]:
        """The places that exist, those that win first: command line, trusted project, user."""
        for path in self._options.explicit.get(kind, ()):
            if os.path.exists(path):
                yield Place(path, Origin("flag", True, path if os.path.isdir(path) else path.parent))
            else:
                problems.append(Diagnostic("error", "does not exist", path))
        if kind in self._options.off:
            return
        project = self._project.path()
        if project is not None:
            yield from self._layer("project", kind, project, problems)
            if kind == "skills":
                yield from _agent_places(agent_skills(self._project.root), "project")
        yield from self._layer("user", kind, self._paths.config, problems)
        if kind == "skills":
            yield from _agent_places([home_folder() / ".agents" / "skills"], "user")

    def _layer(self, layer: Layer, kind: Kind, base: Path, problems: list[Diagnostic]) -> Iterator[Place]:
        listing = self._listings.get((layer, kind))
        for path in () if listing is None else listing.paths():
            if os.path.exists(path):
                yield Place(path, Origin(layer, listed=True), listing=listing)
            else:
                problems.append(Diagnostic("warning", "does not exist", path, key=kind))
        if os.path.isdir(base / kind):
            yield Place(base / kind, Origin(layer, base=base), listing=listing)


def _agent_places(folders: Iterator[Path] | list[Path], source: Layer) -> Iterator[Place]:
    """Folders that several agents share; there, only folders with a SKILL.md are skills."""
    for folder in folders:
        if os.path.isdir(folder):
            yield Place(folder, Origin(source, base=folder.parent), loose=False)
