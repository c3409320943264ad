"""`@file`: texts and images before the first message."""

from __future__ import annotations

import os
from base64 import b64decode
from pathlib import Path

import pytest
from PIL import Image

from pi_term.ai.messages import ImageContent
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.cli import attachments
from pi_term.cli.files import attached
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.tools.definition import ImageLimits


def read_attachments(names: list[str], cwd: Path) -> tuple[str, list[ImageContent]]:
    return attachments.read_attachments(names, cwd, ImageLimits())


def picture(path: Path, size: tuple[int, int] = (4, 3)) -> bytes:
    Image.new("RGB", size).save(path, "PNG")
    return path.read_bytes()


def test_texts_come_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text of a\n")
    (tmp_path / "two words.md").write_bytes(b"\xef\xbb\xbf# b\r\n")
    (tmp_path / "empty").write_text("")
    text, images = read_attachments(["a.txt", "two words.md", "empty"], tmp_path)
    assert text == (
        f'<file name="{tmp_path}/a.txt">\ntext of a\n\n</file>\n'
        f'<file name="{tmp_path}/two words.md">\n# b\r\n\n</file>\n'
    )
    assert images == []


def test_a_text_of_another_encoding_is_read_by_its_mark(tmp_path: Path) -> None:
    (tmp_path / "wide.txt").write_bytes("\ufeffgrün\n".encode("utf-16-le"))
    assert "\ngrün\n" in read_attachments(["wide.txt"], tmp_path)[0]


def test_an_image_is_sent_as_it_is(tmp_path: Path) -> None:
    """Whatever its name: the content tells."""
    data = picture(tmp_path / "pic.dat")
    text, (image,) = read_attachments(["pic.dat"], tmp_path)
    assert text == f'<file name="{tmp_path}/pic.dat"></file>\n'
    assert (image.mime_type, b64decode(image.data)) == ("image/png", data)


def test_a_large_image_is_made_smaller_and_that_is_told(tmp_path: Path) -> None:
    picture(tmp_path / "pic.png", (4000, 100))
    text, (image,) = read_attachments(["pic.png"], tmp_path)
    assert "4000" in text
    assert len(image.data) > 0


@pytest.mark.parametrize("resize", [True, False])
def test_the_setting_says_whether_images_are_made_smaller(tmp_path: Path, resize: bool) -> None:
    data = picture(tmp_path / "pic.png", (2400, 100))
    paths = AppPaths(tmp_path, tmp_path, tmp_path, tmp_path)
    settings = SettingsStore.load(paths, overrides={"images.autoResize": resize})
    text, (image,) = attached(["pic.png"], tmp_path, settings)
    assert (b64decode(image.data) == data) is not resize
    assert ("2400" in text) is resize


def test_what_only_begins_like_an_image_is_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"GIF89a is a format")
    assert "GIF89a is a format" in read_attachments(["a"], tmp_path)[0]


def test_bytes_that_are_no_text_become_replacement_characters(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\x00\x01\xff")
    assert "\x00\x01\ufffd" in read_attachments(["a"], tmp_path)[0]


def test_a_pipe_is_read(tmp_path: Path) -> None:
    """As `@<(git diff)` gives."""
    read, write = os.pipe()
    os.write(write, b"piped")
    os.close(write)
    try:
        assert "piped" in read_attachments([f"/dev/fd/{read}"], tmp_path)[0]
    finally:
        os.close(read)


def test_home_is_known(tmp_path: Path, clean_environment: Path) -> None:
    (clean_environment / "mine").write_text("MINE")
    assert "MINE" in read_attachments(["~/mine"], tmp_path)[0]


@pytest.mark.parametrize("name", ["missing.txt", ".", "a\0b", "x" * 5000, "/dev/zero"])
def test_what_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(PiTermError) as caught:
        read_attachments([name], tmp_path)
    assert caught.value.code == "bad_file"
    assert "\n" not in caught.value.text()


def test_a_name_cannot_break_out_of_its_tag(tmp_path: Path) -> None:
    (tmp_path / 'a">b').write_text("x")
    assert 'a&quot;&gt;b"' in read_attachments(['a">b'], tmp_path)[0]
