from __future__ import annotations

import asyncio
import json
from pathlib import Path

from pi_term.testing import Say, ScriptedModel, Wait, until
from pi_term.testing.rpc import RpcPeer


def kept(folder: Path) -> object:
    return json.loads((folder / "home" / "settings.json").read_text())


async def test_modes_count_at_once_and_are_kept(client: RpcPeer, tmp_path: Path) -> None:
    await client.data("set_steering_mode", mode="all")
    await client.data("set_follow_up_mode", mode="all")
    await client.data("set_auto_compaction", enabled=False)
    await client.data("set_auto_retry", enabled=False)

    state = await client.data("get_state")
    assert (state["steeringMode"], state["followUpMode"]) == ("all", "all")
    assert state["autoCompactionEnabled"] is False
    assert kept(tmp_path) == {
        "steeringMode": "all",
        "followUpMode": "all",
        "compaction": {"enabled": False},
        "retry": {"enabled": False},
    }


async def test_all_steering_messages_at_once(client: RpcPeer, script: ScriptedModel) -> None:
    gate = asyncio.Event()
    script.replies = [[Wait(gate), Say("one")], [Say("two")]]
    await client.data("set_steering_mode", mode="all")
    await client.data("prompt", message="go")
    await until(lambda: bool(script.contexts))
    await client.data("steer", message="A")
    await client.data("steer", message="B")
    gate.set()
    await client.event("agent_settled")

    assert len(script.contexts) == 2


async def test_a_mode_that_cannot_be_kept_counts_all_the_same_and_is_reported(
    client: RpcPeer, tmp_path: Path
) -> None:
    (tmp_path / "home" / "settings.json").write_text("{broken")

    await client.data("set_steering_mode", mode="all")

    assert (await client.data("get_state"))["steeringMode"] == "all"
    assert "steeringMode" in client.err.getvalue()
