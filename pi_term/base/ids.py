"""Identifiers in the forms that Pi's session files use."""

from __future__ import annotations

import os
import uuid
from collections.abc import Container


def session_id() -> str:
    """A UUID of version 7: sortable by the time it was made."""
    import uuid_utils

    return str(uuid_utils.uuid7())


def entry_id(taken: Container[str] = ()) -> str:
    """Eight hex digits that are not in `taken`; a whole UUID if chance is against us."""
    for _ in range(100):
        candidate = os.urandom(4).hex()
        if candidate not in taken:
            return candidate
    return str(uuid.uuid4())
