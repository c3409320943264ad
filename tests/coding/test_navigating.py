"""Moving in a session's tree, and naming it and its places."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_term.ai.faults import Fault
from pi_term.ai.messages import text_of
from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import BranchSummaryEnd, BranchSummaryStart, LeafMoved, SessionInfoChanged
from pi_term.coding.session import BranchSummaryEntry, SessionFile, StoredEntry
from pi_term.testing.scripted import Fail, Say, ScriptedModel, Wait, until
from pi_term.testing.sessions import scripted_session, watch


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    with ScriptedModel(answer=lambda context: [Say("answer")]) as script:
        yield script


@pytest.fixture
async def session(script: ScriptedModel, tmp_path: Path) -> AsyncIterator[AgentSession]:
    session = await scripted_session(script, tmp_path)
    for number in range(3):
        await session.prompt(f"question {number}")
    yield session
    await session.aclose()


def said(session: AgentSession) -> list[StoredEntry]:
    return [entry for entry in session.file.tree.branch() if entry.role in ("user", "assistant")]


async def test_a_prompt_comes_back_to_be_edited(session: AgentSession, script: ScriptedModel) -> None:
    entries = said(session)
    seen = watch(session)
    arrival = await session.navigator.go_to(entries[2].id)
    assert (arrival.editor_text, arrival.summary) == ("question 1", None)
    assert session.file.tree.leaf is entries[1]
    assert any(isinstance(each, LeafMoved) for each in seen)
    await session.prompt("another question 1")
    assert [text_of(m.content) for m in script.contexts[-1].messages] == [
        "question 0",
        "answer",
        "another question 1",
    ]
    assert len(session.file.tree.children(entries[1])) == 2


async def test_an_answer_is_gone_on_from(session: AgentSession, script: ScriptedModel) -> None:
    entries = said(session)
    arrival = await session.navigator.go_to(entries[3].id)
    assert arrival.editor_text is None
    assert session.file.tree.leaf is entries[3]
    await session.prompt("question 2 again")
    assert [text_of(m.content) for m in script.contexts[-1].messages][-1] == "question 2 again"
    assert len(script.contexts[-1].messages) == 5


async def test_before_the_first_prompt_a_second_root_begins(session: AgentSession) -> None:
    first = said(session)[0]
    await session.navigator.go_to(first.id)
    await session.prompt("anew")
    assert session.file.path is not None
    reopened = SessionFile.open(session.file.path)
    assert text_of(reopened.tree.branch()[-2].data["message"]["content"][0]["text"]) == "anew"
    reopened.close()


async def test_moving_writes_nothing(session: AgentSession) -> None:
    path = session.file.path
    assert path is not None
    before = path.read_bytes()
    await session.navigator.go_to(said(session)[1].id)
    assert path.read_bytes() == before


async def test_the_branch_that_is_left_can_be_summarised(
    session: AgentSession, script: ScriptedModel
) -> None:
    entries = said(session)
    old_leaf = session.file.tree.leaf
    assert old_leaf is not None
    script.replies = [[Say("## Goal\nsummary of the branch")]]
    seen = watch(session)
    arrival = await session.navigator.go_to(entries[1].id, summarize=True, instructions="mind ZX-9")
    assert isinstance(arrival.summary, BranchSummaryEntry)
    assert arrival.summary.from_id == old_leaf.id
    assert [type(each) for each in seen] == [BranchSummaryStart, BranchSummaryEnd, LeafMoved]
    request = str(script.contexts[-1].messages)
    assert "question 1" in request
    assert "question 0" not in request
    assert "ZX-9" in request
    leaf = session.file.tree.leaf
    assert leaf is not None
    assert (leaf.type, leaf.parent) == ("branch_summary", entries[1])
    await session.prompt("go on")
    assert "summary of the branch" in str(script.contexts[-1].messages)


@pytest.mark.parametrize("how", ["fails", "is called off"])
async def test_without_its_summary_nothing_moves(
    session: AgentSession, script: ScriptedModel, how: str
) -> None:
    leaf, seen = session.file.tree.leaf, watch(session)
    script.replies = [[Wait(asyncio.Event())] if how != "fails" else [Fail("x", Fault("auth", "401"))]]
    asked = len(script.contexts)
    move = asyncio.create_task(session.navigator.go_to(said(session)[1].id, summarize=True))
    if how != "fails":
        await until(lambda: len(script.contexts) > asked)
        assert session.busy
        session.abort()
    with pytest.raises((PiTermError, AbortError)):
        await asyncio.wait_for(move, 20)
    assert session.file.tree.leaf is leaf
    assert not session.busy
    assert [type(each) for each in seen] == [BranchSummaryStart, BranchSummaryEnd]


async def test_what_is_sent_during_a_summary_goes_to_the_new_place(
    session: AgentSession, script: ScriptedModel
) -> None:
    go = asyncio.Event()
    script.replies = [[Wait(go), Say("the summary")]]
    asked = len(script.contexts)
    move = asyncio.create_task(session.navigator.go_to(said(session)[1].id, summarize=True))
    await until(lambda: len(script.contexts) > asked)
    session.submit("hello there")
    go.set()
    await asyncio.wait_for(move, 20)
    await session.wait_settled()
    texts = [text_of(m.content) for m in script.contexts[-1].messages]
    assert texts[-1] == "hello there"
    assert "the summary" in texts[-2]


async def test_nobody_moves_during_a_run(session: AgentSession, script: ScriptedModel) -> None:
    go = asyncio.Event()
    script.replies = [[Wait(go), Say("done")]]
    session.submit("work")
    with pytest.raises(PiTermError) as error:
        await session.navigator.go_to(said(session)[1].id)
    assert error.value.code == "busy"
    go.set()
    await session.wait_settled()


async def test_an_unknown_place_is_refused(session: AgentSession) -> None:
    for act in (session.navigator.go_to("nosuch"), session.navigator.label("nosuch", "x")):
        with pytest.raises(PiTermError) as error:
            await act
        assert error.value.code == "no_entry"


async def test_labels_and_names_are_stored(session: AgentSession) -> None:
    entry = said(session)[2]
    seen = watch(session)
    await session.navigator.label(entry.id, "  checkpoint ")
    await session.navigator.rename(" Refactor\n the  auth ")
    assert session.file.tree.name == "Refactor the auth"
    assert SessionInfoChanged("Refactor the auth") in seen
    path = session.file.path
    assert path is not None
    reopened = SessionFile.open(path)
    assert reopened.tree.name == "Refactor the auth"
    assert reopened.tree.labels[entry.id].text == "checkpoint"
    reopened.close()
    await session.navigator.label(entry.id, " ")
    assert entry.id not in session.file.tree.labels
    assert session.name == "Refactor the auth"
    with pytest.raises(PiTermError) as error:
        await session.navigator.rename("  ")
    assert error.value.code == "empty_name"


async def test_a_name_given_during_a_run_holds_at_once_and_is_stored_behind_the_turn(
    session: AgentSession, script: ScriptedModel
) -> None:
    go = asyncio.Event()
    script.replies = [[Wait(go), Say("done")]]
    session.submit("work")
    await until(lambda: session.agent.state.partial is not None)
    for name in ("one", "two"):
        await session.navigator.rename(name)
        assert session.name == name
    assert session.file.tree.name is None
    go.set()
    await session.wait_settled()
    assert session.name == session.file.tree.name == "two"
    kinds = [entry.role or entry.type for entry in session.file.tree.branch()]
    assert kinds[-4:] == ["user", "assistant", "session_info", "session_info"]
