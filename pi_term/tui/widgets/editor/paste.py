"""Large pastes, kept out of sight: blocks that the editor shows as a marker and treats as one character.

A block is an object; in the text a lone surrogate stands for it, which no terminal and no file can
deliver, so that neither a typed marker nor a pasted one is ever taken for a block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject

if TYPE_CHECKING:
    from pi_term.ai.messages import ImageContent

FOLD_LINES = 10
FOLD_CHARACTERS = 1000

_FIRST = 0xD800
_CAPACITY = 0xE000 - _FIRST
_STAND_IN = re.compile("([\ud800-\udfff])")
_image_numbers = count(1)


def should_fold(text: str) -> bool:
    """Whether a paste is too large to be shown: more than 10 lines or 1000 characters."""
    return len(text) > FOLD_CHARACTERS or _line_count(text) > FOLD_LINES


def _line_count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image that goes with a prompt, and the file that it came from."""

    image: ImageContent = field(repr=False)
    path: str


LoadImage: TypeAlias = Callable[[str], Attachment | None]
"""The image in the file of this path, if it is still one."""


@dataclass(frozen=True, slots=True)
class Block:
    """One folded paste; `number` counts from 1 in each draft.

    Or an image, or something that is still being read; they show `shown`.
    """

    number: int
    content: str
    shown: str = ""
    attachment: Attachment | None = None
    pending: bool = False

    @classmethod
    def of_image(cls, attachment: Attachment) -> Block:
        """An image; the model reads its label, whose number no other image of this program has."""
        number = next(_image_numbers)
        label = f"[image #{number}]"
        return cls(number, label, label, attachment)

    @property
    def label(self) -> str:
        """What the editor shows: `[paste #1 +300 lines]`."""
        if self.shown:
            return self.shown
        lines = _line_count(self.content)
        size = f"+{lines} lines" if lines > FOLD_LINES else f"{len(self.content)} chars"
        return f"[paste #{self.number} {size}]"


