"""Images become cells: at once as room, then as what they show, whatever the terminal can."""

from __future__ import annotations

import asyncio
import random
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from rich.cells import cell_len
from rich.segment import Segment

from pi_term.ai.messages import ImageContent
from pi_term.tui.driver.steady import steady
from pi_term.tui.pictures import pixels
from pi_term.tui.pictures.album import Album
from pi_term.tui.pictures.iterm import with_images
from pi_term.tui.pictures.kitty import MARKS, PLACEHOLDER
from pi_term.tui.pictures.support import Protocol, links_wanted, protocol_of


@dataclass
class Frame:
    """An album on the wall: what was sent, and what was told."""

    protocol: Protocol
    sent: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    work: list[Callable[[], Coroutine[Any, Any, None]]] = field(default_factory=list)
    id: str = "block"

    def __post_init__(self) -> None:
        self.album = Album(
            self.protocol,
            columns=20,
            cell=(8, 16),
            ground="#102030",
            send=self.sent.append,
            at_leave=self.last.append,
            spawn=self.work.append,
            ready=self.told.append,
        )

    def redraw(self) -> None:
        self.told.append("redrawn")

    async def finish(self) -> None:
        while self.work:
            await self.work.pop(0)()

    def rows(self, image: ImageContent, width: int = 80) -> list[list[Segment]] | None:
        found = self.album.rows(image, width, self)
        return None if found is None else [list(row) for row in found]


