"""In a session with a model: what it changes can be undone, and it hears nothing of that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_term.coding.startup import Started
from pi_term.testing import Call, Say, ScriptedModel, start_scripted


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


@pytest.fixture
async def started(script: ScriptedModel, tmp_path: Path) -> AsyncIterator[Started]:
    async with await start_scripted(script, tmp_path) as started:
        (tmp_path / "work/f").write_text("one\n")
        yield started


def edit(old: str, new: str) -> Call:
    return Call("edit", {"path": "f", "edits": [{"oldText": old, "newText": new}]})


async def test_two_turns_and_back(script: ScriptedModel, started: Started, tmp_path: Path) -> None:
    session, path = started.session, tmp_path / "work/f"
    script.replies = [
        [edit("one", "two"), Call("write", {"path": "g", "content": "g"})],
        [Say("done")],
        [edit("two", "three")],
        [Say("done again")],
    ]
    await session.prompt("first")
    await session.prompt("second")
    assert path.read_text() == "three\n"
    prompts = [entry for entry in session.file.tree.branch() if entry.role == "user"]
    checkpoints = session.harness.checkpoints
    plan = await checkpoints.restore_plan(prompts[1].id)
    await checkpoints.apply(plan)
    await session.navigator.go_to(prompts[1].id)
    assert path.read_text() == "two\n"
    script.replies = [[edit("two", "other")], [Say("done differently")]]
    await session.prompt("second, otherwise")
    assert path.read_text() == "other\n"
    told = [message.to_json() for context in script.contexts for message in context.messages]
    assert "pi_term" not in str(told)
    await checkpoints.apply(await checkpoints.restore_plan(prompts[0].id))
    assert (path.read_text(), (tmp_path / "work/g").exists()) == ("one\n", False)


async def test_a_fork_begins_with_the_files_of_its_place(
    script: ScriptedModel, started: Started, tmp_path: Path
) -> None:
    session, path = started.session, tmp_path / "work/f"
    script.replies = [[edit("one", "two")], [Say("done")], [edit("two", "three")], [Say("done")]]
    await session.prompt("first")
    await session.prompt("second")
    prompts = [entry for entry in session.file.tree.branch() if entry.role == "user"]
    checkpoints = session.harness.checkpoints
    await checkpoints.apply(await checkpoints.restore_plan(prompts[1].id))
    assert await session.switcher.fork(prompts[1].id) == "second"
    assert path.read_text() == "two\n"
    plan = await checkpoints.restore_plan(prompts[0].id)
    assert [each.obstacle for each in plan.files] == [None]
    await checkpoints.apply(plan)
    assert path.read_text() == "one\n"


async def test_the_record_stands_between_the_call_and_its_result(
    script: ScriptedModel, started: Started
) -> None:
    script.replies = [[edit("one", "two")], [Say("done")]]
    await started.session.prompt("go")
    kinds = [entry.role or entry.type for entry in started.session.file.tree.branch()]
    assert kinds[-5:] == ["user", "assistant", "custom", "toolResult", "assistant"]


async def test_a_session_without_a_file_keeps_nothing(script: ScriptedModel, tmp_path: Path) -> None:
    from pi_term.coding import StartRequest

    request = StartRequest(cwd=tmp_path / "work", model=script.model.key, in_memory=True)
    async with await start_scripted(script, tmp_path, request=request) as started:
        (tmp_path / "work/f").write_text("one\n")
        script.replies = [[edit("one", "two")], [Say("done")]]
        await started.session.prompt("go")
    assert (tmp_path / "work/f").read_text() == "two\n"
    assert not (tmp_path / "home/checkpoints").exists()
