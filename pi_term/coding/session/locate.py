"""Where session files lie, and finding one of them.

Only names, times and first lines are read here, whatever the number and size of the files. All
functions read folders and files: they block.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.session.entries import SessionHeader
from pi_term.coding.session.folders import Home, files_in, folders_below, names_in
from pi_term.coding.session.header import HEAD_BYTES, parse_header

_VALID_ID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\Z")
_SHOWN = 5
_LISTED = "pi-term --resume shows those that there are."


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session file and its header; `here` says whether it belongs to the folder that was asked for."""

    path: Path
    header: SessionHeader
    here: bool


def folder_for_cwd(root: Path, cwd: str | Path) -> Path:
    """The folder below `root` for the sessions of the working directory `cwd`.

    Different directories may share one (`/a/b` and `/a-b`): the header tells whose a file is.
    """
    name = re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", str(cwd)))
    return root / f"--{name}--"


def valid_session_id(id: str) -> bool:
    """Whether people may give a session this id: letters, digits and inside also `.`, `_`, `-`."""
    return _VALID_ID.match(id) is not None


def read_head(path: Path) -> SessionHeader | None:
    """The header of a session file; None where there is no whole one or the file cannot be read."""
    try:
        with path.open("rb") as file:
            line, feed, _ = file.read(HEAD_BYTES).partition(b"\n")
    except OSError:
        return None
    return parse_header(line) if feed else None


def latest_for_cwd(folder: Path, cwd: str | Path) -> Path | None:
    """The session of `cwd` in `folder` that was written to last."""
    home = Home(cwd)
    for file in files_in(folder):
        header = read_head(file.path)
        if header is not None and home.has(header):
            return file.path
    return None


def with_id(id: str, *, cwd: str | Path, folder: Path) -> FoundSession | None:
    """The session of `cwd` in `folder` that has exactly this id."""
    for match in _by_id(id, folder, Home(cwd)):
        if match.here and match.header.id == id:
            return match
    return None


def find(spec: str, *, cwd: str | Path, folder: Path, root: Path | None = None) -> FoundSession:
    """The session that `spec` names: a path (relative to `cwd`), an id, or the beginning of an id.

    Ids are looked for in `folder` among the sessions of `cwd` first, then in all folders below `root`
    (and in `folder` among those of others); a whole id goes before beginnings, and both before a file
    of that name. Raises `PiTermError("no_session")`, and "ambiguous_session" where several begin like that.
    """
    if "/" in spec or os.sep in spec or spec.endswith(".jsonl") or os.path.isfile(os.path.join(cwd, spec)):
        return _by_path(spec, cwd)
    home = Home(cwd)
    matches = list(_by_id(spec, folder, home))
    here = [match for match in matches if match.here]
    if not here and root is not None:
        own = os.path.realpath(folder)
        for other in folders_below(root):
            if os.path.realpath(other) != own:
                matches.extend(_by_id(spec, other, home))
    if not matches and Path(cwd, spec).exists():
        return _by_path(spec, cwd)
    return _the_one(spec, here or matches)


def _by_path(spec: str, cwd: str | Path) -> FoundSession:
    path = Path(cwd, os.path.expanduser(spec))
    if not path.exists():
        raise PiTermError("no_session", f"There is no session file {path}.", _LISTED)
    # Opening what is no file, such as a pipe, could wait for ever.
    header = (read_head(path) if path.is_file() else None) or SessionHeader()
    return FoundSession(path, header, Home(cwd).has(header))


def _by_id(spec: str, folder: Path, home: Home) -> Iterator[FoundSession]:
    for each in names_in(folder):
        _, separator, id = each.name.removesuffix(".jsonl").partition("_")
        if separator and not id.startswith(spec):
            continue
        header = read_head(Path(each.path))
        if header is not None and header.id.startswith(spec):
            yield FoundSession(Path(each.path), header, home.has(header))


def _the_one(spec: str, matches: list[FoundSession]) -> FoundSession:
    exact = [match for match in matches if match.header.id == spec]
    candidates = exact or matches
    if not candidates:
        raise PiTermError("no_session", f"No session found that begins with '{spec}'.", _LISTED)
    if len(candidates) > 1:
        shown = ", ".join(match.header.id for match in candidates[:_SHOWN])
        more = f" and {len(candidates) - _SHOWN} more" if len(candidates) > _SHOWN else ""
        raise PiTermError(
            "ambiguous_session",
            f"Several sessions begin with '{spec}': {shown}{more}.",
            "Give more of the id.",
        )
    return candidates[0]
