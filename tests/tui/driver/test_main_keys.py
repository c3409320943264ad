"""Every default key of the main screen, as bytes of a real terminal, asks for its action."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.paths import shipped
from pi_term.testing.key_bytes import Protocol, key_bytes, key_release
from pi_term.tui.actions import in_scope

APP = Path(__file__).parent / "keys_app.py"
TEXT_ONLY = {"enter", "tab"}


def main_keys() -> dict[str, list[str]]:
    """The default keys of the actions of the main screen that are not the editor's."""
    keys = json.loads((shipped("keymaps") / "pi.json").read_text())
    actions = [action.id for scope in ("app", "transcript") for action in in_scope(scope)]
    return {each: [keys[each]] if isinstance(keys[each], str) else keys[each] for each in actions}


def test_every_action_with_a_key_has_one_that_every_terminal_sends() -> None:
    for action_id, keys in main_keys().items():
        assert not keys or any(key_bytes(key, "legacy") for key in keys), action_id


@pytest.mark.parametrize("protocol", ["legacy", "modifyOtherKeys", "kitty"])
def test_every_key_arrives(make_terminal: Callable[..., Any], protocol: Protocol) -> None:
    terminal = make_terminal()
    terminal.start([sys.executable, str(APP), str(terminal.log_file)])
    terminal.wait_for_log("started")
    for action_id, keys in main_keys().items():
        for key in keys:
            data = key_bytes(key, protocol)
            if data is None:
                continue
            before = terminal.log.count(f"action {action_id}\n")
            terminal.send(data)
            terminal.wait_for(
                lambda action_id=action_id, before=before: (
                    terminal.log.count(f"action {action_id}\n") > before
                )
            )
            if protocol == "kitty":
                terminal.send(key_release(key))
    # What was let go asked for nothing, and nothing of all that was typed.
    asked = terminal.log.count("action ")
    terminal.send(b"z")
    terminal.wait_for(lambda: any(row.strip() == "z" for row in terminal.screen()))
    assert terminal.log.count("action ") == asked
