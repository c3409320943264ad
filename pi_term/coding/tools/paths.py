"""Paths as models and people write them, turned into paths of the file system."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pi_term.agent.tools import ToolError

_SPACES = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_APOSTROPHES = re.compile("[\u2018\u2019\u02bc]")
_MAY_VARY = re.compile(r"[^\x00-\x7f]|[ ']")


def resolve(text: str, cwd: Path) -> Path:
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
        typed = cwd / os.path.expanduser(text)
        if text.startswith("@") and len(text) > 1 and not _is_begun(typed, cwd):
            typed = cwd / os.path.expanduser(text[1:])
        os.fsencode(typed)
    except UnicodeEncodeError:
        raise ToolError(f"path is not valid text: {text!r}") from None
    return typed


def resolve_existing(text: str, cwd: Path) -> Path:
    """As `resolve`, but a name that does not exist finds its look-alike.

    Screenshots and copied names hold other spaces, apostrophes or compositions of accents than people
    (and models) type. A name that exists as typed always wins; two look-alikes are none.
    """
    path = resolve(text, cwd)
    if os.path.lexists(path):
        return path
    return _look_alike(path) or path


def os_error_text(what: str, path: str, error: OSError) -> str:
    """`Cannot read x.txt: no such file or directory`: what was tried, the path as typed, the cause."""
    cause = error.strerror or str(error) or type(error).__name__
    return f"Cannot {what} {path}: {cause[:1].lower()}{cause[1:]}"


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


def _is_begun(path: Path, cwd: Path) -> bool:
    """Whether the path exists, or could be made in a folder of its first name (`@types/new.ts`)."""
    first = path.relative_to(cwd).parts[0]
    return os.path.lexists(path) or (cwd / first).is_dir()


def _look_alike(path: Path) -> Path | None:
    found = Path(path.anchor)
    for name in path.parts[1:]:
        step = found / name
        if not os.path.lexists(step):
            other = _name_like(found, name)
            if other is None:
                return None
            step = found / other
        found = step
    return found


def _name_like(folder: Path, name: str) -> str | None:
    if not _MAY_VARY.search(name):
        return None
    wanted = _plain(name)
    try:
        alike = [other for other in os.listdir(folder) if _plain(other) == wanted]
    except OSError:
        return None
    return alike[0] if len(alike) == 1 else None


def _plain(name: str) -> str:
    import unicodedata

    return _APOSTROPHES.sub("'", _SPACES.sub(" ", unicodedata.normalize("NFC", name)))
