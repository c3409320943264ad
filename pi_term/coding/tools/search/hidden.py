"""Whether ignore files hid something that was looked for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence

from pi_term.base.abort import AbortController
from pi_term.base.dataclass import dataclass
from pi_term.coding.tools.search.globs import Test
from pi_term.coding.tools.search.listing import NOT_GIT, list_paths
from pi_term.coding.tools.search.paths import ROOT, PathStream, shown_path
from pi_term.coding.tools.search.program import Ripgrep
from pi_term.coding.tools.search.report import Report
from pi_term.coding.tools.search.result import some_of

SECONDS = 0.3
"""How long a search among ignored files may take; they may be many."""
_MOST = 500


@dataclass(frozen=True, slots=True)
class Hidden:
    """Ignored files and folders (these end in a slash) with matches. `unsure`: there may be others."""

    places: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()

    def note(self, *, found_others: bool) -> str:
        """What to tell; of what is not sure only where nothing was found."""
        if self.places:
            return f"Ignore files hid matches: {some_of(list(map(shown_path, self.places)))}"
        if self.unsure and not found_others:
            return f"Not searched, as ignore files want it: {some_of(list(map(shown_path, self.unsure)))}"
        return ""


async def with_ignored(
    ripgrep: Ripgrep, search: Coroutine[None, None, Report]
) -> tuple[Report, tuple[str, ...]]:
    """The outcome of a search whose log does not say what was ignored; and that, found out beside it.

    If it takes longer than the search, it is not known.
    """
    loop = asyncio.get_running_loop()
    stop = AbortController()

    async def searched() -> Report:
        try:
            return await search
        finally:
            loop.call_later(SECONDS, stop.abort)

    listing = list_paths(ripgrep, ["--files"], None, stop=stop)
    outcomes = await asyncio.gather(searched(), listing, return_exceptions=True)
    reports: list[Report] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        reports.append(outcome)
    return reports[0], reports[1].ignored


async def hidden_places(
    ripgrep: Ripgrep,
    ignored: Sequence[str],
    arguments: Sequence[str],
    fits: Test,
) -> Hidden:
    """Look through what was `ignored` with `arguments`, which make ripgrep print the paths of files.

    `fits` tells which of these, and of the ignored ones themselves, would have been results.
    """
    if not ignored:
        return Hidden()
    tops = set(ignored)
    found: set[str] = set()

    def take(paths: list[str]) -> None:
        found.update(_place(path, tops) for path in paths if fits(path))

    stop = AbortController()
    timer = asyncio.get_running_loop().call_later(SECONDS, stop.abort)
    roots = [f"{ROOT}{path}" for path in ignored[:_MOST]]
    options = ["--null", "--no-ignore", "--no-messages", NOT_GIT]
    try:
        stream = PathStream(take)
        is_complete = await ripgrep.run([*options, *arguments, "--", *roots], stream.feed, stop)
    finally:
        timer.cancel()
    is_complete = is_complete and len(ignored) <= _MOST
    return Hidden(tuple(sorted(found)), () if is_complete else tuple(ignored))


def _place(path: str, tops: set[str]) -> str:
    """The ignored file or folder that a path is, or is in."""
    if path in tops:
        return path
    top = path
    while top and top not in tops:
        top = top.rpartition("/")[0]
    return f"{top}/" if top else path
