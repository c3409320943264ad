"""Making sure that a file is a session before something is done with it."""

from __future__ import annotations

from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.coding.session.entries import SessionHeader
from pi_term.coding.session.locate import read_head


def require_session(path: Path) -> SessionHeader:
    """The header of a session file; blocks.

    Raises `PiTermError("no_session" | "unreadable" | "not_a_session")` for what is missing, cannot be
    read, or is something else, such as a folder, a pipe, or a file without the header of a session.
    """
    header = None
    try:
        if not path.exists():
            raise PiTermError("no_session", f"There is no session file {path}.")
        if path.is_file():  # opening a pipe could wait for ever
            path.open("rb").close()
            header = read_head(path)
    except OSError as error:
        raise PiTermError("unreadable", f"Cannot read {path}: {error.strerror}.") from error
    if header is None:
        raise PiTermError("not_a_session", f"{path} is not a session file; it was left as it is.")
    return header
