from __future__ import annotations

import asyncio
import json
from pathlib import Path

from pi_term.testing import Say, ScriptedModel, Wait, until
from pi_term.testing.rpc import RpcPeer


async def test_a_new_session_names_where_it_comes_from(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Say("one")], [Say("two")]]
    await client.ask("first")
    before = await client.data("get_state")

    assert await client.data("new_session", parentSession=before["sessionFile"]) == {"cancelled": False}
    after = await client.data("get_state")
    await client.ask("second")

    assert after["sessionId"] != before["sessionId"]
    assert after["messageCount"] == 0
    header = json.loads(Path(after["sessionFile"]).read_text().splitlines()[0])
    assert header["parentSession"] == before["sessionFile"]
    assert len(script.contexts[1].messages) == 1


async def test_what_comes_behind_a_switch_is_for_the_other_session(
    client: RpcPeer, script: ScriptedModel
) -> None:
    script.replies = [[Wait(asyncio.Event())], [Say("in the new one")]]
    await client.data("prompt", message="old")
    await until(lambda: bool(script.contexts))

    await client.write(
        b'{"id":"n","type":"new_session"}\n'
        b'{"id":"p","type":"prompt","message":"new"}\n'
        b'{"id":"s","type":"get_state"}\n'
    )
    started, state = await client.response("p"), await client.response("s")
    await client.event("agent_settled", aborted=True)
    await client.event("agent_settled", aborted=False)

    assert started["data"] == {"disposition": "started"}
    assert state["data"]["isStreaming"] is True
    texts = [message.content[0].text for message in script.contexts[1].messages]
    assert texts == ["new"]
    order = [each["id"] for each in client.of("response") if each["id"] in "nps"]
    assert order == ["n", "p", "s"]


async def test_switching_to_a_file_and_back(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Say("one")]]
    await client.ask("first")
    path = (await client.data("get_state"))["sessionFile"]
    await client.data("new_session")

    assert await client.data("switch_session", sessionPath=path) == {"cancelled": False}
    assert (await client.data("get_last_assistant_text"))["text"] == "one"
    missing = await client.call("switch_session", sessionPath=path + ".nosuch")
    assert missing["success"] is False
    assert (await client.data("get_state"))["sessionFile"] == path


async def test_fork_and_clone(client: RpcPeer, script: ScriptedModel) -> None:
    script.replies = [[Say("one")], [Say("two")]]
    await client.ask("first")
    await client.ask("second")
    original = await client.data("get_state")
    forkable = (await client.data("get_fork_messages"))["messages"]

    forked = await client.data("fork", entryId=forkable[1]["entryId"])
    in_fork = await client.data("get_state")
    cloned = await client.data("clone")
    in_clone = await client.data("get_state")

    assert [each["text"] for each in forkable] == ["first", "second"]
    assert forked == {"text": "second", "cancelled": False}
    assert cloned == {"cancelled": False}
    assert in_fork["messageCount"] == in_clone["messageCount"] == original["messageCount"] - 2
    assert len({original["sessionId"], in_fork["sessionId"], in_clone["sessionId"]}) == 3


async def test_what_cannot_be_forked(client: RpcPeer, script: ScriptedModel) -> None:
    fresh = await client.call("clone")
    script.replies = [[Say("one")]]
    await client.ask("first")
    answer = client.started.session.file.tree.leaf
    assert answer is not None

    for id in ("nosuch", answer.id):
        response = await client.call("fork", entryId=id)
        assert response["success"] is False
        assert "Invalid" in response["error"]
    assert fresh["success"] is False


async def test_names(client: RpcPeer) -> None:
    await client.data("set_session_name", name="  my   work ")
    blank = await client.call("set_session_name", name="   ")

    assert client.of("session_info_changed") == [{"type": "session_info_changed", "name": "my work"}]
    assert (await client.data("get_state"))["sessionName"] == "my work"
    assert blank["success"] is False


async def test_an_export_lies_where_it_was_asked_for(
    client: RpcPeer, script: ScriptedModel, tmp_path: Path
) -> None:
    script.replies = [[Say("the answer")]]
    nothing = await client.call("export_html")
    await client.ask("first")

    default = Path((await client.data("export_html"))["path"])
    chosen = Path((await client.data("export_html", outputPath=str(tmp_path / "page.html")))["path"])
    nowhere = await client.call("export_html", outputPath=str(tmp_path / "no" / "page.html"))

    assert nothing["success"] is False
    assert default.parent == tmp_path / "work"
    assert chosen == tmp_path / "page.html"
    assert "the answer" in chosen.read_text()
    assert nowhere["success"] is False


async def test_a_session_whose_folder_is_gone_is_asked_about(
    client: RpcPeer, script: ScriptedModel, tmp_path: Path
) -> None:
    script.replies = [[Say("one")]]
    await client.ask("first")
    path = Path((await client.data("get_state"))["sessionFile"])
    moved = tmp_path / "moved.jsonl"
    moved.write_text(path.read_text().replace(str(tmp_path / "work"), str(tmp_path / "gone")))

    switching = await client.send("switch_session", sessionPath=str(moved))
    asked = await client.event("extension_ui_request", method="select")
    waiting = await client.send("get_state")
    answer = {"type": "extension_ui_response", "id": asked["id"], "value": asked["options"][0]}
    await client.write(json.dumps(answer).encode() + b"\n")

    assert (await client.response(switching))["success"] is True
    assert (await client.response(waiting))["data"]["sessionFile"] == str(moved)
