"""Going from one session to another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_term.ai.messages import UserMessage, text_of
from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import AgentSettled, SessionSwitched
from pi_term.coding.session import SessionFile
from pi_term.coding.startup import Started, StartRequest
from pi_term.testing.scripted import Say, ScriptedModel, Wait, until
from pi_term.testing.sessions import scripted_session, start_scripted, watch


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    with ScriptedModel(answer=lambda context: [Say(f"answer {len(context.messages)}")]) as script:
        yield script


@pytest.fixture
async def session(script: ScriptedModel, tmp_path: Path) -> AsyncIterator[AgentSession]:
    session = await scripted_session(script, tmp_path)
    yield session
    await session.aclose()


def prompts(session: AgentSession) -> list[str]:
    return [text_of(m.content) for m in session.agent.state.messages if isinstance(m, UserMessage)]


def said(session: AgentSession) -> list[str]:
    return [entry.id for entry in session.file.tree.branch() if entry.role in ("user", "assistant")]


async def three(session: AgentSession) -> None:
    for number in range(3):
        await session.prompt(f"question {number}")


# --- fork


async def test_a_fork_ends_before_the_prompt_and_leaves_the_old_file_as_it_is(
    session: AgentSession, script: ScriptedModel
) -> None:
    await three(session)
    old = session.file
    assert old.path is not None
    before = old.path.read_bytes()
    text = await session.switcher.fork(said(session)[2])
    assert text == "question 1"
    assert session.file is not old
    assert session.file.header.parent_session == str(old.path)
    await session.prompt("another question 1")
    assert [text_of(m.content) for m in script.contexts[-1].messages] == [
        "question 0",
        "answer 1",
        "another question 1",
    ]
    assert old.path.read_bytes() == before
    assert session.file.path is not None
    copied = session.file.path.read_bytes().splitlines()[1:6]
    assert copied == before.splitlines()[1:6]


async def test_a_fork_at_the_first_prompt_makes_no_file_until_something_is_said(
    session: AgentSession,
) -> None:
    await three(session)
    await session.switcher.fork(said(session)[0])
    path = session.file.path
    assert path is not None
    assert not path.exists()
    await session.prompt("anew")
    assert path.exists()
    assert prompts(session) == ["anew"]
    kinds = [entry.role or entry.type for entry in session.file.tree.branch()]
    assert kinds == ["model_change", "thinking_level_change", "system", "user", "assistant"]


@pytest.mark.parametrize("which", ["nosuch", "assistant", "model"])
async def test_only_prompts_can_be_forked_from(session: AgentSession, which: str) -> None:
    await three(session)
    entries = session.file.tree.entries
    ids = {"nosuch": "nosuch", "assistant": said(session)[1], "model": entries[0].id}
    old = session.file
    with pytest.raises(PiTermError) as error:
        await session.switcher.fork(ids[which])
    assert error.value.code == "no_entry"
    assert session.file is old


# --- clone


async def test_a_clone_is_there_at_once_and_goes_on(session: AgentSession) -> None:
    await three(session)
    old = session.file
    seen = watch(session)
    await session.switcher.clone()
    assert session.file.id != old.id
    assert session.file.path is not None
    assert session.file.path.exists()
    assert any(isinstance(each, SessionSwitched) for each in seen)
    assert [entry.id for entry in session.file.tree.entries] == [entry.id for entry in old.tree.branch()]
    await session.prompt("question 3")
    assert prompts(session) == [f"question {n}" for n in range(4)]


async def test_nothing_cannot_be_cloned(session: AgentSession) -> None:
    with pytest.raises(PiTermError) as error:
        await session.switcher.clone()
    assert error.value.code == "nothing_to_clone"


async def test_a_session_in_memory_is_forked_in_memory(script: ScriptedModel, tmp_path: Path) -> None:
    request = StartRequest(cwd=tmp_path / "work", model=script.model.key, in_memory=True)
    (tmp_path / "work").mkdir()
    started = await start_scripted(script, tmp_path, request=request)
    session = started.session
    await three(session)
    await session.switcher.clone()
    await session.prompt("more")
    await session.switcher.fork(said(session)[-2])
    assert prompts(session) == []
    await session.prompt("else")
    assert prompts(session) == ["question 0", "question 1", "question 2", "else"]
    assert session.file.path is None
    await started.aclose()
    assert not (tmp_path / "home" / "sessions").exists()


# --- leaving


async def test_leaving_in_the_middle_of_an_answer_keeps_what_there_is(
    session: AgentSession, script: ScriptedModel
) -> None:
    script.replies = [[Say("begun "), Wait(asyncio.Event())]]
    seen = watch(session)
    session.submit("go")
    await until(lambda: session.agent.state.partial is not None)
    old = session.file
    await asyncio.wait_for(session.switcher.new(), 20)
    assert [each.type for each in seen if isinstance(each, AgentSettled | SessionSwitched)] == [
        "agent_settled",
        "session_switched",
    ]
    assert old.tree.entries[-1].data["message"]["stopReason"] == "aborted"
    assert session.agent.state.messages == []
    assert session.stats.messages == 0


async def test_a_new_session_can_name_where_it_comes_from(session: AgentSession) -> None:
    await three(session)
    parent = session.file.path
    await session.switcher.new(parent)
    await session.prompt("hello")
    assert session.file.path is not None
    reopened = SessionFile.open(session.file.path)
    assert reopened.header.parent_session == str(parent)
    reopened.close()


async def test_counts_are_those_of_the_session(session: AgentSession) -> None:
    await three(session)
    before = session.stats
    path = session.file.path
    assert path is not None
    await session.switcher.new()
    assert (session.stats.user_messages, session.stats.input) == (0, 0)
    await session.switcher.open(SessionFile.open(path))
    await session.hub.drain()
    assert session.stats == before


# --- folders and files from elsewhere


class Asked:
    """Answers the question about a folder that is gone."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.titles: list[str] = []

    async def select(self, title: str, options: list[str], *, timeout: float | None = None) -> str | None:
        self.titles.append(title)
        return next((each for each in options if self.answer and each.startswith(self.answer)), None)

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"nobody asks for {name}")


