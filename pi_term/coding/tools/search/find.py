"""`find`: files and folders by their names."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from pi_term.agent.tools import ToolResult
from pi_term.base.json import JsonObject
from pi_term.coding.tools.definition import ToolContext
from pi_term.coding.tools.search.definitions import FIND_LIMIT
from pi_term.coding.tools.search.globs import Glob, Test
from pi_term.coding.tools.search.hidden import Hidden, hidden_places
from pi_term.coding.tools.search.listing import list_paths
from pi_term.coding.tools.search.paths import FirstPaths, outside_git, shown_path
from pi_term.coding.tools.search.place import locate_folder
from pi_term.coding.tools.search.program import Ripgrep
from pi_term.coding.tools.search.report import Report
from pi_term.coding.tools.search.result import limit_note, search_result, unreadable_note, whole

_NOTHING = "No files found matching pattern"
_FILES = "--files"


async def find(args: JsonObject, context: ToolContext) -> ToolResult:
    """A call of the tool."""
    limit = whole(args.get("limit"), FIND_LIMIT)
    place = await locate_folder(args.get("path"), context)
    glob = Glob(args["pattern"], smart_case=True)
    fits = glob.test(place.root)
    ripgrep = place.ripgrep(context)
    finder = _Finder(fits, limit + 1)
    with_git = glob.mentions(".git")
    report = await list_paths(ripgrep, [_FILES], finder.take, with_git=with_git)
    finder.take(report.special if with_git else outside_git(report.special))
    finder.take_folders(report.ignored)
    hidden = await _hidden(ripgrep, report.ignored, fits)
    return await asyncio.to_thread(_result, finder.first, limit, report, hidden)


def _result(first: FirstPaths, limit: int, report: Report, hidden: Hidden) -> ToolResult:
    found = first.sorted()
    details: JsonObject = {}
    note = ""
    if len(found) > limit:
        details["resultLimitReached"] = limit
        note = limit_note("results", limit)
    lines = list(map(shown_path, found[:limit]))
    notes = [hidden.note(found_others=bool(lines)), unreadable_note(report.unreadable)]
    return search_result(lines, _NOTHING, details, note, notes)


async def _hidden(ripgrep: Ripgrep, ignored: Sequence[str], fits: Test) -> Hidden:
    """Ignored files and folders that fit, or hold files that do."""
    themselves = [path for path in ignored if fits(f"{path}/")]
    others = sorted(set(ignored).difference(themselves))
    inside = await hidden_places(ripgrep, others, [_FILES], fits)
    return Hidden(tuple(sorted((*themselves, *inside.places))), inside.unsure)


class _Finder:
    """Picks what fits from the files that there are, and the folders that hold them."""

    def __init__(self, fits: Test, most: int) -> None:
        self.first = FirstPaths(most)
        self._fits = fits
        self._folders: set[str] = set()

    def take(self, files: Sequence[str]) -> None:
        """Files that no ignore file leaves out."""
        self.first.add(filter(self._fits, files))
        self.take_folders(files)

    def take_folders(self, inside: Iterable[str]) -> None:
        """The folders above these paths."""
        known = self._folders
        for folder in {path.rpartition("/")[0] for path in inside} - known:
            while folder and folder not in known:
                known.add(folder)
                if self._fits(f"{folder}/"):
                    self.first.add((f"{folder}/",))
                folder = folder.rpartition("/")[0]
