from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from pi_term.ai.faults import Fault
from pi_term.coding.startup import StartRequest
from pi_term.testing import Call, Fail, Say, ScriptedModel, Wait, until
from pi_term.testing.rpc import RpcPeer

Connect: TypeAlias = Callable[..., Awaitable[RpcPeer]]


async def test_a_prompt_is_accepted_before_its_events_and_settles_once(
    client: RpcPeer, script: ScriptedModel
) -> None:
    script.replies = [[Say("hello")]]

    settled = await client.ask("hi")

    assert settled == {"type": "agent_settled", "aborted": False}
    assert client.records[0] == {
        "id": "c1",
        "type": "response",
        "command": "prompt",
        "success": True,
        "data": {"disposition": "started"},
    }
    assert [record["type"] for record in client.records[1:]] == [
        "agent_start",
        "turn_start",
        *["message_start", "message_end"] * 2,
        "message_start",
        *["message_update"] * 3,
        "message_end",
        "turn_end",
        "agent_end",
        "agent_settled",
    ]


async def test_a_prompt_during_a_run_needs_to_say_how_it_waits(
    client: RpcPeer, script: ScriptedModel
) -> None:
    gate = asyncio.Event()
    script.replies = [[Wait(gate), Say("one")], [Say("two")], [Say("three")]]
    await client.data("prompt", message="first")

    refused = await client.call("prompt", message="second")
    later = await client.data("prompt", message="later", streamingBehavior="followUp")
    soon = await client.data("prompt", message="soon", streamingBehavior="steer")
    state = await client.data("get_state")
    gate.set()
    await client.event("agent_settled")

    assert refused["success"] is False
    assert "streamingBehavior" in refused["error"]
    assert later == soon == {"disposition": "queued"}
    assert (state["isStreaming"], state["pendingMessageCount"]) == (True, 2)
    said = [each["message"]["content"][0]["text"] for each in client.of("message_end")[1::2]]
    assert said == ["first", "soon", "later"]
    assert len(client.of("agent_settled")) == 1


async def test_a_change_of_the_queue_is_told_before_its_response(client: RpcPeer) -> None:
    await client.call("steer", message="S")
    await client.call("clear_queue")

    assert [record["type"] for record in client.records] == ["queue_update", "response"] * 2


async def test_what_is_steered_at_rest_waits_for_the_next_prompt(
    client: RpcPeer, script: ScriptedModel
) -> None:
    script.replies = [[Say("ok")]]

    assert await client.data("steer", message="also this") == {"disposition": "queued"}
    assert (await client.data("get_state"))["isStreaming"] is False
    await client.ask("do that")

    texts = [message.content[0].text for message in script.contexts[0].messages]
    assert texts == ["do that", "also this"]


async def test_the_queues_are_cleared_apart(client: RpcPeer) -> None:
    for number in (1, 2):
        await client.data("steer", message=f"S{number}")
    await client.data("follow_up", message="F")

    assert await client.data("clear_queue") == {"steering": ["S1", "S2"], "followUp": ["F"]}
    assert await client.data("clear_queue") == {"steering": [], "followUp": []}


async def test_abort_answers_when_all_has_settled_and_keeps_the_partial_answer(
    client: RpcPeer, script: ScriptedModel
) -> None:
    script.replies = [[Say("half of"), Wait(asyncio.Event())], [Say("again")]]
    await client.data("prompt", message="go")
    await client.event("message_update")

    await client.data("abort")

    assert client.records[-1]["command"] == "abort"
    assert client.records[-2] == {"type": "agent_settled", "aborted": True}
    answer = client.of("message_end")[-1]["message"]
    assert (answer["stopReason"], answer["content"][0]["text"]) == ("aborted", "half of")
    await client.ask("go on")
    assert (await client.data("get_last_assistant_text"))["text"] == "again"


async def test_what_waits_stays_in_the_queue_after_an_abort(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Wait(asyncio.Event())]]
    await client.data("prompt", message="go")
    await until(lambda: bool(script.contexts))
    await client.data("steer", message="S")

    await client.data("abort")

    assert (await client.data("get_state"))["pendingMessageCount"] == 1
    assert len(script.contexts) == 1


async def test_abort_at_rest_is_harmless(client: RpcPeer) -> None:
    assert await client.data("abort") is None


async def test_an_abort_right_behind_the_prompt_counts(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Wait(asyncio.Event())]]

    await client.write(b'{"id":"p","type":"prompt","message":"go"}\n{"id":"a","type":"abort"}\n')

    assert (await client.response("p"))["success"]
    assert (await client.response("a"))["success"]
    assert client.of("agent_settled") == [{"type": "agent_settled", "aborted": True}]


async def test_a_retry_is_told_and_can_be_called_off(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Fail("529 overloaded", Fault("transient", "529 overloaded"))]] * 9
    await client.data("prompt", message="go")
    started = await client.event("auto_retry_start")

    await client.data("abort_retry")
    await client.event("agent_settled")

    assert (started["attempt"], started["errorMessage"]) == (1, "529 overloaded")
    assert started["delayMs"] > 0
    [ended] = client.of("auto_retry_end")
    assert (ended["success"], ended["attempt"]) == (False, 1)
    assert ended["finalError"]
    [entry] = client.of("entry_appended")
    assert (entry["entry"]["type"], entry["entry"]["replacement"]) == ("context_edit", None)


