"""Looking for something, selecting with keys, and copying, in the whole program."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.ai.messages import AssistantMessage, TextContent, UserMessage
from pi_term.coding.session import MessageEntry, SessionFile
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel, Think
from pi_term.tui import clipboard

ANSWER = """\
Do this:

- first
  ```python
  def needle():

      return 1
  ```

and **nee**dle that.

```sh
make
```
"""


class Copied(list[str]):
    """What was copied, in order."""


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> Copied:
    texts = Copied()

    def copy(app: object, text: str) -> bool:
        texts.append(text)
        return True

    monkeypatch.setattr(clipboard, "copy_text", copy)
    return texts


async def test_a_search_goes_through_all_that_there_is(still: Path, copied: Copied) -> None:
    (still / "work").mkdir()
    (still / "work" / "a.txt").write_text("".join(f"line {n}\n" for n in range(60)) + "the needle\n")
    replies = [
        [Think("Where is the NEEDLE?"), Say("I read."), Call("read", {"path": "a.txt"})],
        [Say("text\n\n" * 30 + ANSWER)],
    ]
    with ScriptedModel(replies, reasoning=True) as script:
        async with run_app(script, still, thinking="high") as driver:
            await driver.send("find it")
            await driver.settle()
            await driver.press("ctrl+t")
            await driver.type("a draft")
            before = driver.text()

            await driver.press("alt+s")
            await driver.type("needle")
            await driver.wait_for("4/4 ·")  # a thought, a tool's output, code, and divided by marks
            await driver.press("up")
            await driver.wait_for("3/4")
            await driver.press("up")
            shown = await driver.wait_for("the needle")
            assert "2/4" in shown
            await driver.press("up")
            await driver.wait_for("Where is the NEEDLE?")
            await driver.press("up")
            await driver.wait_for("4/4")
            await driver.type("x")
            await driver.wait_for("no matches")

            await driver.press("escape")
            await driver.wait_for(lambda text: "Search" not in text)
            assert without_thumb(driver.text()) == without_thumb(before)
            await driver.type("!")
            assert driver.app.main.editor.text == "a draft!"

            await driver.press("alt+s")
            await driver.wait_for("Search: needlex")
            await driver.type("first")
            await driver.wait_for("1/1")
            await driver.press("tab")
            await driver.wait_for(lambda text: "Search" not in text)
            assert "first" in driver.text()

            await copy_with_keys(driver, copied)


def without_thumb(text: str) -> str:
    """The screen without the scroll bar, which learnt how long the blocks are."""
    return "\n".join(row.rstrip("▐ ") for row in text.split("\n"))


async def copy_with_keys(driver: AppDriver, copied: Copied) -> None:
    await driver.press("ctrl+end", "alt+w")
    assert copied == ["make"]
    await driver.press("alt+w")
    assert copied[-1] == "def needle():\n\n    return 1"
    await driver.press("alt+m")
    await driver.wait_for("Select · ")
    await driver.press("up", "home", "shift+right", "right", "enter")
    assert copied[-1] == "mak"
    assert driver.app.main.transcript.selected_text() == ""
    await driver.press("alt+m", "up", "tab", "ctrl+c")
    assert copied[-1] == "make"
    await driver.press("alt+m", "ctrl+x")
    assert copied[-1].endswith(ANSWER)
    await driver.press("alt+m", "z")
    await driver.pilot.pause()
    assert driver.app.main.editor.text == "a draft!z"


async def test_what_is_not_shown_yet_is_found(still: Path) -> None:
    with ScriptedModel() as script:
        async with run_app(script, still) as driver:
            file = driver.session.file
            for number in range(400):
                file.add(MessageEntry(UserMessage([TextContent(f"question {number}")])))
                said = "**the ne**edle" if number in (3, 250) else f"answer {number}"
                file.add(MessageEntry(AssistantMessage([TextContent(said)], stop_reason="stop")))
            assert driver.app.main.view is not None
            driver.app.main.view._show_place(driver.app.main.view._here())
            await driver.wait_for("question 399")
            await driver.press("alt+s")
            await driver.type("the needle")
            await driver.wait_for("2/2 ")
            await driver.wait_for("question 250")
            await driver.press("enter")
            await driver.wait_for("1/2 ")
            await driver.wait_for("question 3\n")


def test_a_session_is_gone_through_without_being_loaded() -> None:
    from pi_term.tui.history_view import History
    from pi_term.tui.widgets.transcript.query import Query

    file = SessionFile.in_memory("/")
    for number in range(300):
        file.add(MessageEntry(UserMessage([TextContent(f"question q{number}q")])))
        file.add(MessageEntry(AssistantMessage([TextContent(f"answer {number}")], stop_reason="stop")))
    history = History(file.tree, file.tree.leaf)
    newest = [block.copy_text() for block in history.older(2)]
    assert newest == ["question q299q", "answer 299"]
    found = list(history.earlier(Query("q77Q").may_be_in))
    blocks = [block.copy_text() for block in found if block is not None]
    assert blocks == ["answer 77", "question q77q"]
    assert sum(each is None for each in found) == 598
    assert [block.copy_text() for block in history.older(2)] == ["question q298q", "answer 298"]
