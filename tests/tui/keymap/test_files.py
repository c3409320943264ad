"""Keymap files: mistakes cost what they are in, and are told with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.tui.keymap.files import key_lines, read_keymap

ACTIONS = {"app.a", "app.b", "app.c"}


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "keybindings.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_single_keys_lists_and_chords(tmp_path: Path) -> None:
    path = write(
        tmp_path, '{"$schema": "x", "app.a": "ctrl+a", "app.b": ["b", "ctrl+x ctrl+s", "b"], "app.c": []}'
    )
    layer, problems = read_keymap(path, ACTIONS)
    assert problems == []
    assert layer is not None
    assert layer.bindings == {
        "app.a": (("ctrl+a",),),
        "app.b": (("b",), ("ctrl+x", "ctrl+s")),
        "app.c": (),
    }


def test_a_missing_file_is_nothing_to_talk_about(tmp_path: Path) -> None:
    assert read_keymap(tmp_path / "none.json", ACTIONS) == (None, [])


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    layer, problems = read_keymap(write(tmp_path, b'\xef\xbb\xbf{"app.a": "up"}'), ACTIONS)
    assert problems == []
    assert layer is not None
    assert layer.bindings == {"app.a": (("up",),)}


def test_broken_json_names_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path, '{\n  "app.a": "up"\n  "app.b": "down"\n}')
    layer, problems = read_keymap(path, ACTIONS)
    assert layer is None
    assert [(each.severity, each.file, each.line) for each in problems] == [("error", path, 3)]


@pytest.mark.parametrize("content", ["[]", "3", '"up"', "null"])
def test_other_json_is_refused(tmp_path: Path, content: str) -> None:
    layer, problems = read_keymap(write(tmp_path, content), ACTIONS)
    assert layer is None
    assert len(problems) == 1


def test_bytes_that_are_not_text_are_told(tmp_path: Path) -> None:
    layer, problems = read_keymap(write(tmp_path, b"\xff\xfe{}"), ACTIONS)
    assert layer is None
    assert "UTF-8" in problems[0].message


def test_mistakes_are_told_with_their_line_and_the_rest_applies(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '{\n "app.zoom": "z",\n "app.a": ["up", "bogus"],\n "app.b": 7,\n "app.c": "+"\n}',
    )
    layer, problems = read_keymap(path, ACTIONS)
    assert layer is not None
    assert layer.bindings == {"app.a": (("up",),), "app.c": (("plus",),)}
    assert [(each.file, each.line, each.key) for each in problems] == [
        (path, 2, "app.zoom"),
        (path, 3, "app.a"),
        (path, 4, "app.b"),
    ]
    assert "bogus" in problems[1].text()


def test_the_line_of_a_key_is_that_of_the_member_which_wins() -> None:
    text = '{\n"x": "app.a",\n"app.a": 1,\n "y": "say \\"app.b\\": no",\n"app.a" : 2, "z":3}'
    assert key_lines(text) == {"x": 2, "app.a": 5, "y": 4, "z": 5}
