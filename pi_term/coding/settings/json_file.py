"""Changing a JSON file that other processes and people change too."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.base.files import atomic_write, private_dir
from pi_term.base.json import JsonValue
from pi_term.base.json_locate import parse_json_file
from pi_term.base.locks import file_lock
from pi_term.coding.settings.edit import remove_member, set_value

_BOM = "\ufeff"


def update_json_file(path: Path, locks: Path, key: Sequence[str], value: JsonValue) -> None:
    """Set `key` to `value` in the JSON object in `path`, under a lock, without touching anything else.

    The file is read again first, so what others wrote meanwhile stays. `locks` is the folder for lock
    files. May wait for the lock and the disk: call it from a thread where an event loop runs.
    Raises `PiTermError`: `broken_file` (the file is left as it is), `locked`, `unwritable`.
    """
    _change(path, locks, partial(set_value, path=key, value=value))


def remove_json_key(path: Path, locks: Path, key: Sequence[str], depth: int) -> None:
    """Take `key` out of the JSON object in `path`, as `update_json_file` does.

    Objects that are empty then go with it, as far up as the first `depth` names of `key`.
    """
    if path.exists():
        _change(path, locks, partial(remove_member, path=key, depth=depth))


def _change(path: Path, locks: Path, change: Callable[[str], str]) -> None:
    with file_lock(_lock_path(path, locks)):
        try:
            raw = path.read_bytes().decode("utf-8") if path.exists() else ""
            text = raw.removeprefix(_BOM)
            problem = parse_json_file(path, text).problem
            if problem is not None:
                raise PiTermError("broken_file", problem.text(), "Mend the file, then change it again.")
            changed = change(text)
            private_dir(path.parent)
            bom = _BOM if raw.startswith(_BOM) else ""
            atomic_write(path, (bom + changed).encode("utf-8"), mode=0o600)
        except UnicodeDecodeError:
            raise PiTermError("broken_file", f"{path} is not UTF-8.", "Save it as UTF-8.") from None
        except OSError as error:
            text = f"Cannot write {path}: {error.strerror}."
            raise PiTermError("unwritable", text, "See who may write there.") from error


def _lock_path(path: Path, locks: Path) -> Path:
    """One lock per file, whichever name or link it is reached by; never beside it, which may be in git."""
    from hashlib import sha256

    real = os.path.realpath(path)
    return locks / f"{path.stem}-{sha256(os.fsencode(real)).hexdigest()[:12]}.lock"