async def elsewhere(script: ScriptedModel, tmp_path: Path) -> Path:
    """A stored session of the folder `elsewhere`."""
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "AGENTS.md").write_text("Mind the elsewhere rules.")
    request = StartRequest(cwd=other, model=script.model.key)
    started = await start_scripted(script, tmp_path, request=request)
    await started.session.prompt("hello")
    path = started.session.file.path
    await started.aclose()
    assert path is not None
    return path


async def started_here(script: ScriptedModel, tmp_path: Path, answer: str | None = None) -> Started:
    return await start_scripted(script, tmp_path, ui=Asked(answer))  # type: ignore[arg-type]


async def test_a_session_of_another_folder_goes_on_in_that_folder(
    script: ScriptedModel, tmp_path: Path
) -> None:
    path = await elsewhere(script, tmp_path)
    started = await started_here(script, tmp_path)
    await started.open(path)
    record = await started.session.run_shell("pwd")
    assert record.output.strip() == str(tmp_path / "elsewhere")
    await started.session.prompt("and now?")
    assert "Mind the elsewhere rules." in script.contexts[-1].system_prompt
    await started.session.switcher.new()
    await started.session.prompt("new one")
    assert started.session.file.header.cwd == str(tmp_path / "elsewhere")
    await started.aclose()


async def test_so_it_does_when_the_program_starts_with_it(script: ScriptedModel, tmp_path: Path) -> None:
    path = await elsewhere(script, tmp_path)
    request = StartRequest(cwd=tmp_path / "work", session=str(path), model=script.model.key)
    started = await start_scripted(script, tmp_path, request=request)
    assert started.session.harness.cwd == tmp_path / "elsewhere"
    await started.aclose()


@pytest.mark.parametrize("answer", ["Continue", "Fork", None])
async def test_a_folder_that_is_gone_is_asked_about(
    script: ScriptedModel, tmp_path: Path, answer: str | None
) -> None:
    path = await elsewhere(script, tmp_path)
    (tmp_path / "elsewhere").rename(tmp_path / "renamed")
    before = path.read_bytes()
    started = await started_here(script, tmp_path, answer)
    here = started.session.file
    if answer is None:
        with pytest.raises(PiTermError) as error:
            await started.open(path)
        assert error.value.code == "folder_gone"
        assert started.session.file is here
    else:
        await started.open(path)
        await started.session.prompt("go on")
        assert prompts(started.session) == ["hello", "go on"]
        stored = started.session.file
        assert (stored.path == path) == (answer == "Continue")
        if answer == "Fork":
            assert path.read_bytes() == before
            assert stored.header.cwd == str(tmp_path / "work")
    await started.aclose()


async def test_a_session_from_elsewhere_is_imported_with_its_id(
    script: ScriptedModel, tmp_path: Path
) -> None:
    path = await elsewhere(script, tmp_path)
    given = tmp_path / "given.jsonl"
    path.rename(given)
    started = await started_here(script, tmp_path)
    await started.import_file(given)
    session = started.session
    assert session.file.path is not None
    assert session.file.path != given
    assert session.file.path.read_bytes() == given.read_bytes()
    await session.prompt("go on")
    assert prompts(session) == ["hello", "go on"]
    await started.aclose()
