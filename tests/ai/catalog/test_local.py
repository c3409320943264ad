from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.catalog import ModelRegistry
from pi_term.ai.catalog.local import (
    LocalServer,
    ask_lm_studio,
    ask_ollama,
    ask_openai,
    find_local_servers,
)
from pi_term.ai.catalog.local_answers import (
    LocalModel,
    lm_studio_models,
    ollama_model,
    ollama_windows,
    openai_models,
)

Answers = Mapping[str, Any]

LLAMA = {
    "/v1/models": {
        "data": [
            {
                "id": "gemma.gguf",
                "owned_by": "llamacpp",
                "meta": {"n_ctx": 32768, "n_ctx_train": 131072},
                "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
            },
            {"id": "unloaded", "owned_by": "llamacpp", "status": {"value": "unloaded"}},
            {
                "id": "judge",
                "owned_by": "llamacpp",
                "architecture": {"output_modalities": ["decisions"]},
            },
        ]
    }
}
OLD_LLAMA = {
    "/v1/models": {"data": [{"id": "one", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}}]},
    "/props": {"default_generation_settings": {"n_ctx": 4096}, "modalities": {"vision": True}},
}
VLLM = {"/v1/models": {"data": [{"id": "Qwen/Qwen3-8B", "owned_by": "vllm", "max_model_len": 40960}]}}
OLLAMA = {
    "/api/tags": {"models": [{"name": "qwen3:8b"}, {"name": "llava:7b"}, {"name": "embed"}, {"name": "set"}]},
    "/api/ps": {"models": [{"name": "qwen3:8b", "context_length": 65536}]},
    "/api/show": {
        "qwen3:8b": {
            "capabilities": ["completion", "tools", "thinking"],
            "model_info": {"qwen3.context_length": 40960},
        },
        "llava:7b": {
            "capabilities": ["completion", "vision"],
            "model_info": {"general.architecture": "llama", "llama.context_length": 32768},
        },
        "embed": {"capabilities": ["embedding"]},
        "set": {"parameters": "temperature 0.7\nnum_ctx 8192", "model_info": {"x.context_length": 99999}},
    },
}
STUDIO = {
    "/api/v1/models": {
        "models": [
            {
                "type": "llm",
                "key": "gemma-3",
                "display_name": "Gemma 3",
                "loaded_instances": [{"id": "gemma-3", "config": {"context_length": 4096}}],
                "max_context_length": 32768,
                "capabilities": {"vision": True},
            },
            {"type": "llm", "key": "idle", "loaded_instances": [], "max_context_length": 8192},
            {"type": "embedding", "key": "nomic", "loaded_instances": [], "max_context_length": 2048},
        ]
    }
}
OLD_STUDIO = {
    "/api/v0/models": {
        "data": [
            {"id": "a", "type": "llm", "max_context_length": 32768, "loaded_context_length": 4096},
            {"id": "b", "type": "vlm", "max_context_length": 16384},
            {"id": "c", "type": "embeddings", "max_context_length": 512},
        ]
    }
}


@asynccontextmanager
async def listening(
    serve: Callable[..., Any], answers: Answers | bytes | None, delay: float = 0
) -> AsyncIterator[int]:
    """A server that knows some paths; bytes are its answer to everything; None: it never answers."""

    async def answer(exchange: Any) -> None:
        await asyncio.sleep(delay)
        if answers is None:
            await exchange.gone.wait()
            return
        if isinstance(answers, bytes):
            await exchange.document(200, answers)
            return
        content = answers.get(exchange.line.split()[1])
        if isinstance(content, dict) and exchange.line.startswith("POST"):
            content = content.get(json.loads(exchange.body)["model"])
        status = 404 if content is None else 200
        await exchange.document(status, json.dumps(content).encode(), content_type="application/json")

    async with serve(answer) as server:
        yield server.port


