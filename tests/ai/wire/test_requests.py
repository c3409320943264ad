"""What goes along with a request: headers, hooks, time-outs, cache marks, a proxy."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import UserMessage
from pi_term.ai.models import Model
from pi_term.ai.registry import stream_model
from pi_term.ai.scripted import Say
from pi_term.ai.tools import Tool
from pi_term.ai.wire import http
from pi_term.testing.wire_streams import api_of_path, wire_stream

APIS = ["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"]
KEYS = {"anthropic-messages": "x-api-key", "google-generative-ai": "x-goog-api-key"}
READ = Tool("read", "Reads.", {"type": "object"})


def model(api: str, base_url: str = "http://test/v1", **compat: Any) -> Model:
    return Model("m", "p", api, base_url=base_url, compat=compat)


class Network:
    """Answers every request, and keeps the last."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.request = httpx2.Request("GET", "http://none")

    @property
    def headers(self) -> httpx2.Headers:
        return self.request.headers

    @property
    def body(self) -> Any:
        return json.loads(self.request.content)

    async def ask(self, target: Model, **options: Any) -> Any:
        """The message of a call with these options."""
        given = StreamOptions(**{"api_key": "the-key", "session_id": "s1", **options})
        with http.use_transport(httpx2.MockTransport(self._answer)):
            context = Context("Be brief.", [UserMessage("hi")], [READ])
            return await stream_model(target, context, given).result()

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.request = request
        wire = wire_stream(api_of_path(request.url.path), [Say("ok")])
        return httpx2.Response(
            self.status, headers={"x-answered-by": "test"}, content=b"".join([*wire.body, *wire.end])
        )


# --- hooks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_hooks_see_and_change_what_goes_out(api: str, asynchronous: bool) -> None:
    order: list[str] = []
    events: list[Any] = []

    def on_headers(headers: dict[str, str | None]) -> None:
        order.append("headers")
        assert "the-key" not in str(headers)
        headers["X-Trace"] = "t1"
        headers["x-drop"] = None

    def on_payload(payload: dict[str, Any]) -> dict[str, Any]:
        order.append("payload")
        return {**payload, "added": True}

    def on_response(status: int, headers: Any) -> None:
        order.append("response")
        assert (status, headers["x-answered-by"]) == (200, "test")

    def later(hook: Any) -> Any:
        async def hooked(*given: Any) -> Any:
            await asyncio.sleep(0)
            return hook(*given)

        return hooked if asynchronous else hook

    network = Network()
    message = await network.ask(
        model(api),
        headers={"X-Drop": "no", "X-Keep": "yes"},
        on_headers=later(on_headers),
        on_payload=later(on_payload),
        on_response=later(on_response),
        on_event=later(events.append),
    )
    assert message.error_message is None
    assert order == ["headers", "payload", "response"]
    assert network.headers["x-trace"] == "t1"
    assert network.headers["x-keep"] == "yes"
    assert "x-drop" not in network.headers
    assert "the-key" in network.headers[KEYS.get(api, "authorization")]
    assert network.body["added"] is True
    assert events
    assert all(isinstance(event, dict) for event in events)


@pytest.mark.parametrize("api", APIS)
async def test_a_payload_changed_in_place_is_sent_as_changed(api: str) -> None:
    network = Network()
    await network.ask(model(api), on_payload=lambda payload: payload.update(added=1))
    assert network.body["added"] == 1


async def test_a_hook_may_take_the_place_of_the_key() -> None:
    def on_headers(headers: dict[str, str | None]) -> None:
        headers["Authorization"] = "Bearer other"

    network = Network()
    await network.ask(model("openai-completions"), on_headers=on_headers)
    assert network.headers["authorization"] == "Bearer other"


async def test_refusals_are_shown_to_the_hook_too() -> None:
    seen: list[int] = []
    message = await Network(429).ask(
        model("openai-completions"), on_response=lambda status, headers: seen.append(status)
    )
    assert seen == [429]
    assert message.fault.kind == "transient"


@pytest.mark.parametrize("hook", ["on_headers", "on_payload", "on_response", "on_event"])
async def test_what_a_hook_raises_is_the_error_of_the_call(hook: str) -> None:
    def fail(*given: Any) -> None:
        raise RuntimeError("hook broke")

    message = await Network().ask(model("openai-completions"), **{hook: fail})
    assert (message.stop_reason, message.error_message) == ("error", "hook broke")


