"""Where a search is to look."""

from __future__ import annotations

import os

from pi_term.agent.tools import ToolError
from pi_term.base.dataclass import dataclass
from pi_term.coding.tools.definition import ToolContext
from pi_term.coding.tools.files import told
from pi_term.coding.tools.paths import resolve_existing
from pi_term.coding.tools.search.paths import shown_path
from pi_term.coding.tools.search.program import Ripgrep


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, or the file `name` in it."""

    folder: str
    name: str | None = None

    @property
    def root(self) -> str:
        """The folder's path without `.` and `..`, as globs and people know it."""
        return os.path.normpath(self.folder)

    def ripgrep(self, context: ToolContext) -> Ripgrep:
        """Ripgrep for this place."""
        return Ripgrep(context.operations, self.folder, context.call.signal, context.ripgrep)


async def locate(path: str | None, context: ToolContext) -> Place:
    """The place that an argument names; without one, the working folder. Raises `ToolError`."""
    found = await resolve_existing(path or ".", context.cwd, context.operations)
    shown = _shown(found)
    with told("search", path or shown):
        status = await context.operations.status(found)
    if status is None:
        raise ToolError(f"Path not found: {shown}")
    if status.kind == "folder":
        return Place(found)
    if status.kind == "other":
        raise ToolError(f"Neither a file nor a directory: {shown}")
    return Place(*os.path.split(found))


async def locate_folder(path: str | None, context: ToolContext) -> Place:
    """As `locate`, for what must be a folder."""
    place = await locate(path, context)
    if place.name is not None:
        raise ToolError(f"Not a directory: {_shown(place.folder, place.name)}")
    return place


def _shown(*parts: str) -> str:
    return shown_path(os.path.normpath(os.path.join(*parts)))
