"""From keys to actions: contexts, chords, time and reload."""

from __future__ import annotations

import pytest
from textual.events import Key

from pi_term.tui.actions import EDITOR_CONTEXTS, Action
from pi_term.tui.driver.parser import InputParser
from pi_term.tui.keymap.names import parse_chord
from pi_term.tui.keymap.resolver import KeyResolver, Match, Pending
from pi_term.tui.keymap.table import KeyTable, load_table


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def table(**bindings: str | list[str]) -> KeyTable:
    """A table of actions `editor_x`, `app_x`; the part before the underscore is the scope."""
    actions = [Action(name, name, name.split("_")[0], "action_x", name) for name in bindings]
    keys = {
        name: tuple(parse_chord(key) for key in ([value] if isinstance(value, str) else value))
        for name, value in bindings.items()
    }
    return KeyTable(keys, actions)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def chords(clock: Clock) -> KeyResolver:
    bindings = {"app_save": "ctrl+x ctrl+s", "app_send": "ctrl+x ctrl+x s", "editor_up": "up", "app_up": "up"}
    return KeyResolver(table(**bindings), timeout=1.0, clock=clock)


def ids(found: Match | Pending | None) -> tuple[str, ...]:
    assert isinstance(found, Match)
    return found.action_ids


def test_contexts_decide_in_their_order(chords: KeyResolver) -> None:
    assert ids(chords.resolve(("editor", "app"), "up")) == ("editor_up", "app_up")
    assert ids(chords.resolve(("app", "editor"), "up")) == ("app_up", "editor_up")
    assert ids(chords.resolve(("app",), "up")) == ("app_up",)
    assert chords.resolve(("tree",), "up") is None


def test_a_chord_is_pending_until_it_is_complete(chords: KeyResolver) -> None:
    assert chords.resolve(("app",), "ctrl+x") == Pending(("ctrl+x",))
    assert chords.pending == ("ctrl+x",)
    assert ids(chords.resolve(("app",), "ctrl+s")) == ("app_save",)
    assert chords.pending == ()


def test_three_keys(chords: KeyResolver) -> None:
    chords.resolve(("app",), "ctrl+x")
    assert chords.resolve(("app",), "ctrl+x") == Pending(("ctrl+x", "ctrl+x"))
    found = chords.resolve(("app",), "s")
    assert found == Match(("app_send",), ("ctrl+x", "ctrl+x", "s"))


def test_a_key_that_does_not_continue_counts_on_its_own(chords: KeyResolver) -> None:
    chords.resolve(("editor", "app"), "ctrl+x")
    assert ids(chords.resolve(("editor", "app"), "up")) == ("editor_up", "app_up")
    chords.resolve(("app",), "ctrl+x")
    assert chords.resolve(("app",), "q") is None
    assert chords.pending == ()


def test_the_beginning_of_a_chord_is_forgotten_in_time(chords: KeyResolver, clock: Clock) -> None:
    chords.resolve(("app",), "ctrl+x")
    clock.now = 1.5
    assert chords.resolve(("app",), "ctrl+s") is None
    chords.resolve(("app",), "ctrl+x")
    clock.now = 2.4
    assert ids(chords.resolve(("app",), "ctrl+s")) == ("app_save",)


def test_a_chord_does_not_begin_in_another_context(chords: KeyResolver) -> None:
    assert chords.resolve(("editor",), "ctrl+x") is None


def test_a_new_table_applies_at_once_and_ends_a_chord(chords: KeyResolver) -> None:
    chords.resolve(("app",), "ctrl+x")
    chords.table = table(app_other="ctrl+s")
    assert chords.pending == ()
    assert ids(chords.resolve(("app",), "ctrl+s")) == ("app_other",)
    assert chords.keys_for("app_other") == ("ctrl+s",)
    assert chords.hint("app_save") == ""


def test_ctrl_minus_works_where_the_terminal_calls_it_ctrl_underscore() -> None:
    resolver = KeyResolver(load_table()[0])
    for key in ("ctrl+underscore", "ctrl+minus"):
        assert ids(resolver.resolve(EDITOR_CONTEXTS, key)) == ("tui.editor.undo",)


def test_the_main_screen_s_shared_keys() -> None:
    resolver = KeyResolver(load_table()[0])
    assert ids(resolver.resolve(EDITOR_CONTEXTS, "ctrl+d")) == ("tui.editor.deleteCharForward", "app.exit")
    assert ids(resolver.resolve(EDITOR_CONTEXTS, "pageup"))[0] == "tui.altScreen.pageUp"
    assert ids(resolver.resolve(("select", *EDITOR_CONTEXTS), "escape")) == (
        "tui.select.cancel",
        "app.interrupt",
    )
    assert ids(resolver.resolve(("select", *EDITOR_CONTEXTS), "ctrl+c")) == (
        "tui.select.cancel",
        "tui.input.copy",
        "app.clear",
    )
    assert resolver.resolve(EDITOR_CONTEXTS, "x") is None
    found = resolver.resolve(EDITOR_CONTEXTS, "enter")
    assert isinstance(found, Match)
    assert found.action_id == "tui.input.submit"


@pytest.mark.parametrize(
    ("data", "action_id"),
    [
        (b"\x1b\r", "app.message.followUp"),
        (b"\x1b[13;3u", "app.message.followUp"),
        (b"\x1b[27;2;13~", "tui.input.newLine"),
        (b"\n", "tui.input.newLine"),
        (b"\x1f", "tui.editor.undo"),
        (b"\x1b[45;5u", "tui.editor.undo"),
        (b"\x1bZ", "tui.editor.redo"),
        (b"\x1b\x7f", "tui.editor.deleteWordBackward"),
        (b"\x1bb", "tui.editor.cursorWordLeft"),
        (b"\x1b[1;3D", "tui.editor.cursorWordLeft"),
        (b"\x1b\x1d", "tui.editor.jumpBackward"),
        (b"\x1b[Z", "app.thinking.cycle"),
        (b"\x1bn", "app.session.new"),
        (b"\x1b[112;6u", "app.model.cycleBackward"),
        (b"\x1b[1;6A", "tui.altScreen.previousPrompt"),
    ],
)
def test_bytes_of_terminals_reach_their_actions(data: bytes, action_id: str) -> None:
    parser = InputParser()
    keys = [message for message in parser.feed(data, 0.0) + parser.expire(60.0) if isinstance(message, Key)]
    resolver = KeyResolver(load_table()[0])
    assert [ids(resolver.resolve(EDITOR_CONTEXTS, key.key))[0] for key in keys] == [action_id]