async def test_a_prompt_without_a_key_is_refused(client: RpcPeer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.started.registry, "has_auth", lambda provider: False)

    response = await client.call("prompt", message="hi")

    assert response["success"] is False
    assert "key" in response["error"]
    assert client.of("agent_start") == []


async def test_templates_and_skills_are_expanded_and_listed(
    client: RpcPeer, script: ScriptedModel, tmp_path: Path
) -> None:
    prompts, skill = tmp_path / "home" / "prompts", tmp_path / "home" / "skills" / "tidy"
    prompts.mkdir(parents=True)
    skill.mkdir(parents=True)
    (prompts / "fix.md").write_text("---\ndescription: Fix it\n---\nFix $1 in $2.")
    (skill / "SKILL.md").write_text("---\nname: tidy\ndescription: Tidy up\n---\nTidy it.")
    script.replies = [[Say("1")], [Say("2")]]

    commands = (await client.data("get_commands"))["commands"]
    await client.ask("/fix all main.py")
    await client.data("steer", message="/skill:tidy now")
    await client.ask("and")

    assert {each["name"]: each["source"] for each in commands} == {"fix": "prompt", "skill:tidy": "skill"}
    assert commands[0]["sourceInfo"]["path"] == str(prompts / "fix.md")
    texts = [message.content[0].text for message in script.contexts[1].messages if message.role == "user"]
    assert texts[0] == "Fix all in main.py."
    assert "Tidy it." in texts[2]


async def test_images_reach_the_model(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Say("a cat")]]

    await client.ask("", images=[{"type": "image", "data": "QUJD", "mimeType": "image/png"}])

    [image] = script.contexts[0].messages[-1].content
    assert (image.data, image.mime_type) == ("QUJD", "image/png")


@pytest.fixture
async def talkative(connect: Connect, script: ScriptedModel) -> RpcPeer:
    """A client whose session is long enough to be compacted."""
    client = await connect(settings={"compaction.keepRecentTokens": 100})
    script.replies = [[Say("word " * 400)], [Say("word " * 400)]]
    await client.ask("one")
    await client.ask("two")
    return client


async def test_compaction_on_demand(talkative: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Say("SUMMARY")]]

    result = await talkative.data("compact", customInstructions="be short")

    assert "SUMMARY" in result["summary"]
    assert {"firstKeptEntryId", "tokensBefore", "estimatedTokensAfter", "usage", "details"} <= set(result)
    assert talkative.of("compaction_start") == [{"type": "compaction_start", "reason": "manual"}]
    [ended] = talkative.of("compaction_end")
    assert ended["result"] == result
    assert (ended["aborted"], ended["willRetry"]) == (False, False)
    assert (await talkative.data("get_session_stats"))["contextUsage"]["tokens"] is None


async def test_a_compaction_that_is_called_off_fails(talkative: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Wait(asyncio.Event())]]

    compact = await talkative.send("compact")
    await talkative.event("compaction_start")
    assert (await talkative.data("get_state"))["isCompacting"] is True
    refused = await talkative.call("prompt", message="now")
    await talkative.data("abort")

    assert refused["success"] is False
    failed = await talkative.response(compact)
    assert failed["success"] is False
    assert failed["error"]
    order = [record.get("command", record["type"]) for record in talkative.records[-3:]]
    assert order == ["compaction_end", "compact", "abort"]


async def test_nothing_to_compact(client: RpcPeer) -> None:
    response = await client.call("compact")

    assert response["success"] is False
    assert "Nothing to compact" in response["error"]


async def test_tools_are_told_from_start_to_end(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Call("bash", {"command": "echo out; sleep 0.3"}, id="call_1")], [Say("done")]]

    await client.ask("run it")

    [start] = client.of("tool_execution_start")
    assert start == {
        "type": "tool_execution_start",
        "toolCallId": "call_1",
        "toolName": "bash",
        "args": {"command": "echo out; sleep 0.3"},
    }
    update = client.of("tool_execution_update")[-1]
    assert update["partialResult"]["content"] == [{"type": "text", "text": "out\n"}]
    [end] = client.of("tool_execution_end")
    assert (end["toolCallId"], end["isError"]) == ("call_1", False)
    assert end["result"]["content"] == [{"type": "text", "text": "out\n"}]
    assert end["durationMs"] >= 300
    [begun] = [each for each in client.of("message_update") if _kind(each) == "toolcall_start"]
    assert begun["assistantMessageEvent"]["toolName"] == "bash"
    assert begun["assistantMessageEvent"]["id"] == "call_1"


def _kind(record: dict[str, object]) -> object:
    event = record["assistantMessageEvent"]
    assert isinstance(event, dict)
    return event["type"]


async def test_a_failed_run_is_told_by_events_not_by_a_second_response(
    client: RpcPeer, script: ScriptedModel
) -> None:
    script.replies = [[Fail("no such model")]]

    await client.ask("go")

    assert len(client.of("response")) == 1
    answer = client.of("message_end")[-1]["message"]
    assert (answer["stopReason"], answer["errorMessage"]) == ("error", "no such model")


async def test_a_session_in_memory_has_no_file(
    connect: Callable[..., Awaitable[RpcPeer]], tmp_path: Path
) -> None:
    with ScriptedModel([[Say("ok")]]) as script:
        (tmp_path / "work").mkdir(exist_ok=True)
        request = StartRequest(cwd=tmp_path / "work", model=script.model.key, in_memory=True)
        client = await connect(script, request=request)
        await client.ask("hi")

        assert "sessionFile" not in await client.data("get_state")
        assert "sessionFile" not in await client.data("get_session_stats")
