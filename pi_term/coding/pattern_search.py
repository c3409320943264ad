"""Looking for a regular expression in what was said.

Ripgrep does the matching, in a process of its own: no pattern, however unlucky, takes more than time in
proportion to the text, and none holds up this process.
"""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from pi_term.base import json
from pi_term.base.abort import Wanted, check
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject
from pi_term.base.text import encode
from pi_term.coding.session import DatedFile, SearchHit
from pi_term.coding.session.folders import Home
from pi_term.coding.session.locate import read_head
from pi_term.coding.session.scan import LongLine, blocks, entries_of
from pi_term.coding.session.spoken import kind_and_role, texts_of

K = TypeVar("K")
PREFIX = "re:"
"""What a query begins with whose rest is a pattern."""

_AROUND = 60  # characters before and after a match
_BLANKS = re.compile(rb"[\x00-\x20]+")
_FAULT = re.compile(r"^error: (.*)$", re.MULTILINE)
_OPTIONS = ("--no-config", "--json", "--ignore-case", "--text", "--line-buffered", "--regexp")


def pattern_of(query: str) -> str | None:
    """The pattern of a query that is one; None for words."""
    query = query.strip()
    return query[len(PREFIX) :].strip() if query.startswith(PREFIX) else None


def matching(
    pattern: str, texts: Iterable[tuple[K, str]], wanted: Wanted
) -> Iterator[tuple[K, str, str, str]]:
    """Whatever text the pattern is found in: its key, and what stands before, in and after the first match.

    Blanks and line ends are single blanks. Letters match in either case. `texts` is read on a thread of its
    own. Blocks. Raises `AbortError` once `wanted()` is false, `PiTermError("bad_pattern")`, or "no_ripgrep".
    """
    if pattern:
        with _Matcher(pattern, texts, wanted) as matcher:
            yield from matcher.found()


def search_sessions_by_pattern(
    files: Iterable[DatedFile], pattern: str, *, cwd: Path | None, most_per_session: int, wanted: Wanted
) -> Iterator[SearchHit]:
    """Where the pattern is found in the sessions among `files`, in the order of these; see `matching`.

    Otherwise as `search_sessions`.
    """
    last, count = None, 0
    for (path, id, role), before, match, after in matching(pattern, _said(files, cwd, wanted), wanted):
        count = count + 1 if path == last else 1
        last = path
        if count <= most_per_session:
            yield SearchHit(path, id, role, before, match, after)


def _said(
    files: Iterable[DatedFile], cwd: Path | None, wanted: Wanted
) -> Iterator[tuple[tuple[Path, str | None, str], str]]:
    home = Home(cwd)
    for file in files:
        header = read_head(file.path)
        if header is not None and home.has(header):
            with suppress(OSError):
                for entry in _entries(file.path, wanted):
                    kind, role = kind_and_role(entry)
                    id = entry.get("id")
                    key = (file.path, id if isinstance(id, str) else None, role or kind)
                    for text in texts_of(entry, tool_results=False):
                        yield key, text


def _entries(path: Path, wanted: Wanted) -> Iterator[JsonObject]:
    for block in blocks(path, wanted):
        lines = [b"".join(block)] if isinstance(block, LongLine) else block.split(b"\n")
        for line in lines:
            yield from entries_of(line)


class _Matcher(Generic[K]):
    """One run of ripgrep."""

    def __init__(self, pattern: str, texts: Iterable[tuple[K, str]], wanted: Wanted) -> None:
        from pi_term.coding.tools.search.program import installed_program

        self._texts = texts
        self._wanted = wanted
        self._keys: list[K] = []  # of the lines that ripgrep gets
        self._failure: Exception | None = None
        pipe = subprocess.PIPE
        command = [installed_program(), *_OPTIONS, pattern, "-"]
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise PiTermError("no_ripgrep", f"Patterns need ripgrep, which cannot be run: {error}") from error
        self._feeder = threading.Thread(target=self._feed, name="pattern texts", daemon=True)

    def __enter__(self) -> _Matcher[K]:
        self._feeder.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._process.kill()
        self._process.wait()
        self._feeder.join()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def _feed(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            with stdin:
                for key, text in self._texts:
                    check(self._wanted)
                    self._keys.append(key)
                    stdin.write(_BLANKS.sub(b" ", encode(text)).strip() + b"\n")
        except BrokenPipeError:
            return  # it has ended: the pattern is none, or enough was found
        except Exception as error:  # noqa: BLE001 - raised again by whoever reads what is found
            self._failure = error

    def found(self) -> Iterator[tuple[K, str, str, str]]:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        for line in self._process.stdout:
            check(self._wanted)
            told: Any = json.loads(line)
            if told["type"] == "match":
                data = told["data"]
                yield self._keys[data["line_number"] - 1], *_parts(data)
        self._feeder.join()
        if self._failure is not None:
            raise self._failure
        if self._process.wait() > 1:
            fault = _FAULT.search(self._process.stderr.read().decode("utf-8", "replace"))
            raise PiTermError(
                "bad_pattern", f"No pattern: {fault[1] if fault is not None else 'not understood'}."
            )


def _parts(data: Any) -> tuple[str, str, str]:
    """What stands before, in and after the first match of a line."""
    line: bytes = data["lines"]["text"].encode().rstrip(b"\n")
    start, end = (data["submatches"][0][name] for name in ("start", "end"))
    before, match, after = (
        part.decode("utf-8", "replace") for part in (line[:start], line[start:end], line[end:])
    )
    return (
        f"…{before[-_AROUND:]}" if len(before) > _AROUND else before,
        match[: 4 * _AROUND],
        f"{after[:_AROUND]}…" if len(after) > _AROUND else after,
    )
