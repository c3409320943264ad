from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from pi_term.coding.startup import StartRequest
from pi_term.testing import Say, ScriptedModel
from pi_term.testing.rpc import RpcPeer

Connect = Callable[..., Awaitable[RpcPeer]]


def offer(script: ScriptedModel, folder: Path, *ids: str) -> None:
    """More models in models.json; the ones that think are named so."""
    path = folder / "home" / "models.json"
    path.parent.mkdir(exist_ok=True)
    models = [{"id": id, "reasoning": "think" in id} for id in ids]
    provider = {"baseUrl": "http://script.invalid", "api": script.api, "apiKey": "none", "models": models}
    path.write_text(json.dumps({"providers": {"test": provider}}))


async def several(connect: Connect, script: ScriptedModel, folder: Path, *scope: str) -> RpcPeer:
    (folder / "work").mkdir(exist_ok=True)
    script.install = lambda home: offer(script, folder, "plain", "thinker", "other")  # type: ignore[method-assign]
    request = StartRequest(cwd=folder / "work", model="test/plain", models=scope)
    return await connect(request=request)


async def test_set_model_takes_the_exact_name(
    connect: Connect, script: ScriptedModel, tmp_path: Path
) -> None:
    client = await several(connect, script, tmp_path)
    script.replies = [[Say("ok")]]

    model = await client.data("set_model", provider="test", modelId="other")
    missing = await client.call("set_model", provider="test", modelId="oth")
    await client.ask("hi")

    assert model["id"] == "other"
    assert missing["success"] is False
    assert "test/oth" in missing["error"]
    assert client.of("message_start")[-1]["message"]["model"] == "other"


async def test_models_are_gone_through_in_their_order(
    connect: Connect, script: ScriptedModel, tmp_path: Path
) -> None:
    client = await several(connect, script, tmp_path)

    names = [model["id"] for model in (await client.data("get_available_models"))["models"]]
    gone = [await client.data("cycle_model") for _ in names]

    assert names == ["plain", "thinker", "other"]
    assert [each["model"]["id"] for each in gone] == ["thinker", "other", "plain"]
    assert [each["isScoped"] for each in gone] == [False] * 3


async def test_a_scope_limits_them_and_brings_its_levels(
    connect: Connect, script: ScriptedModel, tmp_path: Path
) -> None:
    client = await several(connect, script, tmp_path, "test/plain", "test/thinker:low")

    first, second = await client.data("cycle_model"), await client.data("cycle_model")

    assert (first["model"]["id"], first["thinkingLevel"], first["isScoped"]) == ("thinker", "low", True)
    assert (second["model"]["id"], second["thinkingLevel"]) == ("plain", "off")


async def test_with_one_model_there_is_no_next(client: RpcPeer) -> None:
    response = await client.call("cycle_model")

    assert response["success"] is True
    assert response["data"] is None


async def test_levels(connect: Connect, script: ScriptedModel, tmp_path: Path) -> None:
    client = await several(connect, script, tmp_path)
    without = [await client.call("cycle_thinking_level"), await client.data("get_available_thinking_levels")]
    await client.data("set_model", provider="test", modelId="thinker")
    before = len(client.of("thinking_level_changed"))

    await client.data("set_thinking_level", level="max")
    level = (await client.data("get_state"))["thinkingLevel"]
    await client.data("set_thinking_level", level=level)
    cycled = await client.data("cycle_thinking_level")

    assert without[0]["data"] is None
    assert without[1] == {"levels": ["off"]}
    levels = (await client.data("get_available_thinking_levels"))["levels"]
    assert levels == ["off", "minimal", "low", "medium", "high"]
    assert level == "high"
    assert cycled == {"level": "off"}
    changes = [event["level"] for event in client.of("thinking_level_changed")[before:]]
    assert changes == ["high", "off"]
