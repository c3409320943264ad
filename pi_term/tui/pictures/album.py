"""The images of a transcript: decoded beside the keys, drawn once for each size, and kept."""

from __future__ import annotations

import asyncio
import random
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from rich.segment import Segment

from pi_term.base.dataclass import dataclass
from pi_term.base.log import log
from pi_term.coding.tools.images import HEAD_BYTES, NotAnImage, examine, signature
from pi_term.tui.pictures import iterm, kitty, pixels
from pi_term.tui.pictures.support import Protocol

if TYPE_CHECKING:
    from pi_term.ai.messages import ImageContent
    from pi_term.render.line import Redrawn

KEPT = 100
"""Images that are kept drawn; what falls out of the list is drawn again when it is seen."""
MOST_ROWS = 30
"""Rows that an image takes at most."""
_versions = count(1)
_SIZES = 3  # in which an image is kept drawn
_AT_ONCE = 400_000
"""Base64 characters up to which the size of an image is found out at once."""

Cells: TypeAlias = Sequence[Sequence[Segment]]
Box: TypeAlias = tuple[int, int]
"""Columns and rows."""


@dataclass(slots=True)
class _Known:
    """An image. `size` is in pixels: None while it is not known, (0, 0) if it cannot be drawn."""

    number: int
    size: Box | None = None
    drawn: dict[Box, Cells] = field(default_factory=dict)
    wanted: set[Box] = field(default_factory=set)
    askers: dict[str, Redrawn] = field(default_factory=dict)


class Album:
    """Draws images for the blocks of one transcript; implements `Pictures`.

    `send` writes to the terminal, `at_leave` when it is given back; `spawn` runs a coroutine beside the
    keys, `ready` is told of blocks that look different now. `ground` is the colour behind what is
    transparent. Images the album cannot draw (Pillow is missing, the data is none) are left to words.
    """

    def __init__(
        self,
        protocol: Protocol,
        *,
        columns: int,
        cell: Box,
        ground: str,
        send: Callable[[str], None],
        at_leave: Callable[[str], None],
        spawn: Callable[[Callable[[], Coroutine[Any, Any, None]]], None],
        ready: Callable[[str], None],
    ) -> None:
        self.version = next(_versions)
        self._protocol = protocol
        self._columns = columns
        self._cell = cell
        self._ground = ground
        self._send = send
        self._at_leave = at_leave
        self._spawn = spawn
        self._ready = ready
        self._can_decode = pixels.has_pillow()
        self._known: OrderedDict[tuple[int, int], _Known] = OrderedDict()
        self._sent: dict[int, str] = {}
        # Other programs in the same terminal have images, too.
        self._next_number = random.randrange(1, 1 << 23)

    def rows(self, image: ImageContent, width: int, asker: Redrawn) -> Cells | None:
        """See `Pictures`."""
        if not self._can_decode and not (self._protocol == "kitty" and image.mime_type == "image/png"):
            return None
        known = self._find(image)
        if known.size is None:
            known.askers[asker.id] = asker
            return None
        box = self._box(known.size, width)
        if box is None:
            return None
        cells = known.drawn.get(box)
        if cells is None:
            cells = [[Segment(" " * box[0])] for _ in range(box[1])]
            known.askers[asker.id] = asker
            if box not in known.wanted:
                known.wanted.add(box)
                self._spawn(partial(self._draw, image, known, box))
        return cells

    def send_again(self) -> None:
        """The terminal has forgotten everything: give it all images anew."""
        for text in self._sent.values():
            self._send(text)

    def close(self) -> None:
        """Let the terminal forget the images."""
        for number in self._sent:
            self._send(kitty.deletion(number))
        self._sent.clear()

    def _find(self, image: ImageContent) -> _Known:
        key = (hash(image.data), len(image.data))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _Known(self._next_number)
            self._next_number += 1
            if len(image.data) <= _AT_ONCE:
                known.size = _size_of(image)
            else:
                self._spawn(partial(self._measure, image, known))
            while len(self._known) > KEPT:
                _, oldest = self._known.popitem(last=False)
                if self._sent.pop(oldest.number, None) is not None:
                    self._send(kitty.deletion(oldest.number))
        self._known.move_to_end(key)
        return known

    def _box(self, size: Box, width: int) -> Box | None:
        """The cells an image takes: as large as its pixels say, if there is room; None if it has no size."""
        if not all(size) or width < 2:
            return None
        (wide, high), (cell_wide, cell_high) = size, self._cell
        columns = min(self._columns, width, -(-wide // cell_wide), kitty.MOST_ROWS)
        most_rows = min(MOST_ROWS, kitty.MOST_ROWS)
        rows = round(columns * cell_wide * high / wide / cell_high)
        if rows > most_rows:
            columns = max(1, round(most_rows * cell_high * wide / high / cell_wide))
            rows = most_rows
        return min(columns, width), max(1, rows)

    async def _measure(self, image: ImageContent, known: _Known) -> None:
        known.size = await asyncio.to_thread(_size_of, image)
        self._tell(known)

    async def _draw(self, image: ImageContent, known: _Known, box: Box) -> None:
        try:
            cells, sent = await asyncio.to_thread(self._drawn, image, known.number, box)
        except ValueError as error:
            log.info("an image could not be drawn: %s", error)
            known.size = (0, 0)
        else:
            while len(known.drawn) >= _SIZES:
                del known.drawn[next(iter(known.drawn))]
            known.drawn[box] = cells
            if sent:
                if known.number not in self._sent:
                    self._at_leave(kitty.deletion(known.number))
                self._sent[known.number] = sent
                self._send(sent)
        known.wanted.discard(box)
        self._tell(known)

    def _tell(self, known: _Known) -> None:
        askers, known.askers = known.askers, {}
        for asker in askers.values():
            asker.redraw()
            self._ready(asker.id)

    def _drawn(self, image: ImageContent, number: int, box: Box) -> tuple[Cells, str]:
        """The cells of an image, and what the terminal must be given for them. Blocks."""
        data = b64decode(image.data)
        columns, rows = box
        width, height = columns * self._cell[0], rows * self._cell[1]
        if self._protocol == "kitty":
            is_png = signature(data[:HEAD_BYTES]) == "image/png" and len(data) <= 2_000_000
            png = data if is_png else pixels.as_png(data, width, height, self._ground)
            return kitty.placeholders(number, columns, rows), kitty.transmission(number, png, columns, rows)
        if self._protocol == "iterm2":
            parts = pixels.slices(data, width, height, rows, self._ground)
            return iterm.strips(parts, columns), ""
        return pixels.half_cells(data, columns, rows, self._ground), ""


def _size_of(image: ImageContent) -> Box:
    """Width and height in pixels; (0, 0) for what is no image."""
    try:
        data = b64decode(image.data, validate=True)
        kind = signature(data[:HEAD_BYTES])
        if kind is None:
            return 0, 0
        info = examine(kind, data)
    except (ValueError, NotAnImage):
        return 0, 0
    return info.width, info.height
