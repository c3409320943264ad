"""Going from one session to another."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import UserMessage, text_of
from pi_term.base.errors import PiTermError
from pi_term.coding import startup
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import AgentSettled, SessionEvent, SessionSwitched
from pi_term.coding.session import SessionFile
from pi_term.coding.startup import Started, StartRequest
from pi_term.coding.ui_bridge import NullUi
from pi_term.coding.workspace import Workspace
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


# --- a session that is not stored


class Person(NullUi):
    """Says what it is told to, and remembers what it was asked."""

    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def confirm(self, title: str, message: str, *, timeout: float | None = None) -> bool:
        self.asked.append(f"{title} {message}")
        return self.answers.pop(0)


async def test_what_cannot_be_stored_is_left_with_a_yes_only(script: ScriptedModel, tmp_path: Path) -> None:
    person = Person(False, True)
    session = (await start_scripted(script, tmp_path, ui=person)).session
    path = session.file.path
    assert path is not None
    path.mkdir(parents=True)  # a folder is where its file should be
    await session.prompt("question")
    with pytest.raises(PiTermError, match="not left"):
        await session.switcher.new()
    assert "Leave this session? Its end is not stored, and would be lost. Cannot write" in person.asked[0]
    assert prompts(session) == ["question"]
    await session.switcher.new()
    assert prompts(session) == []
    await session.switcher.new()  # nothing is lost here: nobody is asked
    assert len(person.asked) == 2
    await session.aclose()


async def test_what_can_be_stored_again_is_left_without_a_question(
    session: AgentSession, tmp_path: Path
) -> None:
    path = session.file.path
    assert path is not None
    path.mkdir(parents=True)
    await session.prompt("question")
    path.rmdir()
    await session.switcher.new()
    assert "question" in path.read_text()


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


async def test_to_the_session_that_is_open_with_what_was_said_in_it_meanwhile(
    script: ScriptedModel, tmp_path: Path
) -> None:
    started = await start_scripted(script, tmp_path)
    session = started.session
    await session.prompt("one")
    assert session.file.path is not None
    script.replies = [[Say("half"), Wait(asyncio.Event())]]
    session.submit("two")
    await until(lambda: session.agent.state.partial is not None)
    await started.open(session.file.path)
    await session.prompt("three")
    roles = [entry.role for entry in session.file.tree.branch() if entry.type == "message"]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user", "assistant"]
    assert handles(session.file.path) == 1
    await started.aclose()


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


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[SessionFile]:
    """Every session file that is opened: what nobody closes is not closed by being forgotten."""
    files: list[SessionFile] = []
    opens = SessionFile.open

    def keep(*args: Any, **more: Any) -> SessionFile:
        files.append(opens(*args, **more))
        return files[-1]

    monkeypatch.setattr(SessionFile, "open", keep)
    return files


def handles(path: Path) -> int:
    """How many descriptors of this process are open on a file."""
    links = (os.path.join("/proc/self/fd", each) for each in os.listdir("/proc/self/fd"))
    return sum(os.path.lexists(each) and os.readlink(each) == str(path) for each in links)


class Breaks(Asked):
    """Has no answer, and cannot have one."""

    async def select(self, title: str, options: list[str], *, timeout: float | None = None) -> str | None:
        raise RuntimeError("the dialog broke")


class Waits(Asked):
    """Never answers."""

    async def select(self, title: str, options: list[str], *, timeout: float | None = None) -> str | None:
        self.titles.append(title)
        await asyncio.Event().wait()
        return None


@pytest.mark.parametrize("answer", ["Continue", "Fork", None])
@pytest.mark.usefixtures("kept")
async def test_no_file_stays_open_that_is_not_the_sessions(
    script: ScriptedModel, tmp_path: Path, answer: str | None
) -> None:
    path = await elsewhere(script, tmp_path)
    (tmp_path / "elsewhere").rename(tmp_path / "renamed")
    started = await started_here(script, tmp_path, answer)
    for _ in range(3):
        with nullcontext() if answer else pytest.raises(PiTermError):
            await started.open(path)
    await started.session.prompt("go on")
    assert handles(path) == (1 if answer == "Continue" else 0)
    await started.aclose()
    assert handles(path) == 0


@pytest.mark.usefixtures("kept")
async def test_nor_when_the_question_about_it_breaks_or_is_cancelled(
    script: ScriptedModel, tmp_path: Path
) -> None:
    path = await elsewhere(script, tmp_path)
    (tmp_path / "elsewhere").rename(tmp_path / "renamed")
    for ui in (Breaks(None), Waits(None)):
        started = await start_scripted(script, tmp_path, ui=ui)  # type: ignore[arg-type]
        opening = asyncio.create_task(started.open(path))
        if isinstance(ui, Waits):
            await until(lambda ui=ui: bool(ui.titles))  # type: ignore[misc]
            opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
        assert handles(path) == 0
        await started.aclose()


@pytest.mark.parametrize("broken", ["the folder", "the model", "the name", "the folder is gone"])
@pytest.mark.usefixtures("kept")
async def test_nor_when_the_program_does_not_start(
    script: ScriptedModel, tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await elsewhere(script, tmp_path)
    model = "no-such-model" if broken == "the model" else script.model.key
    name = "  " if broken == "the name" else None
    request = StartRequest(cwd=tmp_path / "work", session=str(path), model=model, name=name)
    if broken == "the folder":
        survey = startup.open_workspace

        async def breaks(cwd: Path, *rest: Any) -> Workspace:
            if cwd != request.cwd:
                raise RuntimeError("of the folder")
            return await survey(cwd, *rest)

        monkeypatch.setattr(startup, "open_workspace", breaks)
    elif broken == "the folder is gone":
        (tmp_path / "elsewhere").rename(tmp_path / "renamed")
    with pytest.raises((PiTermError, RuntimeError)):
        await start_scripted(script, tmp_path, request=request)
    assert handles(path) == 0


async def test_another_folder_counts_once_the_old_session_has_settled(
    script: ScriptedModel, tmp_path: Path
) -> None:
    path = await elsewhere(script, tmp_path)
    (tmp_path / "elsewhere" / ".pi").mkdir()
    (tmp_path / "elsewhere" / ".pi" / "SYSTEM.md").write_text("Obey the repository.")
    started = await started_here(script, tmp_path)
    session = started.session
    places: list[tuple[str, Path]] = []

    async def listen(event: SessionEvent) -> None:
        places.append((event.type, session.harness.cwd))

    session.subscribe(listen)
    script.replies = [[Say("begun "), Wait(asyncio.Event())]]
    session.submit("go")
    await until(lambda: session.agent.state.partial is not None)
    await started.open(path)
    await session.hub.drain()
    work, other = tmp_path / "work", tmp_path / "elsewhere"
    assert ("agent_settled", work) in places
    assert ("session_switched", other) in places
    # What is wrong there is told of the session that it belongs to.
    assert ("diagnostic", other) in places[places.index(("session_switched", other)) :]
    assert ("diagnostic", work) not in places
    assert started.workspace.cwd == other
    await started.aclose()


async def test_a_session_below_the_sessions_folder_is_not_copied_to_be_imported(
    script: ScriptedModel, tmp_path: Path
) -> None:
    path = await elsewhere(script, tmp_path)
    started = await started_here(script, tmp_path)
    await started.import_file(path)
    assert started.session.file.path == path
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
