"""`grep`: lines of files by what they hold.

Which files match is found first, by all cores and with one look at each. The lines are then taken from the
first of them: so the same search always gives the same lines, and a pattern that is everywhere costs no more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from pi_term.agent.tools import ToolError, ToolResult
from pi_term.base.abort import AbortController
from pi_term.base.json import JsonObject
from pi_term.coding.tools.definition import ToolContext
from pi_term.coding.tools.search.definitions import GREP_LIMIT, LONGEST_LINE
from pi_term.coding.tools.search.hidden import Hidden, hidden_places, with_ignored
from pi_term.coding.tools.search.listing import NOT_GIT, list_paths
from pi_term.coding.tools.search.matches import LINE_OPTIONS, Findings
from pi_term.coding.tools.search.paths import ROOT, FirstPaths, shown_path
from pi_term.coding.tools.search.place import locate
from pi_term.coding.tools.search.program import Ripgrep
from pi_term.coding.tools.search.question import Question
from pi_term.coding.tools.search.report import Report
from pi_term.coding.tools.search.result import limit_note, search_result, unreadable_note, whole

_NOTHING = "No matches found"
_FILES = "--files-with-matches"
_MOST_ARGUMENTS = 100_000
"""Bytes of paths that are given to one command; systems have a limit."""


async def grep(args: JsonObject, context: ToolContext) -> ToolResult:
    """A call of the tool."""
    limit = whole(args.get("limit"), GREP_LIMIT)
    question = Question.of(args)
    place = await locate(args.get("path"), context)
    ripgrep = place.ripgrep(context)
    files = FirstPaths(limit + 1)
    if place.name is None:
        report, hidden = await _search_folder(ripgrep, question, place.root, files)
    else:
        report, hidden = await _search_file(ripgrep, question, place.name, files), Hidden()

    findings = Findings(limit, whole(args.get("context"), 0, least=0))
    await _read_lines(ripgrep, question, files.sorted(), findings, is_chosen=place.name is not None)
    return await asyncio.to_thread(_result, findings, limit, report, hidden)


def _result(findings: Findings, limit: int, report: Report, hidden: Hidden) -> ToolResult:
    details: JsonObject = {}
    note = ""
    if findings.limit_reached:
        details["matchLimitReached"] = limit
        note = limit_note("matches", limit)
    notes: list[str] = []
    if findings.lines_cut:
        details["linesTruncated"] = True
        notes.append(f"Some lines truncated to {LONGEST_LINE} chars. Use read tool to see full lines")
    notes += [hidden.note(found_others=bool(findings.lines)), unreadable_note(report.unreadable)]
    return search_result(findings.lines, _NOTHING, details, note, notes)


async def _search_folder(
    ripgrep: Ripgrep, question: Question, root: str, files: FirstPaths
) -> tuple[Report, Hidden]:
    """Find the files that match, and whether there are others among ignored ones."""
    fits = question.test(root)
    narrowing = question.narrowing()
    is_git_wanted = question.glob is not None and question.glob.mentions(".git")
    where = [] if is_git_wanted else [NOT_GIT]
    arguments = [_FILES, *question.arguments(), *narrowing]

    def take(paths: list[str]) -> None:
        files.add(filter(fits, paths))

    # With narrowing, the log would tell of each file that was left out for its name.
    search = _matching(ripgrep, [*arguments, *where], take, debug=not narrowing)
    if narrowing:
        report, ignored = await with_ignored(ripgrep, search)
    else:
        report = await search
        ignored = report.ignored
    return report, await hidden_places(ripgrep, ignored, arguments, fits)


async def _search_file(ripgrep: Ripgrep, question: Question, name: str, files: FirstPaths) -> Report:
    roots = [f"{ROOT}{name}"]
    report = await _matching(ripgrep, [_FILES, *question.arguments()], files.add, roots, debug=False)
    if report.unreadable:
        raise ToolError(f"Cannot read {report.unreadable[0]}")
    return report


async def _matching(
    ripgrep: Ripgrep,
    arguments: Sequence[str],
    take: Callable[[list[str]], None],
    roots: Sequence[str] = (ROOT,),
    *,
    debug: bool,
) -> Report:
    try:
        return await list_paths(ripgrep, arguments, take, roots, debug=debug)
    except ToolError as error:
        raise ToolError(_advice(str(error))) from None


def _advice(failure: str) -> str:
    """What ripgrep says is wrong with a pattern, with what the tool can do about it."""
    if "is not allowed in a regex" in failure:
        return "pattern cannot hold a line break: each line is searched by itself."
    if "regex parse error" in failure:
        failure = failure.partition("\nConsider enabling")[0]
        return f"{failure}\nTo search for the text as it is, set literal."
    return failure


async def _read_lines(
    ripgrep: Ripgrep, question: Question, files: Sequence[str], findings: Findings, *, is_chosen: bool
) -> None:
    """Take lines from files that match, the first ones first.

    `is_chosen`: the file was named, so that it is searched as text whatever it is.
    """
    loop = asyncio.get_running_loop()
    text = ["--text"] if is_chosen else []
    around = [f"--context={findings.context}"]
    for batch in _batches(files):
        stop = AbortController()

        def feed(data: bytes, stop: AbortController = stop) -> None:
            findings.feed(data)
            if findings.is_full:
                with suppress(RuntimeError):  # the loop is closed: nobody waits for it any more
                    loop.call_soon_threadsafe(stop.abort)

        roots = [f"{ROOT}{path}" for path in batch]
        findings.expect(zip(roots, map(shown_path, batch), strict=True))
        arguments = [*LINE_OPTIONS, *around, *text, *question.arguments()]
        await ripgrep.run([*arguments, "--", *roots], feed, stop)
        if findings.is_full:
            return


def _batches(files: Sequence[str]) -> Iterator[Sequence[str]]:
    """The files in groups that fit on a command line."""
    start = size = 0
    for at, path in enumerate(files):
        size += 4 * len(path) + len(ROOT) + 1
        if size > _MOST_ARGUMENTS and at > start:
            yield files[start:at]
            start, size = at, 4 * len(path)
    if files:
        yield files[start:]
