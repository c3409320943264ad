"""Which module speaks which API; a module is imported when its first model is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.models import Model
from pi_term.ai.stream import AssistantStream, failed_stream
from pi_term.base.errors import PiTermError

StreamFunction: TypeAlias = Callable[[Model, Context, StreamOptions], AssistantStream]

_MODULES = {
    "openai-completions": "pi_term.ai.wire.openai_completions",
    "openai-responses": "pi_term.ai.wire.openai_responses",
    "anthropic-messages": "pi_term.ai.wire.anthropic_messages",
    "google-generative-ai": "pi_term.ai.wire.google_generative_ai",
    "demo": "pi_term.ai.demo",
}
_registered: dict[str, StreamFunction] = {}


def register_api(api: str, stream: StreamFunction) -> None:
    """Add an API, or replace one (extensions, scripted models in tests)."""
    _registered[api] = stream


def unregister_api(api: str) -> None:
    """Take back what `register_api` added."""
    _registered.pop(api, None)


def known_apis() -> list[str]:
    """The names of all APIs that can be spoken, sorted."""
    return sorted({*_MODULES, *_registered})


def api_adapter(api: str) -> StreamFunction:
    """The `stream` function of an API; raises `PiTermError` for one that nobody speaks."""
    found = _registered.get(api)
    if found is not None:
        return found
    module = _MODULES.get(api)
    if module is None:
        known = ", ".join(known_apis())
        raise PiTermError("unknown_api", f"No adapter speaks the API {api!r}.", f"Known: {known}.")
    stream: StreamFunction = import_module(module).stream
    return stream


def stream_model(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    """Start a model call; what fails becomes an `error` event of the stream."""
    try:
        return api_adapter(model.api)(model, context, options)
    except Exception as error:  # noqa: BLE001 - an adapter may be anybody's code
        return failed_stream(model, error)
