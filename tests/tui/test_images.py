"""What is taken for an image when it is pasted or dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.tui.images import clipboard_content, dropped_images, keep_image, load_image


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("/tmp/a.png", ["/tmp/a.png"]),
        ("/tmp/a\\ b.PNG \n", ["/tmp/a b.PNG"]),
        ("'/tmp/a b.jpg' /tmp/c.webp", ["/tmp/a b.jpg", "/tmp/c.webp"]),
        ("file:///tmp/a%20b.gif", ["/tmp/a b.gif"]),
        ("look at /tmp/a.png", []),
        ("a.png", []),
        ("/tmp/a.txt", []),
        ("it's /tmp/a.png", []),
        ("", []),
        ("/tmp/a.png\n" * 2000, []),
    ],
)
def test_only_names_of_images_are_dropped_images(text: str, paths: list[str]) -> None:
    assert dropped_images(text) == paths


def test_a_file_that_is_no_image_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("text")
    assert load_image("a.png", tmp_path) is None
    assert load_image("none.png", tmp_path) is None
    assert load_image(".", tmp_path) is None


def test_what_the_clipboard_held_is_kept_for_its_owner(tmp_path: Path) -> None:
    path = Path(keep_image(b"\x89PNG\r\n\x1a\n", tmp_path / "images"))
    assert path.suffix == ".png"
    assert path.stat().st_mode & 0o077 == 0
    assert keep_image(b"\x89PNG\r\n\x1a\n", tmp_path / "images") == str(path)


async def test_without_a_program_for_it_there_is_no_clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert await clipboard_content({"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}) is None
