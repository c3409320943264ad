"""Where skills and prompt templates are looked for, in the order in which they win."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.json import JsonObject
from pi_term.base.paths import AppPaths
from pi_term.coding.resources.options import Kind, Layer, Listing, Listings, ResourceOptions
from pi_term.coding.resources.project import ProjectFolder, agent_skills, home_folder

Source: TypeAlias = Literal["flag", "project", "user", "shipped"]

_SCOPES = {"flag": "temporary", "project": "project", "user": "user", "shipped": "user"}


@dataclass(frozen=True, slots=True)
class Origin:
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


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder to look at. Where `loose`, single files of its own level count as skills.

    `listing` decides which files count.
    """

    path: Path
    origin: Origin
    loose: bool = True
    listing: Listing | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that decides where resources come from."""

    paths: AppPaths
    project: ProjectFolder
    options: ResourceOptions
    listings: Listings

    def places(self, kind: Kind, problems: list[Diagnostic]) -> Iterator[Place]:
        """The places that exist, those that win first: command line, trusted project, user."""
        for path in self.options.explicit.get(kind, ()):
            if os.path.exists(path):
                yield Place(path, Origin("flag", True, path if os.path.isdir(path) else path.parent))
            else:
                problems.append(Diagnostic("error", "does not exist", path))
        if kind in self.options.off:
            return
        project = self.project.path()
        if project is not None:
            yield from self._layer("project", kind, project, problems)
            if kind == "skills":
                yield from _agent_places(agent_skills(self.project.root), "project")
        yield from self._layer("user", kind, self.paths.config, problems)
        if kind == "skills":
            yield from _agent_places([home_folder() / ".agents" / "skills"], "user")

    def _layer(self, layer: Layer, kind: Kind, base: Path, problems: list[Diagnostic]) -> Iterator[Place]:
        listing = self.listings.get((layer, kind))
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
