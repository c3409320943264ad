"""The end of a history is on the screen before its session is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_term.ai.messages import AssistantMessage, TextContent, ThinkingContent, UserMessage
from pi_term.base.paths import AppPaths
from pi_term.coding.session import MessageEntry, SessionFile, SessionTree, peek
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.startup import Started, StartRequest
from pi_term.testing.app import AppDriver, make_parts
from pi_term.testing.scripted import ScriptedModel
from pi_term.tui.app import PiTermApp
from pi_term.tui.bridge import TuiBridge


def stored(folder: Path) -> Path:
    (folder / "work").mkdir(exist_ok=True)
    session = SessionFile.create(folder / "sessions", folder / "work")
    session.add(MessageEntry(message=UserMessage([TextContent("The question")])))
    answer = [ThinkingContent("Deep thoughts"), TextContent("The **answer**")]
    session.add(MessageEntry(message=AssistantMessage(answer, stop_reason="stop")))
    session.flush()
    session.close()
    assert session.path is not None
    return session.path


class Late:
    """A program whose session comes when it is let."""

    def __init__(self, script: ScriptedModel, folder: Path, tail: Callable[[], SessionTree | None]) -> None:
        self.come = asyncio.Event()
        request = StartRequest(cwd=folder / "work", session=str(next((folder / "sessions").glob("*.jsonl"))))
        parts = make_parts(script, folder, request=request)
        start = parts.start

        async def wait(ui: TuiBridge) -> Started:
            await self.come.wait()
            return await start(ui)

        parts.start, parts.tail = wait, tail
        self.parts = parts
        self.app = PiTermApp(parts)


async def test_the_end_is_shown_and_stays(tmp_path: Path) -> None:
    path = stored(tmp_path)
    with ScriptedModel([]) as script:
        late = Late(script, tmp_path, lambda: peek(path))
        async with late.app.run_test(size=(80, 24)) as pilot:
            driver = AppDriver(late.app, pilot)
            shown = await driver.wait_for("The answer")
            assert "The question" in shown
            assert "opens tool output" not in shown  # the header is for new sessions
            assert late.app.started is None
            await driver.type("typed ahead")
            await driver.wait_for("typed ahead")
            late.come.set()
            await driver.wait_for(lambda _: late.app.main.view is not None)
            shown = await driver.wait_for("typed ahead")
            assert shown.count("The answer") == shown.count("The question") == 1
            assert late.app.started is not None
            await late.app.started.aclose()


@pytest.mark.parametrize("hidden", [True, False])
async def test_it_looks_as_the_settings_say(tmp_path: Path, hidden: bool) -> None:
    path = stored(tmp_path)
    with ScriptedModel([]) as script:
        late = Late(script, tmp_path, lambda: peek(path))
        paths = AppPaths.from_env({"PI_TERM_HOME": str(tmp_path)})
        late.parts.settings = SettingsStore.load(paths, overrides={"hideThinkingBlock": hidden})
        async with late.app.run_test(size=(80, 24)) as pilot:
            shown = await AppDriver(late.app, pilot).wait_for("The answer")
            assert ("Deep thoughts" in shown) != hidden


async def test_where_there_is_nothing_to_see_the_session_comes_all_the_same(tmp_path: Path) -> None:
    stored(tmp_path)
    with ScriptedModel([]) as script:
        late = Late(script, tmp_path, lambda: None)
        late.come.set()
        async with late.app.run_test(size=(80, 24)) as pilot:
            await AppDriver(late.app, pilot).wait_for("The answer")
            assert late.app.started is not None
            await late.app.started.aclose()


async def test_a_file_that_cannot_be_read_any_more_is_no_end_of_the_start(tmp_path: Path) -> None:
    path = stored(tmp_path)

    def closed_early() -> SessionTree | None:
        tree = peek(path)
        assert tree is not None
        tree.lines.close()
        tree.lines.path = tmp_path / "gone.jsonl"
        return tree

    with ScriptedModel([]) as script:
        late = Late(script, tmp_path, closed_early)
        late.come.set()
        async with late.app.run_test(size=(80, 24)) as pilot:
            await AppDriver(late.app, pilot).wait_for("The answer")
            assert late.app.started is not None
            await late.app.started.aclose()