# --- who is calling -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("api", "compat", "names"),
    [
        ("openai-completions", {}, []),
        (
            "openai-completions",
            {"sendSessionAffinityHeaders": True},
            ["session_id", "x-client-request-id", "x-session-affinity"],
        ),
        (
            "openai-completions",
            {"sendSessionAffinityHeaders": True, "sessionAffinityFormat": "openai-nosession"},
            ["x-client-request-id", "x-session-affinity"],
        ),
        ("openai-responses", {}, ["session-id", "x-client-request-id"]),
        ("openai-responses", {"sessionAffinityFormat": "openrouter"}, ["x-session-id"]),
        ("anthropic-messages", {}, []),
        ("anthropic-messages", {"sendSessionAffinityHeaders": True}, ["x-session-affinity"]),
        (
            "anthropic-messages",
            {"sendSessionAffinityHeaders": True, "sessionAffinityFormat": "openrouter"},
            ["x-session-id"],
        ),
        ("google-generative-ai", {}, []),
    ],
)
async def test_the_session_is_named_as_the_server_wants(api: str, compat: Any, names: list[str]) -> None:
    network = Network()
    await network.ask(model(api, **compat))
    assert sorted(name for name, value in network.headers.items() if value == "s1") == sorted(names)
    await network.ask(model(api, **compat), cache_retention="none")
    assert "s1" not in network.headers.values()


async def test_routers_are_told_which_program_is_calling_unless_it_is_unwanted() -> None:
    network = Network()
    router = model("openai-completions", "https://openrouter.ai/api/v1")
    await network.ask(router)
    assert network.headers["x-openrouter-title"] == "pi-term"
    assert network.headers["x-session-id"] == "s1"
    await network.ask(router, attribution=False)
    assert not [name for name in network.headers if "openrouter" in name]
    await network.ask(model("openai-completions", "https://openrouter.ai.evil.test/v1"))
    assert not [name for name in network.headers if "openrouter" in name]
    await network.ask(router, headers={"X-OpenRouter-Title": "mine"})
    assert network.headers["x-openrouter-title"] == "mine"


# --- caching ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("retention", "mark"),
    [("none", None), ("short", {"type": "ephemeral"}), ("long", {"type": "ephemeral", "ttl": "1h"})],
)
async def test_cache_marks_last_as_long_as_wanted(retention: Any, mark: Any) -> None:
    network = Network()
    await network.ask(model("anthropic-messages"), cache_retention=retention)
    last = network.body["messages"][-1]["content"][-1]
    marks = [
        block.get("cache_control") for block in (network.body["system"][0], network.body["tools"][-1], last)
    ]
    assert marks == [mark] * 3
    short = model("anthropic-messages", supportsLongCacheRetention=False)
    await network.ask(short, cache_retention=retention)
    assert network.body["system"][0].get("cache_control") == (mark and {"type": "ephemeral"})
    by_convention = model("openai-completions", cacheControlFormat="anthropic")
    await network.ask(by_convention, cache_retention=retention)
    marked = [
        block.get("cache_control")
        for content in (network.body["messages"][0]["content"], network.body["messages"][1]["content"])
        for block in ([content] if isinstance(content, str) else content)
        if isinstance(block, dict)
    ]
    assert set(map(str, marked)) == {str(mark)}
    assert network.body["tools"][-1].get("cache_control") == mark


@pytest.mark.parametrize(
    ("url", "retention", "sent"),
    [
        ("http://test/v1", "short", {}),
        ("http://test/v1", "long", {"prompt_cache_key": "s1", "prompt_cache_retention": "24h"}),
        ("https://api.openai.com/v1", "short", {"prompt_cache_key": "s1"}),
        ("https://api.openai.com/v1", "none", {}),
        ("https://api.together.ai/v1", "long", {}),
    ],
)
async def test_keys_of_cached_prompts(url: str, retention: Any, sent: dict[str, str]) -> None:
    network = Network()
    await network.ask(model("openai-completions", url), cache_retention=retention)
    assert {key: value for key, value in network.body.items() if key.startswith("prompt_cache")} == sent


# --- beta features ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("compat", "level", "betas"),
    [
        ({}, "off", None),
        ({}, "low", "interleaved-thinking-2025-05-14"),
        ({"forceAdaptiveThinking": True}, "low", None),
        (
            {"supportsEagerToolInputStreaming": False},
            "low",
            "fine-grained-tool-streaming-2025-05-14,interleaved-thinking-2025-05-14",
        ),
    ],
)
async def test_betas_of_anthropic(compat: Any, level: Any, betas: str | None) -> None:
    network = Network()
    target = replace(model("anthropic-messages", **compat), reasoning=True)
    await network.ask(target, thinking=level)
    assert network.headers.get("anthropic-beta") == betas


# --- sampling -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ["openai-completions", "openai-responses"])
async def test_sampling_parameters_follow_the_level(api: str) -> None:
    network = Network()
    target = replace(
        model(api),
        reasoning=True,
        sampling_params={"temperature": 1.0, "top_p": 0.9},
        sampling_params_by_level={"off": {"temperature": 0.5}, "high": {"top_k": 20}},
    )
    await network.ask(target, thinking="off")
    assert (network.body["temperature"], network.body["top_p"]) == (0.5, 0.9)
    await network.ask(target, thinking="max")  # the model has no more than high
    assert (network.body["temperature"], network.body["top_k"]) == (1.0, 20)