def picture(kind: str, size: tuple[int, int] = (160, 96)) -> ImageContent:
    frames = [Image.new("RGB", size, colour) for colour in ("red", "blue")]
    for frame in frames:
        frame.paste("lime", (0, 0, size[0] // 2, size[1]))
    out = BytesIO()
    more = {"save_all": True, "append_images": frames[1:]} if kind in ("GIF", "WEBP") else {}
    frames[0].save(out, kind, **more)
    return ImageContent(b64encode(out.getvalue()).decode(), f"image/{kind.lower()}")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
async def test_half_cells_show_the_first_frame_in_a_place_that_was_kept(kind: str) -> None:
    frame = Frame("cells")
    image = picture(kind)
    room = frame.rows(image)
    assert room == [[Segment(" " * 20)]] * 6
    await frame.finish()
    assert frame.told == ["redrawn", "block"]
    rows = frame.rows(image)
    assert rows is not None
    assert {sum(cell_len(segment.text) for segment in row) for row in rows} == {20}
    colours = [
        str(segment.style.color.triplet.hex)
        for segment in rows[2]
        if segment.style and segment.style.color and segment.style.color.triplet
    ]
    green, red = colours[0], colours[-1]
    assert int(green[3:5], 16) > 200 > int(green[1:3], 16)
    assert int(red[1:3], 16) > 200 > int(red[3:5], 16)
    assert frame.sent == []


@pytest.mark.parametrize(
    ("size", "width", "box"),
    [
        ((160, 96), 80, (20, 6)),
        ((160, 96), 10, (10, 3)),
        ((8, 16), 80, (1, 1)),
        ((4000, 3000), 80, (20, 8)),
        ((1, 4000), 80, (1, 30)),
        ((4000, 1), 80, (20, 1)),
    ],
)
def test_the_room_follows_the_pixels(size: tuple[int, int], width: int, box: tuple[int, int]) -> None:
    rows = Frame("cells").rows(picture("PNG", size), width)
    assert rows is not None
    assert (len(rows[0][0].text), len(rows)) == box


async def test_what_is_no_image_is_left_to_words() -> None:
    frame = Frame("cells")
    broken = ImageContent(picture("PNG").data[:200], "image/png")
    for image in (ImageContent("####", "image/png"), ImageContent(b64encode(b"x").decode(), "a"), broken):
        assert frame.rows(image) is None
    torn = picture("PNG")
    data = bytearray(b64decode(torn.data))
    data[60:80] = b"\0" * 20
    torn = ImageContent(b64encode(bytes(data)).decode(), "image/png")
    frame.rows(torn)
    await frame.finish()
    assert frame.rows(torn) is None
    assert frame.told[-1] == "block"


async def test_a_large_image_is_measured_beside_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_term.tui.pictures.album._AT_ONCE", 10)
    frame = Frame("cells")
    image = picture("PNG")
    assert frame.rows(image) is None
    await frame.finish()
    assert frame.told == ["redrawn", "block"]
    assert len(frame.rows(image) or ()) == 6


async def test_kitty_gets_the_file_once_and_placeholders() -> None:
    frame = Frame("kitty")
    noise = Image.frombytes("RGB", (160, 96), random.Random(1).randbytes(160 * 96 * 3))
    out = BytesIO()
    noise.save(out, "PNG")
    image = ImageContent(b64encode(out.getvalue()).decode(), "image/png")
    frame.rows(image)
    await frame.finish()
    rows = frame.rows(image)
    assert rows is not None
    assert [row[0].text for row in rows[:2]] == [
        PLACEHOLDER + MARKS[at] + MARKS[0] + PLACEHOLDER * 19 for at in (0, 1)
    ]
    assert {cell_len(row[0].text) for row in rows} == {20}
    style = rows[0][0].style
    assert style is not None
    assert style.color is not None
    assert style.color.triplet is not None
    number = int(style.color.triplet.hex[1:], 16)
    (sent,) = frame.sent
    chunks = re.findall(r"\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\", sent)
    assert "".join(f"\x1b_G{control};{data}\x1b\\" for control, data in chunks) == sent
    assert chunks[0][0] == f"a=T,U=1,f=100,q=2,i={number},c=20,r=6,m=1"
    assert chunks[-1][0] == "q=2,m=0"
    assert "".join(data for _, data in chunks) == image.data
    assert max(len(data) for _, data in chunks) <= 4096
    frame.album.send_again()
    assert frame.sent == [sent, sent]
    frame.album.close()
    assert frame.last == [frame.sent[-1]] == [f"\x1b_Ga=d,d=I,q=2,i={number}\x1b\\"]
    # On its way to the terminal a placeholder costs no more than its own bytes.
    assert len(steady(rows[0][0].text)) < 60


async def test_kitty_gets_other_kinds_as_png_and_png_even_without_pillow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = Frame("kitty")
    frame.rows(picture("JPEG"))
    await frame.finish()
    assert b64decode(frame.sent[0].split(";")[1][:12]).startswith(b"\x89PNG")
    monkeypatch.setattr(pixels, "has_pillow", lambda: False)
    bare = Frame("kitty")
    assert bare.rows(picture("JPEG")) is None
    assert bare.rows(picture("PNG")) is not None
    await bare.finish()
    assert len(bare.sent) == 1
    assert Frame("cells").rows(picture("PNG")) is None


async def test_iterm_gets_a_slice_for_each_row_where_the_row_is() -> None:
    frame = Frame("iterm2")
    image = picture("WEBP")
    frame.rows(image)
    await frame.finish()
    rows = frame.rows(image)
    assert rows is not None
    text = rows[0][0].text
    assert cell_len(text) == 20
    out = with_images(f"\x1b[3;1H{text}rest")
    match = re.fullmatch(
        r"\x1b\[3;1H {20}\x1b7\x1b\[20D\x1b\]1337;File=inline=1;size=(\d+);width=20;height=1;"
        r"preserveAspectRatio=0:([A-Za-z0-9+/=]+)\x07\x1b8rest",
        out,
    )
    assert match is not None
    data = b64decode(match[2])
    assert len(data) == int(match[1])
    assert Image.open(BytesIO(data)).size == (160, 16)
    assert with_images("no images \U00100abc") == "no images  "


@pytest.mark.parametrize(
    ("wanted", "environ", "protocol"),
    [
        ("auto", {}, "cells"),
        ("auto", {"TERM": "xterm-kitty"}, "kitty"),
        ("auto", {"KITTY_WINDOW_ID": "1"}, "kitty"),
        ("auto", {"KITTY_WINDOW_ID": "1", "TMUX": "x"}, "cells"),
        ("auto", {"KITTY_WINDOW_ID": "1", "NO_COLOR": "1"}, "cells"),
        ("auto", {"TERM_PROGRAM": "ghostty"}, "kitty"),
        ("auto", {"TERM_PROGRAM": "iTerm.app"}, "iterm2"),
        ("auto", {"TERM_PROGRAM": "WezTerm"}, "iterm2"),
        ("kitty", {"TMUX": "x"}, "kitty"),
        ("iterm2", {}, "iterm2"),
        ("none", {"KITTY_WINDOW_ID": "1"}, None),
        ("auto", {"PI_IMAGE_PROTOCOL": "none"}, None),
    ],
)
def test_what_terminals_can(wanted: str, environ: dict[str, str], protocol: str | None) -> None:
    assert protocol_of(wanted, environ) == protocol


async def test_many_images_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_term.tui.pictures.album.KEPT", 2)
    frame = Frame("kitty")
    for width in (10, 20, 30):
        frame.rows(picture("PNG", (width, 10)))
        await asyncio.sleep(0)
        await frame.finish()
    assert [text.startswith("\x1b_Ga=d") for text in frame.sent] == [False, False, True, False]


def test_who_is_told_of_links() -> None:
    assert links_wanted("auto", {"TERM": "xterm"})
    assert not links_wanted("auto", {"TERM": "linux"})
    assert not links_wanted(False, {"TERM": "xterm"})
    assert links_wanted(True, {"TERM": "linux"})
    assert not links_wanted(True, {"PI_HYPERLINKS": "0"})
