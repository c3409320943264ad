"""Long lists are searched beside the keys, and what is typed is for what will be found."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

import pytest

from pi_term.coding.session import StoredEntry
from pi_term.testing.app import run_app
from pi_term.testing.scripted import Say, ScriptedModel
from pi_term.tui.screens import session_fork


async def test_enter_takes_what_is_searched_for_and_no_key_searches_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, reading, read = threading.Event(), threading.Event(), Counter[str]()
    searched_text = session_fork.searched_text

    def slowly(entry: StoredEntry) -> str:
        read[entry.id] += 1
        reading.set()
        assert told.wait(60)
        return searched_text(entry)

    monkeypatch.setattr(session_fork, "searched_text", slowly)
    with ScriptedModel([[Say(f"answer {number}")] for number in range(3)]) as script:
        async with run_app(script, tmp_path) as driver:
            for text in ("the first one", "something else", "the last one"):
                await driver.send(text)
                await driver.settle()
            await driver.press("alt+k")
            await driver.wait_for("→ the last one")
            await driver.type("fir")
            await driver.wait_for("(3/3…)")
            await driver.type("st")
            await driver.press("enter")
            assert reading.is_set()
            screen = await driver.wait_for("> first")
            assert "Fork (" in screen
            told.set()
            await driver.wait_for(lambda text: "Fork (" not in text and "answer" not in text)
            assert driver.app.main.editor.text == "the first one"
    assert sorted(read.values()) == [1, 1, 1]
