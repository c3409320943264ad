"""The context lens: it tells what is really sent, and what it takes out is not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_term.ai.context import Context
from pi_term.ai.messages import AssistantMessage, SystemMessage, ToolResultMessage, text_of
from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.lens import Block, ContextView, exclude, export_json, look, restore
from pi_term.coding.session import CompactionEntry, SessionFile
from pi_term.coding.stats import stored_context_tokens
from pi_term.testing.scripted import Call, Fail, Say, ScriptedModel
from pi_term.testing.sessions import scripted_session


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    replies = [[Say("I look."), Call("bash", {"command": "echo found"})], [Say("It is there.")]]
    with ScriptedModel(replies, answer=lambda context: [Say("answer")]) as script:
        yield script


@pytest.fixture
async def session(script: ScriptedModel, tmp_path: Path) -> AsyncIterator[AgentSession]:
    session = await scripted_session(script, tmp_path, settings={"compaction.keepRecentTokens": 1})
    await session.prompt("where is it?")
    await session.prompt("thanks")
    yield session
    await session.aclose()


def titles(view: ContextView, *states: str) -> list[str]:
    return [each.title for each in view.blocks if each.kind == "message" and each.state in states]


def block(view: ContextView, title: str, number: int = 0) -> Block:
    return [each for each in view.blocks if each.title == title][number]


def entry(view: ContextView, title: str, number: int = 0) -> str:
    found = block(view, title, number).entry_id
    assert found is not None
    return found


def sent(context: Context) -> list[str]:
    """The messages of a request, in a few words."""
    return [
        f"{type(each).__name__}:{text_of(each.content)}".replace("Message", "") for each in context.messages
    ]


async def test_it_shows_the_next_request(session: AgentSession, script: ScriptedModel) -> None:
    view = await look(session)
    assert titles(view, "sent") == ["You", "Assistant", "Result of bash", "Assistant", "You", "Assistant"]
    assert block(view, "You").text == "where is it?"
    assert "[calls bash]" in block(view, "Assistant").text
    await session.prompt("go on")
    context = script.contexts[-1]
    assert [each.title for each in view.blocks if each.kind == "tool"] == [
        tool.name for tool in context.tools
    ]
    prompt = "\n\n".join(each.text for each in view.blocks if each.kind == "prompt")
    assert prompt == context.system_prompt
    assert len(context.messages) == len(titles(view, "sent")) + 1


async def test_what_was_sent_just_so_is_cached(session: AgentSession) -> None:
    view = await look(session)
    new = [each.title for each in view.blocks if not each.cached]
    assert new == ["Assistant"]  # the last answer: no request held it yet
    assert view.cache.reason == "what follows is new"
    assert view.cache.asked_at is not None
    assert 0 < view.cached_tokens < view.tokens


async def test_before_the_first_request_nothing_is_cached(script: ScriptedModel, tmp_path: Path) -> None:
    session = await scripted_session(script, tmp_path)
    view = await look(session)
    assert view.blocks
    assert view.cached_tokens == 0
    assert view.cache.asked_at is None
    await session.aclose()


async def test_a_message_is_taken_out_and_put_back(session: AgentSession, script: ScriptedModel) -> None:
    before = [*session.agent.state.messages]
    await exclude(session, entry(await look(session), "You", 1))
    view = await look(session)
    taken = block(view, "You", 1)
    assert (taken.state, taken.text) == ("left_out", "thanks")
    assert view.cache.reason == "the model's view was edited since"
    assert not block(view, "Assistant", 2).cached
    assert block(view, "Assistant", 1).cached
    await session.prompt("and now?")
    assert "User:thanks" not in sent(script.contexts[-1])
    await restore(session, entry(view, "You", 1))
    assert block(await look(session), "You", 1).state == "sent"
    assert session.agent.state.messages[: len(before)] == before
    await session.prompt("and again?")
    assert "User:thanks" in sent(script.contexts[-1])


async def test_an_answer_goes_with_its_results(session: AgentSession, script: ScriptedModel) -> None:
    await exclude(session, entry(await look(session), "Assistant"))
    assert titles(await look(session), "left_out") == ["Assistant", "Result of bash"]
    await session.prompt("next")
    assert not any(isinstance(each, ToolResultMessage) for each in script.contexts[-1].messages)
    await restore(session, entry(await look(session), "Assistant"))
    assert titles(await look(session), "left_out") == []
    await session.prompt("next")
    answers = [each for each in script.contexts[-1].messages if isinstance(each, AssistantMessage)]
    assert answers[0].tool_calls


async def test_a_result_leaves_a_sentence(session: AgentSession, script: ScriptedModel) -> None:
    await exclude(session, entry(await look(session), "Result of bash"))
    view = await look(session)
    result = block(view, "Result of bash")
    assert result.state == "changed"
    assert "found" not in result.text
    await session.prompt("next")
    results = [each for each in script.contexts[-1].messages if isinstance(each, ToolResultMessage)]
    assert [text_of(each.content) for each in results] == [result.text]
    await restore(session, entry(view, "Result of bash"))
    assert "found" in block(await look(session), "Result of bash").text


async def test_the_file_keeps_it(session: AgentSession) -> None:
    await exclude(session, entry(await look(session), "You", 1))
    path = session.file.path
    assert path is not None
    assert "thanks" in path.read_text()
    assert session.context_tokens() is None  # until the next answer tells
    reopened = SessionFile.open(path)
    assert stored_context_tokens(reopened.tree) is None
    reopened.close()


async def test_what_nobody_gets_is_told(session: AgentSession, script: ScriptedModel) -> None:
    await session.run_shell("echo secret", exclude=True)
    await session.run_shell("echo open")
    script.replies.append([Fail("no such model")])
    await session.prompt("this fails")
    view = await look(session)
    reasons = {each.text.split("\n")[0]: each.reason for each in view.blocks if each.state == "left_out"}
    assert reasons["echo secret"] == "run with !!, for you only"
    assert "what broke off is not sent again" in reasons.values()
    assert "echo open" in block(view, "Your command", 1).text
    assert block(view, "Your command", 1).state == "sent"


async def test_after_a_compaction(session: AgentSession) -> None:
    await session.compact()
    view = await look(session)
    (earlier,) = [each for each in view.blocks if each.kind == "summarized"]
    assert earlier.state == "left_out"
    assert "5 earlier messages" in earlier.text
    assert titles(view, "sent")[0] == "Summary of what came before"
    assert view.cache.reason == "the conversation was compacted since"
    cached = [each.kind for each in view.blocks if each.cached]
    assert set(cached) == {"tool", "prompt"}


async def test_another_model_knows_nothing(session: AgentSession, script: ScriptedModel) -> None:
    from dataclasses import replace

    await session.set_model(replace(script.model, id="other"))
    view = await look(session)
    assert (view.cached_tokens, view.cache.reason) == (0, "another model was asked last")


async def test_it_can_be_exported(session: AgentSession) -> None:
    view = await look(session)
    data = export_json(view)
    assert data["tokens"] == view.tokens
    assert [each["text"] for each in data["blocks"]] == [each.text for each in view.blocks]


async def test_what_cannot_be_edited_is_refused(session: AgentSession) -> None:
    with pytest.raises(PiTermError, match="no entry nope"):
        await exclude(session, "nope")
    system = next(each for each in session.file.tree.branch() if each.role == "system")
    with pytest.raises(PiTermError, match="Only messages and results"):
        await exclude(session, system.id)


async def test_what_was_taken_out_and_put_back_is_still_cached(session: AgentSession) -> None:
    before = await look(session)
    await exclude(session, entry(before, "You", 1))
    await restore(session, entry(before, "You", 1))
    assert (await look(session)).cached_tokens == before.cached_tokens


async def test_without_the_last_answer_all_before_it_is_cached(session: AgentSession) -> None:
    before = await look(session)
    await exclude(session, entry(before, "Assistant", 2))
    view = await look(session)
    assert view.cached_tokens == before.cached_tokens
    assert block(view, "You", 1).cached


async def test_calls_with_one_id_each_have_their_result(script: ScriptedModel, tmp_path: Path) -> None:
    script.replies[:] = [[Call("bash", {"command": f"echo {word}"}, id="call")] for word in ("one", "two")]
    session = await scripted_session(script, tmp_path)
    await session.prompt("go")
    results = [block(await look(session), "Result of bash", number) for number in (0, 1)]
    assert [each.text.strip() for each in results] == ["one", "two"]
    assert {each.state for each in results} == {"sent"}
    await exclude(session, entry(await look(session), "Assistant", 1))
    assert titles(await look(session), "left_out") == ["Assistant", "Result of bash"]
    await session.aclose()


async def test_only_the_latest_compaction_declares_the_prompt(session: AgentSession) -> None:
    """Also where what it kept holds an older one."""
    first = next(each.id for each in session.file.tree.branch() if each.role == "user")
    for words in ("older", "newer"):
        system = SystemMessage(content=words, sections={words: "section"})
        record = CompactionEntry(summary=words, first_kept_entry_id=first, system_message=system)
        await session.conversation.compact(record)
    prompt = [each.text for each in (await look(session)).blocks if each.kind == "prompt"]
    assert prompt[0] == "newer"
