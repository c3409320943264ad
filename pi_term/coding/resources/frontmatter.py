"""The lines between two `---` at the head of a skill or a prompt template.

They are YAML, of which people use little and that little often wrongly: a colon in the middle of a
description, tabs, a list where a text belongs. So they are read as what they evidently mean: keys with
texts. Nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import field

from pi_term.base import json
from pi_term.base.dataclass import dataclass

_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*)|)$")
_BLOCK = re.compile(r"([|>])[-+0-9]*$")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_FENCE = "---"


@dataclass(frozen=True, slots=True)
class Document:
    """A text file: the texts of its `fields`, the `body` behind them, and the line where that begins.

    `closed` is false where the second `---` is missing.
    """

    body: str
    fields: dict[str, str] = field(default_factory=dict)
    closed: bool = True

    def flag(self, key: str) -> bool:
        """Whether the field says yes."""
        return self.fields.get(key, "").lower() in ("true", "yes", "on")


def read_document(text: str, known: Collection[str]) -> Document:
    """Take a file apart. `known` are the keys that are looked for.

    Without a second `---`, the lines up to the first one that is no known key are the head.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    first, _, rest = text.partition("\n")
    if first.rstrip() != _FENCE:
        return Document(text)
    lines = rest.split("\n")
    end = next((at for at, line in enumerate(lines) if line.rstrip() in (_FENCE, "...")), None)
    if end is not None:
        return Document("\n".join(lines[end + 1 :]).strip(), _fields(lines[:end], known))
    end = _unclosed_end(lines, known)
    if end == 0:
        return Document(text)
    return Document("\n".join(lines[end:]).strip(), _fields(lines[:end], known), closed=False)


def _unclosed_end(lines: list[str], known: Collection[str]) -> int:
    for at, line in enumerate(lines):
        found = _FIELD.match(line.strip())
        if found is None or found[1] not in known:
            return at
    return len(lines)


def _fields(lines: list[str], known: Collection[str]) -> dict[str, str]:
    return {key: _text(own, more) for key, own, more in _entries(lines, known)}


def _entries(lines: list[str], known: Collection[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Each key, what stands behind it, and the lines below that belong to it."""
    key, own, more = "", "", list[str]()
    for line in _dedented(lines):
        found = _FIELD.match(line.strip())
        inside = (
            line[:1] in (" ", "\t") and key and not (found and own and _starts_anew(found[1], own, known))
        )
        if found is None or inside:
            more.append(line)
            continue
        if key:
            yield key, own, more
        key, own, more = found[1], (found[2] or "").strip(), []
    if key:
        yield key, own, more


def _starts_anew(key: str, own: str, known: Collection[str]) -> bool:
    """Whether an indented line with a known key is a field of its own: somebody indented them all."""
    return key in known and not _BLOCK.match(own)


def _text(own: str, more: list[str]) -> str:
    block = _BLOCK.match(own)
    if block:
        return _block_text(more, folded=block[1] == ">")
    words = [_uncommented(own), *(_uncommented(line.strip()) for line in more)]
    return _unquoted(" ".join(word for word in words if word))


def _uncommented(value: str) -> str:
    return value if value[:1] in ("'", '"') else _COMMENT.sub("", value).rstrip()


def _block_text(lines: list[str], *, folded: bool) -> str:
    cut = [line.rstrip() for line in _dedented(lines)]
    if not folded:
        return "\n".join(cut).strip("\n")
    paragraphs = "\n".join(cut).strip("\n").split("\n\n")
    return "\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


def _dedented(lines: list[str]) -> list[str]:
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:] for line in lines]


def _unquoted(value: str) -> str:
    quote = value[:1]
    if len(value) < 2 or quote not in ("'", '"') or not value.endswith(quote):
        return value
    if quote == "'":
        return value[1:-1].replace("''", "'")
    try:
        return str(json.loads(value))
    except json.JsonError:
        return value[1:-1].replace('\\"', '"')
