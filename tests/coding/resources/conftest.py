"""A user's folder and a project in it, with files as people write them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.paths import AppPaths
from pi_term.coding.resources.listing import Listing
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.coding.resources.options import Kind, Layer, ResourceOptions
from pi_term.coding.resources.project import ProjectFolder


class Place:
    """A user's folder and a project `ws/project/sub` under one temporary root."""

    def __init__(self, root: Path, home: Path) -> None:
        self.home = home
        self.config = root / "cfg"
        self.ws = root / "ws"
        self.cwd = self.ws / "project" / "sub"
        self.cwd.mkdir(parents=True)
        (self.ws / ".git").mkdir()

    def put(self, path: Path, text: str | bytes = "") -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def template(self, name: str, text: str | bytes) -> Path:
        """A prompt template of the user's."""
        return self.put(self.config / "prompts" / f"{name}.md", text)

    def skill(self, folder: Path, name: str | None = None, about: str | None = None, body: str = "") -> Path:
        """A skill in `folder`; without `name`, it is called like that."""
        fields = {"name": name, "description": about if about is not None else f"About {folder.name}."}
        head = "".join(f"{key}: {value}\n" for key, value in fields.items() if value)
        return self.put(folder / "SKILL.md", f"---\n{head}---\n\n{body or f'BODY {folder.name}'}\n")

    def loader(
        self,
        *,
        trusted: bool = False,
        cwd: Path | None = None,
        explicit: Mapping[Kind, Sequence[Path]] | None = None,
        listed: Mapping[tuple[Layer, Kind], Listing] | None = None,
        **options: Any,
    ) -> ResourceLoader:
        paths = AppPaths.from_env({"PI_TERM_HOME": str(self.config)})
        project = ProjectFolder(cwd or self.cwd, trusted)
        return ResourceLoader(
            paths, project, ResourceOptions(explicit=explicit or {}, **options), listed or {}
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, Path(os.environ["HOME"]))
