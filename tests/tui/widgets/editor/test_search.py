"""Looking for an earlier prompt."""

from __future__ import annotations

from typing import Any

import pytest

from pi_term.tui.widgets.editor.completion import CompletionList
from pi_term.tui.widgets.editor.history import PromptHistory
from pi_term.tui.widgets.editor.paste import Block, Draft


@pytest.fixture
def history() -> PromptHistory:
    found = PromptHistory()
    for text in ("fix the parser", "write\ntests for the parser", "fix the parser", "other"):
        found.add(Draft.of(text))
    return found


def labels(driver: Any) -> list[str]:
    return [each.label for each in driver.app.query_one(CompletionList).offers]


async def test_typing_narrows_and_enter_takes_without_sending(open_editor: Any, history: Any) -> None:
    async with open_editor(history=history) as driver:
        await driver.type("draft")
        await driver.press("ctrl+r")
        assert labels(driver) == ["other", "fix the parser", "write"]
        assert driver.rows() == ["Type to search"]
        await driver.type("PARSER te")
        assert labels(driver) == ["write … tests for the parser"]
        await driver.press("enter")
        assert driver.editor.text == "write\ntests for the parser"
        assert driver.app.submitted == []
        # What was being written is one step up.
        await driver.press("ctrl+u", "ctrl+u", "ctrl+u", "ctrl+u", "up")
        assert driver.editor.text == "draft"


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_the_draft_comes_back_as_it_was(open_editor: Any, history: Any, key: str) -> None:
    async with open_editor(history=history) as driver:
        await driver.type("a draft")
        await driver.press("left", "ctrl+r")
        await driver.type("zzz")
        assert labels(driver) == []
        assert driver.editor.text == "a draft"
        await driver.press("enter", "up", key)
        assert driver.editor.text == "a draft"
        assert not {"app.clear", "app.interrupt"} & set(driver.app.actions)
        await driver.type("|")
        assert driver.editor.text == "a draf|t"


async def test_the_key_again_goes_to_older_ones(open_editor: Any, history: Any) -> None:
    async with open_editor(history=history) as driver:
        await driver.press("ctrl+r", "ctrl+r", "ctrl+r", "enter")
        assert driver.editor.text == "write\ntests for the parser"


async def test_folded_pastes_come_back_folded(open_editor: Any) -> None:
    history = PromptHistory()
    history.add(Draft(("see ", Block(1, "line\n" * 30))))
    async with open_editor(history=history) as driver:
        await driver.press("ctrl+r")
        await driver.type("see")
        await driver.press("tab")
        assert driver.rows() == ["see [paste #1 +30 lines]"]


async def test_others_meet_the_draft_and_not_the_search(open_editor: Any, history: Any) -> None:
    async with open_editor(history=history) as driver:
        await driver.type("!ls")
        await driver.press("ctrl+r")
        assert not driver.editor.in_shell_mode
        await driver.type("fix")
        driver.editor.prepend(["queued"])
        assert driver.editor.text == "queued\n\n!ls"
        await driver.press("ctrl+r")
        await driver.type("fix")
        await driver.press("alt+t")
        assert driver.app.actions == ["app.session.tree"]
        assert driver.editor.text == "queued\n\n!ls"


async def test_without_earlier_prompts_the_key_does_nothing(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("x")
        await driver.press("ctrl+r")
        assert driver.editor.text == "x"
