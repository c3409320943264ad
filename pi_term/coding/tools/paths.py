"""Paths as models and people write them, turned into paths of the file system."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pi_term.agent.tools import ToolError
from pi_term.coding.tools.operations import Operations

_SPACES = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_APOSTROPHES = re.compile("[\u2018\u2019\u02bc]")
_MAY_VARY = re.compile(r"[^\x00-\x7f]|[ ']")


async def resolve(text: str, cwd: Path, operations: Operations) -> str:
    """The absolute path that `text` names, whether or not it exists; symbolic links are left alone.

    `~` and `~name` are home folders, `file://` addresses are decoded, and a leading `@` (from a mention) is
    dropped unless something of that name is there. Raises `ToolError` for what can be no path.
    """
    if not text:
        raise ToolError("path must not be empty.")
    if "\0" in text:
        raise ToolError("path must not contain a NUL character.")
    if text.startswith("file:"):
        text = _from_url(text)
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise ToolError(f"path is not valid text: {text!r}") from None
    if text.startswith("@") and len(text) > 1 and not await _is_begun(text, cwd, operations):
        text = text[1:]
    return os.path.join(cwd, await expand_home(text, operations))


async def resolve_existing(text: str, cwd: Path, operations: Operations) -> str:
    """As `resolve`, but a name that does not exist finds its look-alike.

    Screenshots and copied names hold other spaces, apostrophes or compositions of accents than people
    (and models) type. A name that exists as typed always wins; two look-alikes are none.
    """
    path = await resolve(text, cwd, operations)
    if not _MAY_VARY.search(path) or await operations.status(path) is not None:
        return path
    return await _look_alike(path, operations) or path


async def expand_home(path: str, operations: Operations) -> str:
    """The path with the home folder for a leading `~` or `~name`; names of nobody are left alone."""
    if not path.startswith("~"):
        return path
    user, slash, rest = path[1:].partition("/")
    home = await operations.home(user)
    return path if home is None else f"{home.rstrip('/')}{slash}{rest}" or "/"


def _from_url(text: str) -> str:
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(text)
    except ValueError:
        raise ToolError(f"path is not a valid file address: {text}") from None
    if parts.netloc not in ("", "localhost") or not parts.path:
        raise ToolError(f"path must be a file on this machine: {text}")
    path = unquote(parts.path)
    if "\0" in path:
        raise ToolError("path must not contain a NUL character.")
    return path


async def _is_begun(text: str, cwd: Path, operations: Operations) -> bool:
    """Whether the path exists, or could be made in a folder of its first name (`@types/new.ts`)."""
    first, slash, _ = text.partition("/")
    begin = await operations.status(os.path.join(cwd, first))
    return begin is not None and (not slash or begin.kind == "folder")


async def _look_alike(path: str, operations: Operations) -> str | None:
    """The one existing path that looks like this one, which does not exist."""
    found = "/"
    for name in filter(None, path.split("/")):
        step = os.path.join(found, name)
        if await operations.status(step) is None:
            other = await _name_like(found, name, operations)
            if other is None:
                return None
            step = os.path.join(found, other)
        found = step
    return found


async def _name_like(folder: str, name: str, operations: Operations) -> str | None:
    if not _MAY_VARY.search(name):
        return None
    wanted = _plain(name)
    try:
        names = [entry.name for entry in await operations.entries(folder)]
    except OSError:
        return None
    alike = [other for other in names if _plain(other) == wanted]
    return alike[0] if len(alike) == 1 and name not in names else None


def _plain(name: str) -> str:
    import unicodedata

    return _APOSTROPHES.sub("'", _SPACES.sub(" ", unicodedata.normalize("NFC", name)))
