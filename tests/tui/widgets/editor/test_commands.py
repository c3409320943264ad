"""Editing operations, as a user of the editor knows them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pi_term.tui.actions import in_scope
from pi_term.tui.widgets.editor.buffer import Position
from pi_term.tui.widgets.editor.commands import Commands
from pi_term.tui.widgets.editor.completer import Completer
from pi_term.tui.widgets.editor.document import Document
from pi_term.tui.widgets.editor.editor import Editor
from pi_term.tui.widgets.editor.history import PromptHistory
from pi_term.tui.widgets.editor.paste import Draft
from pi_term.tui.widgets.editor.prompt import PromptView

Do = Callable[..., None]


@pytest.fixture
def commands() -> Commands:
    return Commands(Document(width=20), PromptHistory())


@pytest.fixture
def do(commands: Commands) -> Do:
    def run(*names: str) -> None:
        for name in names:
            commands.run(f"action_{name}")

    return run


def write(commands: Commands, text: str) -> None:
    for char in text:
        if char == "\n":
            commands.run("action_new_line")
        else:
            commands.type_text(char)


def shown(commands: Commands) -> str:
    """The text with a bar for the cursor."""
    buffer = commands.document.buffer
    row, column = buffer.cursor
    lines = list(buffer.lines)
    lines[row] = f"{lines[row][:column]}|{lines[row][column:]}"
    return "\n".join(lines)


def test_every_editor_action_has_its_method() -> None:
    for action in in_scope("editor") + in_scope("select"):
        homes = [home for home in (Commands, Completer, Editor, PromptView) if action.handler in vars(home)]
        assert len(homes) == 1, action.id


def test_left_and_right_cross_lines(commands: Commands, do: Do) -> None:
    write(commands, "a\nb")
    do("cursor_left", "cursor_left")
    assert shown(commands) == "a|\nb"
    do("cursor_right")
    assert shown(commands) == "a\n|b"


def test_words(commands: Commands, do: Do) -> None:
    write(commands, "one two")
    do("word_left")
    assert shown(commands) == "one |two"
    do("word_left", "word_right")
    assert shown(commands) == "one| two"


def test_line_ends(commands: Commands, do: Do) -> None:
    write(commands, "ab\ncd")
    do("line_start")
    assert shown(commands) == "ab\n|cd"
    do("word_left", "line_start", "line_end")
    assert shown(commands) == "ab|\ncd"


def test_moving_up_and_down_remembers_where_it_began(commands: Commands, do: Do) -> None:
    write(commands, "long line\nab\nlong line")
    do("cursor_up")
    assert shown(commands) == "long line\nab|\nlong line"
    do("cursor_up")
    assert shown(commands) == "long line|\nab\nlong line"
    do("cursor_down", "cursor_down")
    assert shown(commands) == "long line\nab\nlong line|"


def test_moving_up_goes_by_rows_of_the_screen(commands: Commands, do: Do) -> None:
    write(commands, "twenty characters or more")
    do("cursor_up")
    assert shown(commands) == "twen|ty characters or more"


def test_pages(commands: Commands, do: Do) -> None:
    commands.page_rows = 3
    write(commands, "a\nb\nc\nd\ne")
    do("page_up")
    assert shown(commands) == "a\nb|\nc\nd\ne"
    do("page_up")
    assert shown(commands) == "a|\nb\nc\nd\ne"
    do("page_down", "page_down")
    assert shown(commands) == "a\nb\nc\nd\ne|"


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("delete_backward", "one tw|o"),
        ("delete_forward", "one two|"),
        ("delete_word_backward", "one |o"),
        ("delete_word_forward", "one two|"),
        ("delete_to_line_start", "|o"),
        ("delete_to_line_end", "one two|"),
    ],
)
def test_deleting(commands: Commands, do: Do, name: str, result: str) -> None:
    write(commands, "one twoo")
    do("cursor_left")
    do(name)
    assert shown(commands) == result


@pytest.mark.parametrize("name", ["delete_backward", "delete_word_backward", "delete_to_line_start"])
def test_deleting_at_the_start_of_a_line_joins_it(commands: Commands, do: Do, name: str) -> None:
    write(commands, "a\nb")
    do("line_start", name)
    assert shown(commands) == "a|b"


@pytest.mark.parametrize("name", ["delete_forward", "delete_word_forward", "delete_to_line_end"])
def test_deleting_at_the_end_of_a_line_joins_the_next(commands: Commands, do: Do, name: str) -> None:
    write(commands, "a\nb")
    do("cursor_left", "cursor_left", name)
    assert shown(commands) == "a|b"


def test_deleting_forward_declines_only_on_an_empty_text(commands: Commands) -> None:
    assert commands.run("action_delete_forward") is False
    commands.type_text("a")
    assert commands.run("action_delete_forward") is True


def test_deleting_takes_a_whole_character(commands: Commands, do: Do) -> None:
    write(commands, "a")
    commands.type_text("👨‍👩‍👧")
    do("delete_backward")
    assert shown(commands) == "a|"


def test_cuts_in_a_row_come_back_as_one(commands: Commands, do: Do) -> None:
    write(commands, "one two three")
    do("delete_word_backward", "delete_word_backward")
    assert shown(commands) == "one |"
    do("yank")
    assert shown(commands) == "one two three|"


def test_older_cuts(commands: Commands, do: Do) -> None:
    write(commands, "one two")
    do("delete_word_backward", "line_start", "delete_word_forward")
    assert shown(commands) == "| "
    do("yank", "yank_pop")
    assert shown(commands) == "two| "
    do("yank_pop")
    assert shown(commands) == "one| "
    do("cursor_left", "yank_pop")
    assert shown(commands) == "on|e "


def test_a_paste_that_was_cut_comes_back_even_in_the_next_prompt(commands: Commands, do: Do) -> None:
    commands.paste("line\n" * 30)
    do("delete_to_line_start")
    write(commands, "x")
    assert commands.finish().text == "x"
    do("yank")
    assert commands.document.text == "line\n" * 30
    assert len(commands.document.buffer.text) == 1


def test_undo_takes_back_a_word(commands: Commands, do: Do) -> None:
    write(commands, "one two")
    do("undo")
    assert shown(commands) == "one |"
    do("undo")
    assert shown(commands) == "|"
    do("undo", "redo", "redo", "redo")
    assert shown(commands) == "one two|"


def test_undo_brings_a_deleted_paste_back(commands: Commands, do: Do) -> None:
    commands.paste("line\n" * 30)
    do("delete_backward")
    assert commands.document.is_empty
    do("undo")
    assert commands.document.text == "line\n" * 30


def test_jumping_to_a_character(commands: Commands, do: Do) -> None:
    write(commands, "a.b\nc.d")
    do("jump_backward")
    assert commands.land(".")
    assert shown(commands) == "a.b\nc|.d"
    do("jump_backward")
    commands.land(".")
    assert shown(commands) == "a|.b\nc.d"
    do("jump_forward")
    commands.land(".")
    assert shown(commands) == "a.b\nc|.d"
    do("jump_forward")
    assert not commands.land("z")
    assert shown(commands) == "a.b\nc|.d"


def test_another_operation_ends_a_jump(commands: Commands, do: Do) -> None:
    do("jump_forward", "cursor_left")
    assert commands.jump is None


def send(commands: Commands, *texts: str) -> None:
    for text in texts:
        commands.load(Draft.of(text))
        commands.finish()


def test_up_walks_through_the_draft_first_and_down_brings_it_back(commands: Commands, do: Do) -> None:
    send(commands, "older", "first\nsecond")
    write(commands, "one\ntwo\nthree")
    do("cursor_up", "cursor_up")
    assert shown(commands) == "one|\ntwo\nthree"
    do("cursor_up")
    assert shown(commands) == "first\nsecond|"
    do("cursor_up")
    assert shown(commands) == "older|"
    do("cursor_up", "cursor_down")
    assert shown(commands) == "first\nsecond|"
    do("cursor_down")
    assert shown(commands) == "one|\ntwo\nthree"


def test_a_recalled_prompt_that_was_touched_is_walked_through(commands: Commands, do: Do) -> None:
    send(commands, "older", "first\nsecond")
    do("cursor_up", "cursor_left", "cursor_up")
    assert shown(commands) == "first|\nsecond"
    do("cursor_up")
    assert shown(commands) == "older|"
    do("cursor_down")
    assert shown(commands) == "first|\nsecond"


def test_changes_to_a_recalled_prompt_survive_the_walk(commands: Commands, do: Do) -> None:
    send(commands, "older", "newer")
    do("cursor_up")
    write(commands, "!")
    do("cursor_up", "cursor_down")
    assert shown(commands) == "newer!|"


def test_history_keys_work_from_anywhere(commands: Commands, do: Do) -> None:
    send(commands, "old")
    write(commands, "a\nb")
    do("history_previous")
    assert shown(commands) == "old|"
    do("history_next")
    assert shown(commands) == "a\nb|"
    do("history_next")
    assert shown(commands) == "a\nb|"


def test_a_recalled_paste_is_still_folded(commands: Commands, do: Do) -> None:
    commands.paste("line\n" * 30)
    commands.finish()
    do("cursor_up")
    assert commands.document.text == "line\n" * 30
    assert len(commands.document.buffer.text) == 1


@pytest.mark.parametrize("leave", [Commands.finish, lambda commands: commands.load(Draft.of("set"))])
def test_a_draft_left_behind_in_a_walk_is_not_lost(
    commands: Commands, do: Do, leave: Callable[[Commands], object]
) -> None:
    send(commands, "old", "new")
    write(commands, "a draft")
    do("cursor_up", "cursor_up")
    leave(commands)
    assert "a draft" in [draft.text for draft in commands.history.entries]


def test_finishing_takes_the_text_and_nothing_blank(commands: Commands) -> None:
    write(commands, "  \n ")
    assert commands.finish().text == ""
    assert not commands.document.is_empty
    commands.load(Draft.of("\n text \n"))
    assert commands.finish().text == " text"
    assert commands.document.is_empty
    assert commands.document.buffer.cursor == Position(0, 0)
