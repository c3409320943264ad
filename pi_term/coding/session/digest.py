"""What a list shows of one session, found without decoding more than what is shown."""

from __future__ import annotations

from pathlib import Path

from pi_term.base.abort import Wanted
from pi_term.base.json import JsonObject
from pi_term.base.text import shortened, without_surrogates
from pi_term.coding.session.index import entry_starts
from pi_term.coding.session.long_line import StringReader
from pi_term.coding.session.scan import LongLine, blocks, entries_of
from pi_term.coding.session.spoken import Keys, kind_and_role, texts_of

_SHOWN = 200
_READ = 800  # of a text, whose blanks are joined when it is shown
_ENTRY_MARK = b'","parentId":'  # stands once in a line that holds one entry
_USER_TEXT: tuple[Keys, ...] = (("message", "content"), ("message", "content", None, "text"))
_KIND: Keys = ("type",)
_ROLE: Keys = ("message", "role")


def digest_of(path: Path, wanted: Wanted) -> Digest:
    """Read a session file; blocks. Raises `OSError`, and `AbortError` once `wanted()` is false."""
    digest = Digest()
    for block in blocks(path, wanted):
        if isinstance(block, LongLine):
            digest.take_long(block)
        else:
            digest.take(block)
    return digest


class Digest:
    """What a list shows of the entries of a session, on all its branches.

    `name` is the last one people gave it. `messages` counts those that are not for the system.
    `first_message` is the beginning of the user's first words, in one line.
    """

    def __init__(self) -> None:
        self.name: str | None = None
        self.messages = 0
        self.first_message = ""

    def take(self, data: bytes) -> None:
        """Whole lines. Those in the usual key order are decoded only if what they hold is shown."""
        starts = entry_starts()
        at = 0
        while at < len(data):
            start, end = at, data.find(b"\n", at)
            if end < 0:
                end = len(data)
            at = end + 1
            found = starts.match(data, start, end)
            usual = found is not None and data.endswith(b"}", start, end)
            if found is None or not usual or data.count(_ENTRY_MARK, start, end) != 1:
                self._take_entries(data[start:end])
                continue
            kind, role = found.group(1, 5)
            if kind == b"session_info" or (kind == b"message" and self._shown(role)):
                self._take_entries(data[start:end])
            elif kind == b"message" and role != b"system":
                self.messages += 1

    def _shown(self, role: bytes | None) -> bool:
        return role is None or (role == b"user" and not self.first_message)

    def _take_entries(self, line: bytes) -> None:
        for entry in entries_of(line):
            kind, role = kind_and_role(entry)
            if kind == "session_info":
                self.name = _name(entry)
            elif kind == "message":
                self._count(role, " ".join(texts_of(entry, tool_results=False)) if role == "user" else "")

    def take_long(self, line: LongLine) -> None:
        """A line that cannot be held. Its head tells what it is, if it has the usual key order."""
        found = entry_starts().match(line.head)
        kind, role = found.group(1, 5) if found is not None else (b"message", None)
        if kind != b"message":
            return
        if role is None:
            self._take_strings(line)
            return
        begun = ""
        if self._shown(role):
            told = _Told()
            for fragment in line:
                told.reader.feed(fragment)
                if told.enough:
                    break
            begun = told.text
        line.skip()
        if line.ends_like_an_entry:
            self._count(role.decode(), begun)

    def _take_strings(self, line: LongLine) -> None:
        told = _Told()
        for fragment in line:
            told.reader.feed(fragment)
        if told.reader.complete and not told.reader.damaged and told.names[_KIND] == "message":
            self._count(told.names[_ROLE], told.text)

    def _count(self, role: str, text: str) -> None:
        self.messages += role != "system"
        if role == "user" and not self.first_message:
            self.first_message = _in_a_line(text)


class _Told:
    """What a long line turned out to be, and the beginning of its text."""

    def __init__(self) -> None:
        self.names = {_KIND: "", _ROLE: ""}
        self.text = ""
        self.reader = StringReader((*self.names, *_USER_TEXT), self._note)

    @property
    def enough(self) -> bool:
        """Whether there is more text than is shown."""
        return len(self.text) >= _READ

    def _note(self, way: Keys, text: str, ended: bool) -> None:
        if way in self.names:
            self.names[way] += text[:_SHOWN]
        elif not self.enough:
            self.text += text[:_READ] + " " * ended


def _name(entry: JsonObject) -> str | None:
    name = entry.get("name")
    return (name.strip() or None) if isinstance(name, str) else None


def _in_a_line(text: str) -> str:
    """The beginning of a text with single blanks between its words."""
    return shortened(without_surrogates(" ".join(text[:_READ].split())), _SHOWN)
