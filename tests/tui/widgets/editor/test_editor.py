"""The editor as a user types in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual import events

from pi_term.tui.actions import ACTIONS
from pi_term.tui.driver.parser import InputParser
from pi_term.tui.keymap.names import parse_chord
from pi_term.tui.keymap.table import KeyTable, load_table
from pi_term.tui.widgets.editor import Draft, PromptHistory

LINES_A = "\n".join(f"a {number}" for number in range(30))
LINES_B = "\n".join(f"b {number}" for number in range(30))


def table_with(tmp_path: Path, content: str) -> KeyTable:
    path = tmp_path / "keybindings.json"
    path.write_text(content)
    return load_table(user=path)[0]


async def test_what_is_typed_is_sent(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("fix the büg 你好 + [bold]x[/bold]")
        assert driver.rows() == ["fix the büg 你好 + [bold]x[/bold]"]
        await driver.press("enter")
        assert driver.app.submitted == ["fix the büg 你好 + [bold]x[/bold]"]
        assert driver.editor.is_empty


async def test_a_fast_typist_s_keys_keep_their_order(open_editor: Any) -> None:
    async with open_editor() as driver:
        text = "the quick brown fox " * 20
        for char in text:
            driver.app.post_message(events.Key("space" if char == " " else char, char))
        driver.app.post_message(events.Key("enter", "\r"))
        for char in "next":
            driver.app.post_message(events.Key(char, char))
        await driver.pilot.pause()
        assert driver.app.submitted == [text.rstrip()]
        assert driver.editor.text == "next"


async def test_blank_text_is_not_sent(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("  ")
        await driver.press("enter")
        assert driver.app.submitted == []


@pytest.mark.parametrize(
    ("key", "character"),
    [("alt+x", "x"), ("ctrl+right_square_bracket", None), ("f13", None), ("alt+ctrl+a", "\x01")],
)
async def test_keys_with_modifiers_type_nothing(open_editor: Any, key: str, character: str | None) -> None:
    async with open_editor() as driver:
        driver.app.post_message(events.Key(key, character))
        await driver.pilot.pause()
        assert driver.editor.is_empty


@pytest.mark.parametrize(
    ("key", "character"),
    [
        ("shift+space", " "),
        ("zero_width_joiner", "\u200d"),
        ("A", "A"),
        ("plus", "+"),
        ("combining", "\u0301"),
    ],
)
async def test_keys_that_type_something_do(open_editor: Any, key: str, character: str) -> None:
    async with open_editor() as driver:
        driver.app.post_message(events.Key(key, character))
        await driver.pilot.pause()
        assert driver.editor.text == character


async def test_a_paste_of_several_lines_waits_for_enter(open_editor: Any) -> None:
    """B-059."""
    async with open_editor() as driver:
        await driver.paste("line 1\nline 2\rline 3")
        assert driver.app.submitted == []
        assert driver.rows() == ["line 1", "line 2", "line 3"]
        await driver.press("enter")
        assert driver.app.submitted == ["line 1\nline 2\nline 3"]


@pytest.mark.parametrize("cut", [1, 7, 15, -3])
async def test_the_bytes_of_a_paste_may_be_cut_anywhere(open_editor: Any, cut: int) -> None:
    data = b"\x1b[200~line 1\nline 2\rline 3\x1b[201~"
    async with open_editor() as driver:
        parser = InputParser()
        for message in parser.feed(data[:cut], 0.0) + parser.feed(data[cut:], 0.01):
            driver.app.post_message(message)
        await driver.pilot.pause()
        assert driver.app.submitted == []
        await driver.press("enter")
        assert driver.app.submitted == ["line 1\nline 2\nline 3"]


async def test_a_paste_that_arrives_in_pieces_is_still_text(open_editor: Any) -> None:
    async with open_editor() as driver:
        for piece in ("line 1\n", "line 2\r", "\nline 3"):
            driver.app.post_message(events.Paste(piece))
        await driver.pilot.pause()
        assert driver.app.submitted == []
        assert [line for line in driver.editor.text.split("\n") if line] == ["line 1", "line 2", "line 3"]


async def test_twenty_thousand_lines_are_one_marker(open_editor: Any) -> None:
    text = "\n".join(f"line {number}" for number in range(20_000))
    async with open_editor() as driver:
        await driver.paste(text)
        assert driver.rows() == ["[paste #1 +20000 lines]"]
        await driver.press("enter")
        assert driver.app.submitted == [text]


async def test_a_huge_line_is_one_marker(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.paste("x" * 100_000)
        assert driver.rows() == ["[paste #1 100000 chars]"]


async def test_control_sequences_in_a_paste_are_gone(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.paste("a\x1b[31mb\x1b]52;c;aGk=\x07c\x9bm\td")
        assert driver.editor.text == "abc\td"


async def test_deleting_one_paste_leaves_the_other(open_editor: Any) -> None:
    """B-060."""
    async with open_editor() as driver:
        await driver.paste(LINES_A)
        await driver.paste(LINES_B)
        await driver.press("left", "backspace")
        assert driver.rows() == ["[paste #2 +30 lines]"]
        await driver.press("enter")
        assert driver.app.submitted == [LINES_B]


async def test_a_typed_label_is_text(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.paste(LINES_A)
        await driver.type("\n[paste #1 +30 lines]")
        await driver.press("enter")
        assert driver.app.submitted == [f"{LINES_A}\n[paste #1 +30 lines]"]


async def test_queued_text_comes_back_before_the_draft_with_its_contents(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.paste(LINES_A)
        await driver.press("enter")
        await driver.type("draft")
        await driver.press("left")
        driver.editor.prepend(driver.app.submitted)
        await driver.pilot.pause()
        assert driver.rows() == ["[paste #1 +30 lines]", "", "draft"]
        await driver.type("|")
        assert driver.editor.text == f"{LINES_A}\n\ndraf|t"


async def test_queued_texts_come_back_into_an_empty_editor(open_editor: Any) -> None:
    async with open_editor() as driver:
        driver.editor.prepend(["one", "two"])
        await driver.type("!")
        assert driver.editor.text == "one\n\ntwo!"


async def test_looking_at_the_history_keeps_the_draft(open_editor: Any) -> None:
    """B-061."""
    async with open_editor() as driver:
        for prompt in ("first\nprompt", "second"):
            await driver.type(prompt)
            await driver.press("enter")
        await driver.type("one\ntwo\nthree")
        await driver.press("up", "up", "up")
        assert driver.rows() == ["second"]
        await driver.press("up")
        assert driver.rows() == ["first", "prompt"]
        await driver.press("down", "down")
        assert driver.rows() == ["one", "two", "three"]
        await driver.type("|")
        assert driver.editor.text == "one|\ntwo\nthree"


async def test_the_history_of_an_earlier_run_is_there(open_editor: Any, tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    for prompt in ("from the first run", ""):
        async with open_editor(history=PromptHistory(path)) as driver:
            await driver.type(prompt)
            await driver.press("enter", "up")
            assert driver.editor.text == "from the first run"


async def test_another_project_has_other_prompts_and_what_is_being_written_stays(
    open_editor: Any, tmp_path: Path
) -> None:
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    PromptHistory(there).add(Draft.of("said there"))
    async with open_editor(history=PromptHistory(here)) as driver:
        await driver.type("said here")
        await driver.press("enter")
        await driver.type("a draft")
        await driver.press("up", "up")
        assert driver.editor.text == "said here"
        driver.editor.use_history(there)
        assert driver.editor.text == "said here"
        await driver.press("up")
        assert driver.editor.text == "a draft"
        await driver.press("up")
        assert driver.editor.text == "said there"
        await driver.press("down", "down", "ctrl+u")
        await driver.type("a prompt for there")
        await driver.press("enter")
    assert [draft.text for draft in PromptHistory(there).entries] == ["said there", "a prompt for there"]
    assert [draft.text for draft in PromptHistory(here).entries] == ["said here"]


async def test_take_is_like_sending_without_a_message(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("follow up")
        assert driver.editor.take().text == "follow up"
        assert driver.editor.take().text == ""
        await driver.press("up")
        assert driver.editor.text == "follow up"
        assert driver.app.submitted == []


async def test_clearing_can_be_undone(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("a prompt")
        driver.editor.clear()
        assert driver.editor.is_empty
        await driver.press("ctrl+underscore")
        assert driver.editor.text == "a prompt"


async def test_a_draft_survives_with_paste_and_cursor(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("see ")
        await driver.paste(LINES_A)
        await driver.type("!")
        await driver.press("left", "left")
        saved = Draft.from_json(driver.editor.draft.to_json())
    async with open_editor() as driver:
        assert saved is not None
        driver.editor.restore_draft(saved)
        await driver.pilot.pause()
        assert driver.rows() == ["see [paste #1 +30 lines]!"]
        await driver.press("delete")
        assert driver.editor.text == "see !"


async def test_setting_the_text(open_editor: Any) -> None:
    async with open_editor() as driver:
        driver.editor.set_text("abc", cursor_end=False)
        await driver.type("x")
        driver.editor.insert("y\n")
        assert driver.editor.text == "xy\nabc"
        revision = driver.editor.revision
        driver.editor.set_text("new")
        await driver.type("!")
        assert driver.editor.text == "new!"
        assert driver.editor.revision > revision


async def test_changes_of_meaning_are_told_and_only_those(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("!!ls -l")
        await driver.press("ctrl+u")
        await driver.type("/m")
        assert driver.app.changed == ["!", "!!", "", "/", "/m"]


async def test_actions_of_others_are_dispatched(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.press("ctrl+o", "escape", "alt+enter", "shift+tab", "pageup", "ctrl+l")
        assert driver.app.actions == [
            "app.tools.expand",
            "app.interrupt",
            "app.message.followUp",
            "app.thinking.cycle",
            "tui.altScreen.pageUp",
            "app.model.select",
        ]


async def test_ctrl_d_deletes_in_a_text_and_quits_on_an_empty_line(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("ab")
        await driver.press("ctrl+a", "ctrl+d")
        assert driver.editor.text == "b"
        await driver.press("end", "ctrl+d")
        assert driver.app.actions == []
        await driver.press("backspace", "ctrl+d")
        assert driver.app.actions == ["app.exit"]


async def test_a_declined_action_leaves_the_key_to_the_next(open_editor: Any) -> None:
    async with open_editor() as driver:
        driver.app.applicable = lambda action_id: not action_id.startswith("tui.altScreen")
        await driver.type("\n".join("123456789"))
        await driver.press("pageup")
        assert driver.app.actions == ["tui.altScreen.pageUp"]
        await driver.type("x")
        assert driver.editor.text.index("x") < len("1\n2\n3\n4")


async def test_unbound_keys_reach_the_app(open_editor: Any) -> None:
    async with open_editor() as driver:
        seen: list[str] = []
        driver.app.bind("f9", "note", description="")
        driver.app.action_note = lambda: seen.append("f9")
        await driver.press("f9")
        assert seen == ["f9"]


async def test_jumping_takes_the_next_character(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("a.b.c")
        await driver.press("home", "ctrl+right_square_bracket")
        await driver.type(".")
        await driver.type("|")
        assert driver.editor.text == "a|.b.c"
        await driver.press("ctrl+right_square_bracket", "escape")
        assert driver.app.actions == []
        await driver.type(".")
        assert driver.editor.text == "a|..b.c"


async def test_a_user_s_binding_wins(open_editor: Any, tmp_path: Path) -> None:
    table = table_with(tmp_path, '{"tui.editor.cursorUp": ["up", "ctrl+p"], "tui.editor.cursorLeft": "+"}')
    async with open_editor(table=table) as driver:
        await driver.type("ab\nc")
        await driver.press("ctrl+p")
        assert driver.app.actions == []
        await driver.type("+|")
        assert driver.editor.text == "|ab\nc"


async def test_a_reload_applies_at_once(open_editor: Any, tmp_path: Path) -> None:
    async with open_editor() as driver:
        driver.editor.resolver.table = table_with(tmp_path, '{"app.tools.expand": "ctrl+t"}')
        await driver.press("ctrl+t", "ctrl+o")
        assert driver.app.actions == ["app.tools.expand"]


def chord_table(**chords: str) -> KeyTable:
    ids = {"copy": "app.message.copy", "new": "app.session.new"}
    keys = {ids[name]: (parse_chord(chord),) for name, chord in chords.items()}
    return KeyTable(keys, ACTIONS)


async def test_letters_of_a_chord_are_text_unless_it_is_completed(open_editor: Any) -> None:
    async with open_editor(table=chord_table(copy="j k", new="ctrl+x n")) as driver:
        await driver.type("aj")
        assert driver.editor.text == "a"
        await driver.type("b")
        assert driver.editor.text == "ajb"
        await driver.type("jk")
        assert driver.app.actions == ["app.message.copy"]
        assert driver.editor.text == "ajb"
        await driver.press("ctrl+x")
        await driver.type("n")
        assert driver.app.actions == ["app.message.copy", "app.session.new"]
        await driver.type("jjx")
        assert driver.editor.text == "ajbjjx"


async def test_a_letter_held_back_appears_in_time(open_editor: Any) -> None:
    async with open_editor(table=chord_table(copy="j k")) as driver:
        driver.editor.resolver.timeout = 0.01
        await driver.type("j")
        for _ in range(100):
            if driver.editor.text:
                break
            await driver.pilot.pause(0.02)
        assert driver.editor.text == "j"
        await driver.type("k")
        assert driver.editor.text == "jk"


async def test_a_text_that_begins_with_a_mark_is_sent_as_a_shell_command(open_editor: Any) -> None:
    async with open_editor() as driver:
        for text in ("!ls", " !ls", "\n!!ls", "l!s"):
            await driver.type(text)
            assert driver.editor.in_shell_mode == (text != "l!s")
            await driver.press("enter")
        assert driver.app.commands == ["!ls", " !ls", "!!ls"]
        assert driver.app.submitted == ["l!s"]


async def test_a_mark_without_a_command_is_not_sent(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("!! ")
        await driver.press("enter")
        assert driver.editor.text == "!! "
        assert driver.app.submitted == []
        assert driver.editor.history.entries == []


async def test_where_there_is_no_shell_a_mark_is_a_character(open_editor: Any) -> None:
    async with open_editor(shell=False) as driver:
        await driver.type("!")
        assert not driver.editor.in_shell_mode
        await driver.press("enter")
        assert driver.app.submitted == ["!"]


async def test_a_folded_paste_is_no_shell_command(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.paste("!ls\n" * 30)
        assert not driver.editor.in_shell_mode
