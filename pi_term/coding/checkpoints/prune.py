"""Bounding what is kept: what the oldest sessions kept goes first."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pi_term.base.abort import Wanted, always, check
from pi_term.coding.checkpoints.blobs import Blob, BlobStore

_FILLED = 0.8  # of the bound: less is pruned less often
_YOUNG_SECONDS = 600.0  # what is kept just now may be named by an entry that is still to be written
_PIECE = 1 << 20
_NAMED = re.compile(rb'"digest": ?"([0-9a-f]{64})"')
_LONGEST_NAME = 76


def prune(store: BlobStore, sessions: Iterable[Path], max_bytes: int, *, wanted: Wanted = always) -> int:
    """Bring what is kept under `max_bytes`, if it is over; how many contents went. Blocks.

    `sessions` are the session files, newest first: what they name stays in this order as long as there is
    room. The rest goes, and what none of them names. Raises `AbortError` once `wanted()` is false.
    """
    blobs: dict[str, Blob] = {}
    for each in store.blobs():
        check(wanted)
        blobs[each.digest] = each
    if sum(each.size for each in blobs.values()) <= max_bytes:
        return 0
    staying = _staying(blobs, sessions, round(max_bytes * _FILLED), wanted)
    young = time.time() - _YOUNG_SECONDS
    removed = 0
    for each in blobs.values():
        check(wanted)
        if each.digest not in staying and each.used < young:
            with suppress(OSError):
                store.remove(each)
                removed += 1
    return removed


def _staying(blobs: dict[str, Blob], sessions: Iterable[Path], max_bytes: int, wanted: Wanted) -> set[str]:
    """The contents that fit, session by session; of the first session that does not, its newest."""
    staying: set[str] = set()
    room = max_bytes
    for path in sessions:
        named = [blobs[digest] for digest in named_digests(path, wanted) if digest in blobs]
        for each in sorted(named, key=lambda blob: blob.used, reverse=True):
            if each.digest in staying:
                continue
            room -= each.size
            if room < 0:
                return staying
            staying.add(each.digest)
    return staying


def named_digests(path: Path, wanted: Wanted = always) -> set[str]:
    """The contents that a session file names; none where it cannot be read."""
    found: set[str] = set()
    with suppress(OSError), path.open("rb") as file:
        rest = b""
        while piece := file.read(_PIECE):
            check(wanted)
            text = rest + piece
            found.update(digest.decode() for digest in _NAMED.findall(text))
            rest = text[-_LONGEST_NAME:]
    return found
