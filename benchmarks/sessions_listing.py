"""Listing and searching the sessions of thousands of files.

    python benchmarks/sessions_listing.py [FILES] [KILOBYTES]

Makes that many files (5,000) of that size (100) in a temporary folder, half of them for one working
directory. Prints seconds, the seconds until the first result, and the peak memory of a process that does
nothing else. Run it before and after a change of `coding/session/listing.py` or `search.py`.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from pi_term.base.json import JsonObject, dumps
from pi_term.coding.session import (
    files_below,
    files_in,
    folder_for_cwd,
    list_sessions,
    search_sessions,
)

RARE = "Zaphod"
PROJECTS = 24
TEXT = (
    "the session file holds one entry in each line and nobody reads all of them def return import self "
    "path naïve “quoted” — 日本 → error test fails because of a missing comma"
)
WORDS = TEXT.split()


def entry(number: int, kind: str, **fields: object) -> JsonObject:
    """An entry in the key order of the format."""
    parent = f"{number - 1:08x}" if number else None
    stamp = "2026-01-02T03:04:05.678Z"
    return {"type": kind, "id": f"{number:08x}", "parentId": parent, "timestamp": stamp, **fields}


def message(number: int, role: str, text: str) -> JsonObject:
    """A message entry with one block of text."""
    content = [{"type": "text", "text": text}]
    return entry(number, "message", message={"role": role, "content": content, "timestamp": 1})


def write_session(path: Path, id: str, cwd: str, size: int, chance: random.Random, extra: str) -> None:
    """Questions, answers and tool results of about `size` bytes; some output is coloured."""
    header = {"type": "session", "version": 3, "id": id, "timestamp": "2026-01-02T03:04:05.678Z", "cwd": cwd}
    lines = [dumps(header), dumps(message(0, "user", f"{extra} what is wrong with {id}?"))]
    written, number = 0, 1
    while written < size:
        text = " ".join(chance.choices(WORDS, k=chance.randrange(20, 600)))
        role = ("assistant", "toolResult", "user")[number % 3]
        colour = "\x1b[31m" if role == "toolResult" else ""
        lines.append(dumps(message(number, role, colour + text)))
        written += len(lines[-1])
        number += 1
    lines.append(dumps(entry(number, "session_info", name=f"Session {id}")))
    path.write_bytes(b"\n".join(lines) + b"\n")


def make(root: Path, count: int, size: int) -> None:
    """The files; the oldest one holds a word that no other has."""
    chance = random.Random(1)
    for number in range(count):
        cwd = "/projects/here" if number % 2 else f"/projects/other-{number % PROJECTS}"
        folder = folder_for_cwd(root, cwd)
        folder.mkdir(exist_ok=True)
        path = folder / f"2026-01-02T03-04-05-678Z_{number:06d}.jsonl"
        write_session(path, f"{number:06d}", cwd, size, chance, RARE if number == 0 else "")
        os.utime(path, (number, number))


def measured(what: str, results: Callable[[], Iterable[object]]) -> None:
    """Print what it takes to go through the results, in a process of its own."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    began, first, count = time.perf_counter(), 0.0, 0
    for _ in results():
        count += 1
        first = first or time.perf_counter() - began
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:34} {took:7.2f} s   first {first:6.3f} s   {count:6,} results   peak {peak:5.0f} MB")
    sys.stdout.flush()
    os._exit(0)


def main(count: int = 5000, kilobytes: int = 100) -> None:
    """Make the files, measure, take the files away."""
    with tempfile.TemporaryDirectory(prefix="pi-term-sessions-") as name:
        root = Path(name)
        make(root, count, kilobytes * 1000)
        here = folder_for_cwd(root, "/projects/here")
        measured("nothing", tuple)
        measured("names and times of all", lambda: files_below(root))
        measured("list of a folder", lambda: list_sessions(files_in(here), cwd="/projects/here"))
        measured("list of all", lambda: list_sessions(files_below(root)))
        for title, query in (
            ("a word in the oldest", RARE),
            ("a word nowhere", "Trillian"),
            ("a word with s, nowhere", "slartibartfast"),
            ("a word beyond ASCII, nowhere", "Ёлка"),
            ("a word in all", "comma"),
            ("words in all and in the oldest", f"the {RARE}"),
        ):
            measured(f"search: {title}", partial(search, root, query))


def search(root: Path, query: str) -> Iterable[object]:
    """Look for the query in all sessions."""
    return search_sessions(files_below(root), query)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
