"""Text inside the tags that models are told things in."""

from __future__ import annotations

_MARKS = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))


def escaped(text: str) -> str:
    """`text` as the content of a tag or the value of an attribute."""
    for mark, name in _MARKS:
        text = text.replace(mark, name)
    return text
