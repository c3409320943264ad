"""Model servers that run on this machine: llama.cpp, Ollama, LM Studio, vLLM.

Their usual ports are asked on loopback, all at once and with little patience. Only what answers like one of
these servers counts: anything may listen there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pi_term.ai.catalog.local_answers import (
    LocalModel,
    llama_window,
    lm_studio_models,
    ollama_model,
    ollama_windows,
    openai_models,
)
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonError, JsonObject, JsonValue, loads

if TYPE_CHECKING:
    import httpx2

ServerKind: TypeAlias = Literal["llama.cpp", "lm-studio", "ollama", "vllm"]
Places: TypeAlias = Mapping[int, Callable[["_Asker"], Awaitable["LocalServer | None"]]]

_CONNECT_SECONDS = 0.25
_LONGEST_ANSWER = 4_000_000
_MOST_ASKED_MODELS = 50
_USUAL_PORT: dict[ServerKind, int] = {"llama.cpp": 9931, "lm-studio": 1234, "ollama": 11434, "vllm": 8000}
_MOST_OUTPUT = 16_384
# They take what everybody takes, and would stumble over what is only OpenAI's.
_COMPAT: JsonObject = {"supportsStore": False, "maxTokensField": "max_tokens"}


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered on `port`, and its models."""

    kind: ServerKind
    port: int
    models: tuple[LocalModel, ...]

    @property
    def id(self) -> str:
        """A name for it as a provider: its kind, with the port where that is not the usual one."""
        return self.kind if self.port == _USUAL_PORT[self.kind] else f"{self.kind}-{self.port}"

    @property
    def base_url(self) -> str:
        """Where its OpenAI-compatible API is."""
        return f"http://127.0.0.1:{self.port}/v1"

    def provider_config(self) -> JsonObject:
        """The entry under `providers` of models.json that makes its models available."""
        return {
            "baseUrl": self.base_url,
            "api": "openai-completions",
            "apiKey": "none",  # one has to be there; without a key set, the servers look at none
            "compat": _COMPAT,
            "models": [_model_config(model) for model in self.models],
        }


def _model_config(model: LocalModel) -> JsonObject:
    config: JsonObject = {"id": model.id}
    if model.name and model.name != model.id:
        config["name"] = model.name
    if model.context_window:
        config["contextWindow"] = model.context_window
        config["maxTokens"] = max(1, min(_MOST_OUTPUT, model.context_window // 4))
    if model.images:
        config["input"] = ["text", "image"]
    if model.thinks:
        config["reasoning"] = True
        config["thinkingLevelMap"] = {"off": "none", "minimal": None}
    return config


async def find_local_servers(places: Places | None = None, seconds: float = 2.0) -> list[LocalServer]:
    """The servers that answer, in the order of `places` (ports, and how to ask there; the usual ones).

    Takes `seconds` at most; nothing that goes wrong there is an error.
    """
    import httpx2

    timeout = httpx2.Timeout(seconds, connect=_CONNECT_SECONDS)
    # No proxy, no redirect, no credentials of the environment: this stays on this machine.
    async with httpx2.AsyncClient(timeout=timeout, trust_env=False, follow_redirects=False) as client:
        asked = [
            _answer_of(ask(_Asker(client, port)), seconds) for port, ask in (places or WELL_KNOWN).items()
        ]
        answers = await asyncio.gather(*asked)
    return [server for server in answers if server is not None]


async def _answer_of(asking: Awaitable[LocalServer | None], seconds: float) -> LocalServer | None:
    try:
        async with asyncio.timeout(seconds):
            return await asking
    except TimeoutError:
        return None


class _Asker:
    """Asks one port."""

    def __init__(self, client: httpx2.AsyncClient, port: int) -> None:
        self._client = client
        self.port = port

    async def ask(self, path: str, body: JsonObject | None = None) -> JsonObject:
        """The JSON object at `path`; an empty one for any other answer, or none."""
        import httpx2

        url = f"http://127.0.0.1:{self.port}{path}"
        request = self._client.build_request("GET" if body is None else "POST", url, json=body)
        try:
            response = await self._client.send(request, stream=True)
            try:
                return await self._content(response)
            finally:
                await response.aclose()
        except (httpx2.HTTPError, httpx2.StreamError):
            return {}

    async def _content(self, response: httpx2.Response) -> JsonObject:
        if response.status_code != 200:
            return {}
        content = bytearray()
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > _LONGEST_ANSWER:
                return {}
        try:
            value: JsonValue = loads(bytes(content))
        except JsonError:
            return {}
        return value if isinstance(value, dict) else {}


async def ask_openai(asker: _Asker) -> LocalServer | None:
    """llama.cpp or vLLM, which name themselves as the owner of their models."""
    answer = await asker.ask("/v1/models")
    kinds: dict[str, ServerKind] = {"llamacpp": "llama.cpp", "vllm": "vllm"}
    for owner, kind in kinds.items():
        models = openai_models(answer, owner)
        if not models:
            continue
        if kind == "llama.cpp" and len(models) == 1 and models[0].context_window is None:
            models = [llama_window(models[0], await asker.ask("/props"))]
        return LocalServer(kind, asker.port, tuple(models))
    return None


async def ask_ollama(asker: _Asker) -> LocalServer | None:
    """Ollama: what is loaded tells its window, the others what they are made for."""
    tags = await asker.ask("/api/tags")
    if not isinstance(tags.get("models"), list):
        return None
    listed: list[Any] = tags["models"][:_MOST_ASKED_MODELS]
    names = [each["name"] for each in listed if isinstance(each, dict) and isinstance(each.get("name"), str)]
    running, *shown = await asyncio.gather(
        asker.ask("/api/ps"), *(asker.ask("/api/show", {"model": name}) for name in names)
    )
    windows = ollama_windows(running)
    found = (ollama_model(name, about, windows.get(name)) for name, about in zip(names, shown, strict=True))
    return LocalServer("ollama", asker.port, tuple(model for model in found if model is not None))


async def ask_lm_studio(asker: _Asker) -> LocalServer | None:
    """LM Studio, by its own API, of which there are two versions."""
    for path in ("/api/v1/models", "/api/v0/models"):
        models = lm_studio_models(await asker.ask(path))
        if models is not None:
            return LocalServer("lm-studio", asker.port, tuple(models))
    return None


WELL_KNOWN: Places = {
    11434: ask_ollama,
    1234: ask_lm_studio,
    9931: ask_openai,
    8080: ask_openai,
    8000: ask_openai,
}
