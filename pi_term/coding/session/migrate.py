"""Bringing session files of old versions to the current one.

Version 1 is a list without ids: each entry gets one, and the entry before it as its parent. Its
compactions count what they kept: `firstKeptEntryIndex` is the number of a record in the file, the header
being 0 and undecodable lines not counted. Up to version 2 the messages of extensions have the role
`hookMessage`. Everything else stays as it is, byte for byte, and so does what cannot be decoded. The same
file always becomes the same, ids included.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.base.files import write_all
from pi_term.base.json import JsonObject, dumps
from pi_term.coding.session.appender import locked, pieces, temporary_beside, write_new
from pi_term.coding.session.entries import CURRENT_VERSION, SessionHeader
from pi_term.coding.session.header import HEAD_BYTES, needs_upgrade, parse_header
from pi_term.coding.session.stored import decode_line, made_up_id

_BOM = b"\xef\xbb\xbf"
_TYPE = re.compile(rb'\s*\{\s*"type"\s*:\s*"[^"\\]*"\s*,')
_VERSION = re.compile(rb'("version"\s*:\s*)\d+')
_OLD_ROLE = re.compile(rb'("role"\s*:\s*)"hookMessage"')
_INDEX = re.compile(rb',\s*"firstKeptEntryIndex"\s*:\s*-?\d+(?:\.0+)?')


def upgrade_file(path: Path) -> Path | None:
    """Put the upgraded text of a session file in its place, atomically; returns where the old one is kept.

    None where there is nothing to upgrade any more: another process was quicker. Raises `OSError` and
    `PiTermError`; the file is as before then.
    """
    target = Path(os.path.realpath(path))
    with locked(target) as file, target.open("rb") as old, temporary_beside(target) as (temporary, new):
        header = parse_header(old.readline(HEAD_BYTES))
        if header is None or not needs_upgrade(header):
            return None
        old.seek(0)
        for piece in pieces(upgraded(old, header)):
            write_all(new, piece)
        os.fsync(new)
        status = file.status
        if old.tell() != status.st_size:
            raise PiTermError("session_write", f"Another program is writing to {target}.")
        os.utime(temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
        kept = _keep(target, f".v{1 if header.version < 2 else 2}")
        try:
            os.replace(temporary, target)
        except OSError:
            with suppress(OSError):
                kept.unlink()
            raise
        return kept


def upgraded_copy(path: Path) -> io.FileIO:
    """The upgraded text of a session file in a file without a name; raises `OSError`."""
    copy = _nameless()
    with path.open("rb") as old:
        header = parse_header(old.readline(HEAD_BYTES)) or SessionHeader()
        old.seek(0)
        for piece in pieces(upgraded(old, header)):
            write_all(copy.fileno(), piece)
    return copy


def upgraded(lines: Iterable[bytes], header: SessionHeader) -> Iterator[bytes]:
    """The lines of a session file with this header, as the current version has them."""
    each = iter(lines)
    yield _upgraded_header(next(each, b""))
    if header.version >= 2:
        for line in each:
            yield _with_new_role(line)
        return
    ids: list[str | None] = [None]
    taken: set[str] = set()
    previous: str | None = None
    for line in each:
        data = decode_line(line)
        if data is not None:
            id = _own_id(data)
            if id is None and _is_entry(data):
                id = made_up_id(line, previous or header.id, taken)
                line = _linked(line, data, id, previous)
            line = _with_kept_id(_with_new_role(line), ids)
            previous = id or previous
            taken.add(previous or "")
            ids.append(id)
        yield line


def _is_entry(data: JsonObject) -> bool:
    return isinstance(data.get("type"), str) and data["type"] != SessionHeader.type


def _own_id(data: JsonObject) -> str | None:
    """The id of an entry that is linked already, as a later version would."""
    id = data.get("id")
    return id if isinstance(id, str) and id and "parentId" in data and _is_entry(data) else None


def _upgraded_header(line: bytes) -> bytes:
    line = line.removeprefix(_BOM)
    data = decode_line(line) or {}
    replaced = _VERSION.sub(rb"\g<1>%d" % CURRENT_VERSION, line, count=1)
    inserted = _inserted(line, b'"version":%d,' % CURRENT_VERSION)
    return _changed(line, {**data, "version": CURRENT_VERSION}, replaced, inserted)


def _linked(line: bytes, data: JsonObject, id: str, parent_id: str | None) -> bytes:
    link = {"id": id, "parentId": parent_id}
    return _changed(line, {**data, **link}, _inserted(line, dumps(link)[1:-1] + b","))


def _with_new_role(line: bytes) -> bytes:
    if b"hookMessage" not in line:
        return line
    data = decode_line(line)
    message = data.get("message") if data is not None else None
    if data is None or not isinstance(message, dict) or message.get("role") != "hookMessage":
        return line
    wanted = {**data, "message": {**message, "role": "custom"}}
    return _changed(line, wanted, _OLD_ROLE.sub(rb'\1"custom"', line, count=1))


def _with_kept_id(line: bytes, ids: list[str | None]) -> bytes:
    """A compaction that names what it kept by its id, where `ids` has one for its number."""
    if b"firstKeptEntryIndex" not in line:
        return line
    data = decode_line(line)
    if data is None or data.get("type") != "compaction":
        return line
    index = data.get("firstKeptEntryIndex")
    if isinstance(index, bool) or not isinstance(index, int | float):
        return line
    number = int(index) if isinstance(index, int) or index.is_integer() else -1
    id = ids[number] if 0 <= number < len(ids) else None
    wanted = {key: value for key, value in data.items() if key != "firstKeptEntryIndex"}
    key = b""
    if id is not None:
        wanted["firstKeptEntryId"] = id
        key = b"," + dumps({"firstKeptEntryId": id})[1:-1]
    return _changed(line, wanted, _INDEX.sub(lambda _: key, line, count=1))


def _inserted(line: bytes, keys: bytes) -> bytes:
    """`keys` behind the type, where that comes first, so that the line is read without decoding it."""
    found = _TYPE.match(line)
    return line if found is None else line[: found.end()] + keys + line[found.end() :]


def _changed(line: bytes, wanted: JsonObject, *changed: bytes) -> bytes:
    """The first of the texts `changed` that says what is `wanted`, else `wanted` encoded."""
    for text in changed:
        if decode_line(text) == wanted:
            return text
    return dumps(wanted) + line[len(line.rstrip(b"\r\n")) :]


def _keep(path: Path, suffix: str) -> Path:
    """Give the file a second name beside it, one that is not taken."""
    for number in count(1):
        kept = path.with_name(f"{path.name}{suffix}{f'-{number}' if number > 1 else ''}")
        try:
            os.link(path, kept)
            return kept
        except FileExistsError:
            if kept.samefile(path):  # an upgrade was killed on the way
                return kept
        except OSError:  # file systems without hard links
            if kept.exists():
                continue
            with path.open("rb") as old:
                write_new(kept, iter(partial(old.read, 1 << 20), b""))
            shutil.copystat(path, kept)
            return kept
    raise AssertionError("numbers do not end")


def _nameless() -> io.FileIO:
    """A file that no name leads to, in memory where the system can do that."""
    try:
        return io.FileIO(os.memfd_create("pi-term-session"), "r+")
    except (AttributeError, OSError):
        with tempfile.TemporaryFile(buffering=0) as file:
            return io.FileIO(os.dup(file.fileno()), "r+")
