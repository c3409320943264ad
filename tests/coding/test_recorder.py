from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.events import MessageEnd, MessageStart, MessageUpdate, TurnEnd
from pi_term.agent.messages import AgentMessage
from pi_term.ai.events import TextDelta
from pi_term.ai.messages import AssistantMessage, SystemMessage, TextContent, ToolResultMessage, UserMessage
from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.recorder import Recorder
from pi_term.coding.session import ModelChangeEntry, SessionFile, ThinkingLevelChangeEntry

QUESTION = UserMessage("question")
ANSWER = AssistantMessage([TextContent("answer")], stop_reason="stop")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture
def reports() -> list[Diagnostic]:
    return []


@pytest.fixture
def recorder(folder: Path, reports: list[Diagnostic]) -> Recorder:
    return Recorder(SessionFile.create(folder, "/w"), reports.append)


def kinds(recorder: Recorder) -> list[str]:
    """Types of the entries on disk; roles for messages."""
    path = recorder.file.path
    assert path is not None
    entries: list[dict[str, Any]] = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    return [entry["message"]["role"] if entry["type"] == "message" else entry["type"] for entry in entries]


def parents_are_there(recorder: Recorder) -> bool:
    path = recorder.file.path
    assert path is not None
    ids: list[str | None] = [None]
    for line in path.read_text().splitlines()[1:]:
        entry = json.loads(line)
        if entry["parentId"] != ids[-1]:
            return False
        ids.append(entry["id"])
    return True


async def end(recorder: Recorder, *messages: AgentMessage) -> None:
    for message in messages:
        await recorder.on_event(MessageEnd(message))


async def test_a_message_is_on_disk_when_its_end_has_been_told(recorder: Recorder) -> None:
    await end(recorder, QUESTION)
    assert kinds(recorder) == ["user"]
    await end(recorder, ANSWER)
    assert kinds(recorder) == ["user", "assistant"]


async def test_only_what_is_final_is_written(recorder: Recorder) -> None:
    await end(recorder, QUESTION)
    growing = AssistantMessage([TextContent("ans")])
    await recorder.on_event(MessageStart(growing))
    await recorder.on_event(MessageUpdate(growing, TextDelta(0, growing, "ans")))
    assert kinds(recorder) == ["user"]


async def test_the_first_user_message_makes_the_file_with_all_that_came_before(recorder: Recorder) -> None:
    recorder.add(ModelChangeEntry("p", "m"))
    await recorder.flush()
    await end(recorder, SystemMessage("be kind"))
    await recorder.save_point()
    assert recorder.file.path is not None
    assert not recorder.file.path.exists()
    await end(recorder, QUESTION)
    assert kinds(recorder) == ["model_change", "system", "user"]


async def test_a_run_that_no_user_began_is_written_too(recorder: Recorder) -> None:
    await end(recorder, SystemMessage("be kind"), ANSWER)
    assert kinds(recorder) == ["system", "assistant"]


async def test_what_is_deferred_comes_after_the_messages_of_its_turn(recorder: Recorder) -> None:
    await end(recorder, QUESTION)
    recorder.defer(ThinkingLevelChangeEntry("high"))
    recorder.defer(ModelChangeEntry("p", "m"))
    await end(recorder, ANSWER, ToolResultMessage("c", "read"))
    assert kinds(recorder) == ["user", "assistant", "toolResult"]
    await recorder.on_event(TurnEnd(ANSWER))
    assert kinds(recorder)[3:] == ["thinking_level_change", "model_change"]
    await recorder.on_event(TurnEnd(ANSWER))
    assert len(kinds(recorder)) == 5
    assert parents_are_there(recorder)


async def test_added_entries_are_written_with_the_next_flush(recorder: Recorder) -> None:
    await end(recorder, QUESTION)
    recorder.add(ModelChangeEntry("p", "m"))
    assert kinds(recorder) == ["user"]
    await recorder.flush()
    assert kinds(recorder) == ["user", "model_change"]


async def test_a_session_in_memory_stays_there(reports: list[Diagnostic]) -> None:
    recorder = Recorder(SessionFile.in_memory("/w"), reports.append)
    await end(recorder, QUESTION, ANSWER)
    await recorder.on_event(TurnEnd(ANSWER))
    assert [entry.role for entry in recorder.file.tree.branch()] == ["user", "assistant"]
    assert recorder.file.path is None
    assert not reports


async def test_the_disk_does_not_hold_the_event_loop(recorder: Recorder) -> None:
    await end(recorder, QUESTION)
    writing = asyncio.create_task(end(recorder, ANSWER))
    real_flush, gate, loop = recorder.file.flush, asyncio.Event(), asyncio.get_running_loop()

    def slow_flush() -> None:
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result(30)  # needs a loop that turns
        real_flush()

    recorder.file.flush = slow_flush  # type: ignore[method-assign]
    await asyncio.sleep(0)
    assert not writing.done()
    gate.set()
    await writing
    assert kinds(recorder) == ["user", "assistant"]


# --- a disk that fails


class Disk:
    """A disk that fails when it is told to: a folder is where the session's file should be."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._away = path.with_suffix(".away")

    def fail(self) -> None:
        self.path.parent.mkdir(exist_ok=True)
        if self.path.exists():
            self.path.rename(self._away)
        self.path.mkdir()

    def work(self) -> None:
        self.path.rmdir()
        if self._away.exists():
            self._away.rename(self.path)


@pytest.fixture
def disk(recorder: Recorder) -> Disk:
    assert recorder.file.path is not None
    return Disk(recorder.file.path)


async def test_a_failed_write_is_reported_once_with_its_place(
    recorder: Recorder, reports: list[Diagnostic], disk: Disk
) -> None:
    """B-031."""
    disk.fail()
    await end(recorder, QUESTION, ANSWER)
    await recorder.save_point()
    assert len(reports) == 1
    assert reports[0].severity == "error"
    assert reports[0].text().count(str(disk.path)) == 1
    assert reports[0].hint


async def test_what_could_not_be_written_goes_before_the_next(recorder: Recorder, disk: Disk) -> None:
    disk.fail()
    await end(recorder, QUESTION)
    recorder.defer(ModelChangeEntry("p", "m"))
    await recorder.on_event(TurnEnd(ANSWER))
    disk.work()
    await end(recorder, ANSWER)
    assert kinds(recorder) == ["user", "model_change", "assistant"]
    assert parents_are_there(recorder)


async def test_a_disk_that_fails_again_is_reported_again(
    recorder: Recorder, reports: list[Diagnostic], disk: Disk
) -> None:
    disk.fail()
    await end(recorder, QUESTION)
    disk.work()
    await end(recorder, ANSWER)
    disk.fail()
    await end(recorder, QUESTION)
    assert len(reports) == 2
    disk.work()
    await recorder.flush()
    assert kinds(recorder) == ["user", "assistant", "user"]
