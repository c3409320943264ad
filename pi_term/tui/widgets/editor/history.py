"""Earlier prompts: kept in memory and in one JSON-lines file for each project.

A line is what `Draft.to_json` gives, without the cursor. The file is only ever appended to, in one write
each, so that several programs can share it; once it has grown large, the next program to read it keeps
its last part. A prompt that would fill the file by itself is remembered in memory only.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from pi_term.base.files import atomic_write, private_dir, write_all
from pi_term.base.json import JsonError, dumps, loads
from pi_term.base.log import log
from pi_term.tui.widgets.editor.paste import Draft

KEPT = 1000
"""Prompts that can be looked back at."""

_LINE_BYTES = 1 << 18
_READ_BYTES = 1 << 21
_SHRINK_BYTES = 1 << 23


class PromptHistory:
    """The prompts that were sent, oldest first. Without `path`, in memory only.

    The file is read when the first earlier prompt is asked for. Failing to read or write it is logged and
    costs only what outlives the program.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._loaded = path is None
        self._entries: list[Draft] = []
        self._unsent: list[Draft] = []  # remembered for this run only

    def turn_to(self, path: Path) -> None:
        """Go on with the prompts of another project, in another file; what was not sent stays at hand."""
        self.path, self._loaded = path, False
        self._entries = list(self._unsent)

    @property
    def entries(self) -> list[Draft]:
        """All prompts, oldest first; not to be changed by the caller."""
        self.load()
        return self._entries

    def load(self) -> None:
        """Read the file, once; worth calling when the program is idle."""
        if self._loaded or self.path is None:
            return
        self._loaded = True
        try:
            older = _read_tail(self.path)
            if older and self.path.stat().st_size > _SHRINK_BYTES:
                atomic_write(self.path, b"".join(map(_line, older)))
        except OSError as error:
            log.warning("cannot read the prompt history %s: %s", self.path, error)
            return
        self._entries = [*older, *self._entries][-KEPT:]

    def add(self, draft: Draft) -> None:
        """Remember a prompt, in the file too, unless it repeats the last one.

        What follows `/login` may be a key that somebody typed there: it is not kept.
        """
        text = draft.text
        repeated = bool(self.entries) and self._entries[-1].text == text
        if not text.strip() or repeated or text.lstrip().startswith("/login "):
            return
        self._keep(draft)
        if self.path is not None:
            try:
                _append(self.path, draft)
            except OSError as error:
                log.warning("cannot write the prompt history %s: %s", self.path, error)

    def remember(self, draft: Draft) -> None:
        """Remember a text for this run only."""
        self._unsent.append(self._keep(draft))
        del self._unsent[:-KEPT]

    def _keep(self, draft: Draft) -> Draft:
        kept = Draft(draft.parts, draft.length)
        self._entries.append(kept)
        del self._entries[:-KEPT]
        return kept

    def find(self, text: str) -> Draft | None:
        """The prompt that had this text, with its large pastes still folded."""
        size = len(text)
        same = (draft for draft in reversed(self._entries) if draft.size == size and draft.text == text)
        return next(same, None)


class Browser:
    """A walk through the history, beginning and ending at the draft. Changes to old prompts last as long."""

    def __init__(self, history: PromptHistory) -> None:
        self._history = history
        self._place: int | None = None
        self._texts: dict[int, Draft] = {}

    @property
    def active(self) -> bool:
        """Whether something older than the draft is shown."""
        return self._place is not None

    @property
    def draft(self) -> Draft | None:
        """The unsent draft that waits while an older prompt is shown."""
        return self._texts.get(len(self._history.entries)) if self.active else None

    def older(self, current: Draft) -> Draft | None:
        """The prompt before the one shown; None at the oldest. `current` is kept for the way back."""
        place = len(self._history.entries) if self._place is None else self._place
        return self._go(place, place - 1, current)

    def newer(self, current: Draft) -> Draft | None:
        """The prompt, or at last the draft, after the one shown; None when the draft is shown already."""
        return None if self._place is None else self._go(self._place, self._place + 1, current)

    def leave(self) -> None:
        """End the walk: what is in the editor now is the draft."""
        self._place = None
        self._texts.clear()

    def _go(self, place: int, target: int, current: Draft) -> Draft | None:
        entries = self._history.entries
        if target < 0:
            return None
        self._texts[place] = current
        shown = self._texts.get(target) or entries[target]
        self._place = target
        if target == len(entries):
            self.leave()
        return shown


def _line(draft: Draft) -> bytes:
    data = draft.to_json()
    del data["cursor"]
    return dumps(data) + b"\n"


def _append(path: Path, draft: Draft) -> None:
    line = _line(draft)
    if len(line) > _LINE_BYTES:
        return
    private_dir(path.parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        write_all(descriptor, line)
    finally:
        os.close(descriptor)


def _read_tail(path: Path) -> list[Draft]:
    with suppress(FileNotFoundError), path.open("rb") as file:
        start = max(file.seek(0, os.SEEK_END) - _READ_BYTES, 0)
        file.seek(start)
        lines = file.read().split(b"\n")
        # The first line of a tail is the end of one that began before it.
        found = [_parse(line) for line in (lines[1:] if start else lines)]
        return [draft for draft in found if draft is not None][-KEPT:]
    return []


def _parse(line: bytes) -> Draft | None:
    """A damaged line is skipped: it is somebody's interrupted write."""
    try:
        data = loads(line) if line.strip() else None
    except JsonError:
        return None
    return Draft.from_json(data) if isinstance(data, dict) else None