async def test_all_four_kinds_are_found_with_their_windows(serve: Any) -> None:
    async with AsyncExitStack() as stack:
        kinds = [
            (LLAMA, ask_openai),
            (OLD_LLAMA, ask_openai),
            (VLLM, ask_openai),
            (OLLAMA, ask_ollama),
            (STUDIO, ask_lm_studio),
            (OLD_STUDIO, ask_lm_studio),
        ]
        places = {await stack.enter_async_context(listening(serve, answers)): ask for answers, ask in kinds}
        found = await find_local_servers(places, seconds=20)
    assert [(each.kind, each.port) for each in found] == list(
        zip(("llama.cpp", "llama.cpp", "vllm", "ollama", "lm-studio", "lm-studio"), places, strict=True)
    )
    assert [each.models for each in found] == [
        (LocalModel("gemma.gguf", "", 32768, images=True), LocalModel("unloaded")),
        (LocalModel("one", "", 4096, images=True),),
        (LocalModel("Qwen/Qwen3-8B", "", 40960),),
        (
            LocalModel("qwen3:8b", "", 65536, thinks=True),
            LocalModel("llava:7b", "", 32768, images=True),
            LocalModel("set", "", 8192),
        ),
        (LocalModel("gemma-3", "Gemma 3", 4096, images=True), LocalModel("idle", "", 8192)),
        (LocalModel("a", "", 4096), LocalModel("b", "", 16384, images=True)),
    ]


async def test_what_is_no_model_server_is_passed_over(serve: Any) -> None:
    strangers: list[Answers | bytes | None] = [
        b"<html>hello</html>",
        b"[1, 2]",
        b"{",
        b'{"data": [{"id": "x", "owned_by": "somebody"}]}',
        b'{"models": "all"}',
        b"x" * 5_000_000,
        {},
        None,
    ]
    async with AsyncExitStack() as stack:
        ports = [await stack.enter_async_context(listening(serve, each)) for each in strangers]
        for ask in (ask_openai, ask_ollama, ask_lm_studio):
            assert await find_local_servers(dict.fromkeys(ports, ask), seconds=0.5) == []
    assert await find_local_servers(dict.fromkeys(ports, ask_openai)) == []


async def test_a_proxy_is_not_asked(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with listening(serve, VLLM) as port:
        assert len(await find_local_servers({port: ask_openai}, seconds=20)) == 1


async def test_a_server_found_becomes_a_provider(make_registry: Any) -> None:
    registry: ModelRegistry = make_registry()
    models = (LocalModel("big", "Big", 65536, images=True, thinks=True), LocalModel("small", "", 2000))
    server = LocalServer("ollama", 11434, (*models, LocalModel("unsaid")))
    assert server.id == "ollama"
    assert LocalServer("llama.cpp", 8080, ()).id == "llama.cpp-8080"
    assert registry.add_provider(server.id, server.provider_config()) == []
    big, small, unsaid = registry.available()
    assert (big.key, big.name, big.base_url) == ("ollama/big", "Big", "http://127.0.0.1:11434/v1")
    assert (big.context_window, big.max_tokens, big.input) == (65536, 16384, ("text", "image"))
    assert big.reasoning
    assert (small.context_window, small.max_tokens) == (2000, 500)
    assert (unsaid.context_window, unsaid.reasoning) == (128_000, False)
    assert await registry.resolve_key("ollama") == "none"
    registry.reload()
    assert registry.get("ollama", "big") is not None


KEYS = [
    *(
        "data",
        "models",
        "id",
        "key",
        "name",
        "type",
        "owned_by",
        "meta",
        "n_ctx",
        "loaded_instances",
        "config",
    ),
    *("capabilities", "model_info", "a.context_length", "max_context_length", "architecture"),
    *("output_modalities", "parameters"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner | st.sampled_from(["llm", "llamacpp"]), max_size=6)
    ),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from(["data", "models"]), JSON))
def test_no_answer_whatever_raises(answer: dict[str, Any]) -> None:
    found = openai_models(answer, "llamacpp") + (lm_studio_models(answer) or [])
    assert all(model.id.isprintable() for model in found)
    ollama_windows(answer)
    ollama_model("m", answer, None)
