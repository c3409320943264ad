"""The tree, the sessions and what belongs to them: whole screens. Look at a changed picture as at code."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual import events

from pi_term.ai.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, Usage, UserMessage
from pi_term.base.paths import AppPaths
from pi_term.coding.session import (
    BranchSummaryEntry,
    EntryRecord,
    LabelEntry,
    MessageEntry,
    SessionFile,
    SessionInfoEntry,
    StoredEntry,
)
from pi_term.coding.session.locate import folder_for_cwd
from pi_term.coding.startup import StartRequest
from pi_term.testing.app import AppDriver, run_app, shipped_theme
from pi_term.testing.scripted import ScriptedModel
from pi_term.tui import session_facts
from pi_term.tui.keymap.table import load_table
from pi_term.tui.looks import Looks
from pi_term.tui.screens import resume

SIZES = [(60, 20), (100, 30), (200, 50)]
NOW = 1_767_603_600  # 2026-01-05 09:00 UTC
CODE = """\
It is in `layout.py`:

```python
def width_of(row: Row) -> int:
    return sum(cell.width for cell in row.cells)
```

- the **last** column counts twice
- nobody noticed, since it is empty
"""


@pytest.fixture
def moment(still: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that looks the same everywhere, and a clock that stands still."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(resume, "now_ms", lambda: NOW * 1000)
    (still / "work").mkdir()
    (still / "other").mkdir()
    yield still
    monkeypatch.undo()
    time.tzset()


class Writer:
    """Writes a session whose entries are a minute apart."""

    def __init__(self, folder: Path, cwd: Path, id: str) -> None:
        root = AppPaths(*[folder / "home"] * 4).sessions_dir
        self.file = SessionFile.create(folder_for_cwd(root, cwd), cwd, id=id)
        self._minute = 0

    def add(self, record: EntryRecord) -> StoredEntry:
        self._minute += 1
        record.timestamp = f"2026-01-05T08:{self._minute:02}:00.000Z"
        return self.file.add(record)

    def say(self, text: str) -> StoredEntry:
        return self.add(MessageEntry(UserMessage([TextContent(text)])))

    def answer(self, text: str, *calls: ToolCall, cost: float = 0.05) -> StoredEntry:
        used = {"input": 1200, "output": 340, "cacheRead": 8000, "totalTokens": 9540, "cost": {"total": cost}}
        parts = [*([TextContent(text)] if text else []), *calls]
        usage = Usage.from_json(used)
        stop = "toolUse" if calls else "stop"
        return self.add(
            MessageEntry(
                AssistantMessage(parts, provider="test", model="big-model", stop_reason=stop, usage=usage)
            )
        )

    def tool(self, name: str, output: str, *, error: bool = False, **arguments: str) -> StoredEntry:
        self.answer("", ToolCall("1", name, dict(arguments)), cost=0.01)
        return self.add(MessageEntry(ToolResultMessage("1", name, [TextContent(output)], is_error=error)))

    def store(self, age: int) -> Path:
        """`age` seconds old."""
        self.file.flush()
        self.file.close()
        path = self.file.path
        assert path is not None
        os.utime(path, (NOW - age, NOW - age))
        return path


def talk_with_branches(folder: Path) -> Path:
    writer = Writer(folder, folder / "work", "0a1b2c3d-tree")
    writer.say("The table's last column is cut off. Find out why.")
    writer.tool("bash", "layout.py:12: def width_of", command="grep -rn width_of src")
    found = writer.answer(CODE)
    writer.say("Rewrite the module then")
    writer.tool("write", "Wrote layout.py", path="layout.py", content="…")
    inner = writer.tool("bash", "3 failed", error=True, command="pytest -q")
    writer.say("Try with a cache")
    writer.answer("That does not help: the tests still fail.")
    writer.file.tree.leaf = inner
    writer.say("Undo it, it is too much")
    writer.answer("I have put the module back.")
    writer.file.tree.leaf = found
    writer.add(BranchSummaryEntry(from_id=inner.id, summary="## Goal\n\nA rewrite was tried and undone."))
    fix = writer.say("Only mend width_of, and add a test for it")
    writer.tool("edit", "Edited layout.py", path="layout.py")
    writer.tool("bash", "12 passed", command="pytest -q")
    writer.answer("Mended: the last column counts once, and a test holds it.", cost=0.31)
    writer.add(LabelEntry(target_id=fix.id, label="the fix"))
    return writer.store(60)


def shelf(folder: Path) -> None:
    """Sessions of some folders and times, one of a folder that does not exist any more."""
    for number, (cwd, first, answer, name, age) in enumerate(
        (
            ("work", "Why is the start slow?", "The table of widths is built twice.", "slow start", 300),
            ("work", "Write release notes for 0.3", "Here is a draft of the notes.", None, 7_200),
            ("other", "Set up the linter", "Done, with the rules of the main project.", None, 90_000),
            ("gone", "Compare both parsers", "The table shows the second is faster.", "parsers", 900_000),
        )
    ):
        writer = Writer(folder, folder / cwd, f"{number}f00-list")
        writer.say(first)
        writer.answer(answer)
        if name is not None:
            writer.add(SessionInfoEntry(name=name))
        writer.store(age)


async def in_all_sizes(
    driver: AppDriver, picture: Any, key: str, ready: str, previewed: Callable[[str], bool], search: str = ""
) -> None:
    """A screen in all sizes, dark and light; of sessions, those of all folders that a search finds.

    It shows `ready` then, and is `previewed`.
    """
    for theme in ("dark", "light"):
        driver.app.use_looks(Looks(shipped_theme(theme), load_table()[0]))
        for width, height in SIZES:
            await driver.pilot.resize_terminal(width, height)
            await driver.press(key)
            if search:
                await driver.press("tab")
                driver.app.screen.post_message(events.Paste(search))
            await driver.wait_for(lambda text: ready in text and previewed(text))
            await driver.pilot.pause()
            assert driver.picture() == picture(name=f"{width}x{height}-{theme}")
            await close(driver)


async def close(driver: AppDriver) -> None:
    """Escape, until the transcript is there again; once more would ask for the tree."""
    while driver.app.screen is not driver.app.main:
        await driver.press("escape")
        await driver.pilot.pause()


def request(folder: Path, script: ScriptedModel, path: Path) -> StartRequest:
    return StartRequest(cwd=folder / "work", model=script.model.key, session=str(path))


async def test_tree(moment: Path, picture: Any) -> None:
    path = talk_with_branches(moment)
    with ScriptedModel() as script:
        async with run_app(script, moment, request=request(moment, script, path)) as driver:
            await in_all_sizes(
                driver, picture, "alt+t", "messages · $", lambda text: text.count("Mended: the") > 1
            )


async def test_resume(moment: Path, picture: Any) -> None:
    shelf(moment)
    talk_with_branches(moment)
    with ScriptedModel() as script:
        async with run_app(script, moment) as driver:
            await in_all_sizes(
                driver, picture, "alt+r", "Resume (1/6) all", lambda text: "19 messages ·" in text, "table"
            )


async def test_the_rest(moment: Path, picture: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = talk_with_branches(moment)
    shelf(moment)
    monkeypatch.setattr(session_facts, "_where", lambda session: "~/sessions/0a1b2c3d-tree.jsonl")
    with ScriptedModel() as script:
        async with run_app(script, moment, request=request(moment, script, path)) as driver:
            for name, text, ready, previewed, keys in (
                ("fork", "/fork", "Fork (2/2)", "▌ Only mend", ()),
                ("session", "/session", "← here", "By branch", ()),
                ("label", "/tree", "takes it away", "edit  layout.py", ("up", "up", "L")),
                ("filter", "/tree", "[your messages]", "▌ Only mend", ("ctrl+u", "T", "home", "right")),
                ("delete", "/resume", "Delete “slow start”?", "▌ Why is the start", ("down", "ctrl+d")),
                ("sessions", "/resume", "folder is gone", "▌ Only mend", ("tab", "end", "down")),
            ):
                os.utime(path, (NOW - 60, NOW - 60))  # opening it wrote to it
                await driver.send(text)
                await driver.wait_for("closes")
                await driver.press(*keys)
                wanted = (ready, previewed)
                await driver.wait_for(lambda text, wanted=wanted: all(each in text for each in wanted))
                await driver.pilot.pause()
                assert driver.picture() == picture(name=name)
                await close(driver)
