"""The difference between two contents of a file, where no edits are known."""

from __future__ import annotations

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.coding.tools.edit.apply import Splice
from pi_term.coding.tools.edit.diff import EditDiff
from pi_term.coding.tools.edit.source import Source
from pi_term.coding.tools.encodings import encoding_of, has_nul

MAX_COMPARED_BYTES = 1024 * 1024
"""Larger contents are not compared: it would take seconds, and nobody reads that."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`details` as those of an edit; how many lines came and went.

    No lines differ where only line ends, a byte-order mark or the encoding do.
    """

    details: JsonObject
    added: int
    removed: int


def difference(old: bytes, new: bytes, path: str) -> Difference | None:
    """What has to change in `old` to make it `new`. Blocks for as long as that takes, up to a second.

    None for what is no text, or too long.
    """
    if max(len(old), len(new)) > MAX_COMPARED_BYTES or _is_binary(old) or _is_binary(new):
        return None
    source = Source(old)
    text = Source(new).text
    splices = [] if text == source.text else [Splice(0, len(source.text), text, text)]
    diff = EditDiff(source, splices, path)
    return Difference(diff.details(), diff.added, diff.removed)


def _is_binary(data: bytes) -> bool:
    return has_nul(data) and not encoding_of(data, whole=True).mark
