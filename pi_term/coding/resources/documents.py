"""Files that are read again only when they have changed."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import TypeAlias

from pi_term.base.errors import PiTermError
from pi_term.base.files import read_text
from pi_term.coding.resources.frontmatter import Document, read_document

_State: TypeAlias = tuple[int, int, int]


class Documents:
    """Skills and templates, by path. `known` are the keys that are looked for in their heads."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._read: dict[Path, tuple[_State, Document]] = {}

    def read(self, path: Path) -> Document:
        """The file as it is now; raises `PiTermError`."""
        state = _state(path)
        kept = self._read.get(path)
        if kept is not None and kept[0] == state:
            return kept[1]
        document = read_document(read_text(path), self._known)
        self._read[path] = (state, document)
        return document


def _state(path: Path) -> _State:
    try:
        status = os.stat(path)
    except OSError as error:
        raise PiTermError("unreadable", f"Cannot read {path}: {error.strerror}.") from error
    return status.st_ino, status.st_mtime_ns, status.st_size