class BlockTable:
    """The blocks of one draft, by the character that stands for each in the text."""

    def __init__(self) -> None:
        self._blocks: dict[str, Block] = {}

    def add(self, content: str) -> str:
        """Make a block of `content`; the character for it, or `content` itself when there is no room left."""
        pastes = sum(not block.shown for block in self._blocks.values())
        return self.put(Block(pastes + 1, content))

    def put(self, block: Block) -> str:
        """Take a block in; the character for it, or its content when there is no room left."""
        if len(self._blocks) >= _CAPACITY:
            return block.content
        stand_in = chr(_FIRST + len(self._blocks))
        self._blocks[stand_in] = block
        return stand_in

    def swap(self, stand_in: str, block: Block) -> None:
        """Let a character stand for another block."""
        if stand_in in self._blocks:
            self._blocks[stand_in] = block

    def get(self, char: str) -> Block | None:
        """The block that `char` stands for."""
        return self._blocks.get(char)

    def decode(self, text: str) -> tuple[str | Block, ...]:
        """`text` as typed pieces and blocks, which stay good when this table is cleared."""
        return tuple(self._blocks.get(part, part) for part in _STAND_IN.split(text) if part)

    def encode(self, parts: Iterable[str | Block]) -> str:
        """The opposite of `decode`; blocks that are not in the table are added."""
        known = {id(block): char for char, block in self._blocks.items()}
        return "".join(
            part if isinstance(part, str) else known.get(id(part)) or self._again(part) for part in parts
        )

    def _again(self, block: Block) -> str:
        return self.put(block) if block.shown else self.add(block.content)

    def label(self, char: str) -> str:
        """What to show for the stand-in `char`."""
        return self._blocks[char].label

    def expand(self, text: str) -> str:
        """`text` with the contents of its blocks."""
        return _STAND_IN.sub(lambda match: self._blocks[match[0]].content, text)

    def masked(self, text: str) -> str:
        """`text` with U+FFFC for each block, so that places stay the same."""
        return _STAND_IN.sub("\ufffc", text) if self._blocks else text

    def clear(self) -> None:
        """Forget all blocks; only when no text and no undo step holds one."""
        self._blocks.clear()


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with its blocks and cursor, independent of the editor it came from.

    `parts` are typed text (str) and folded pastes (`Block`) in order; `cursor` counts code points of the
    former and one for each of the latter.
    """

    parts: tuple[str | Block, ...]
    cursor: int = 0

    @classmethod
    def of(cls, text: str) -> Draft:
        """A draft of plain text, the cursor behind it."""
        return cls((text,) if text else (), len(text))

    @property
    def text(self) -> str:
        """What would be sent: the blocks with their contents."""
        return "".join(part if isinstance(part, str) else part.content for part in self.parts)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The images that go with it, in their order."""
        blocks = (part for part in self.parts if not isinstance(part, str))
        return tuple(block.attachment for block in blocks if block.attachment is not None)

    @property
    def size(self) -> int:
        """The number of code points of `text`, without making it."""
        return sum(len(part if isinstance(part, str) else part.content) for part in self.parts)

    @property
    def length(self) -> int:
        """The cursor's place behind everything."""
        return sum(len(part) if isinstance(part, str) else 1 for part in self.parts)

    def stripped(self) -> Draft:
        """Without line breaks before the typed text and blanks behind it, as it is sent."""
        parts = list(self.parts)
        if parts and isinstance(parts[0], str):
            parts[0] = parts[0].lstrip("\n")
        if parts and isinstance(parts[-1], str):
            parts[-1] = parts[-1].rstrip()
        return Draft(tuple(part for part in parts if part != ""), 0)

    def to_json(self) -> JsonObject:
        """`{"text", "pastes": [[start, length], ...], "images": [[start, length, path], ...], "cursor"}`.

        Offsets are into the full text.
        """
        pastes: list[list[int]] = []
        images: list[list[int | str]] = []
        offset = 0
        for part in self.parts:
            size = len(part if isinstance(part, str) else part.content)
            if not isinstance(part, str) and part.attachment is not None:
                images.append([offset, size, part.attachment.path])
            elif not isinstance(part, str) and size:
                pastes.append([offset, size])
            offset += size
        found: JsonObject = {"text": self.text, "cursor": self.cursor}
        if pastes:
            found["pastes"] = pastes
        if images:
            found["images"] = images
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, object], load: LoadImage | None = None) -> Draft | None:
        """What `to_json` wrote; None if there is no text. Places that make no sense are text.

        So are images, unless `load` finds them.
        """
        text = data.get("text")
        if not isinstance(text, str):
            return None
        parts: list[str | Block] = []
        done = number = 0
        for start, size, path in _spans(data, len(text)):
            attachment = load(path) if path and load is not None else None
            if start < done or (path and attachment is None):
                continue
            number += not path
            content = text[start : start + size]
            block = Block(number, content) if attachment is None else Block.of_image(attachment)
            parts += [text[done:start], block]
            done = start + size
        parts.append(text[done:])
        whole = cls(tuple(part for part in parts if part != ""))
        cursor = data.get("cursor")
        fits = isinstance(cursor, int) and 0 <= cursor <= whole.length
        return cls(whole.parts, cursor if isinstance(cursor, int) and fits else whole.length)


def _spans(data: Mapping[str, object], limit: int) -> list[tuple[int, int, str]]:
    """The places of blocks: start, length, and the path of an image."""
    spans: list[tuple[int, int, str]] = []
    pastes, images = data.get("pastes"), data.get("images")
    for item in (
        *(pastes if isinstance(pastes, list) else ()),
        *(images if isinstance(images, list) else ()),
    ):
        match item:
            case [int(start), int(size)] if 0 <= start < start + size <= limit:
                spans.append((start, size, ""))
            case [int(start), int(size), str(path)] if 0 <= start < start + size <= limit:
                spans.append((start, size, path))
    return sorted(spans)
