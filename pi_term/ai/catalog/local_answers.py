"""What the model servers of this machine say of their models. Nothing of an answer is taken on trust."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model of a local server. `context_window` is None where the server does not tell."""

    id: str
    name: str = ""
    context_window: int | None = None
    images: bool = False
    thinks: bool = False


def openai_models(answer: JsonObject, owner: str) -> list[LocalModel]:
    """The chat models of `owner` in an OpenAI-compatible list, as llama.cpp and vLLM write it."""
    found: list[LocalModel] = []
    for entry in _objects(answer.get("data")):
        made_for = _object(entry.get("architecture"))
        outputs = made_for.get("output_modalities", ["text"])
        if entry.get("owned_by") != owner or not _is_name(entry.get("id")) or "text" not in _list(outputs):
            continue
        window = _count(entry.get("max_model_len")) or _count(_object(entry.get("meta")).get("n_ctx"))
        images = "image" in _list(made_for.get("input_modalities"))
        found.append(LocalModel(entry["id"], "", window, images))
    return found


def llama_window(model: LocalModel, properties: JsonObject) -> LocalModel:
    """The only model of an older llama.cpp server with the window that its properties tell."""
    window = _count(_object(properties.get("default_generation_settings")).get("n_ctx"))
    images = _object(properties.get("modalities")).get("vision") is True
    return replace(model, context_window=window, images=model.images or images)


def ollama_windows(running: JsonObject) -> dict[str, int]:
    """The windows of the models that Ollama has loaded, by name."""
    found = {
        each["name"]: _count(each.get("context_length"))
        for each in _objects(running.get("models"))
        if _is_name(each.get("name"))
    }
    return {name: window for name, window in found.items() if window}


def ollama_model(name: str, about: JsonObject, loaded_window: int | None) -> LocalModel | None:
    """A model by what Ollama shows of it; None where it is for something else than chat.

    Until it is loaded, its window is what its own parameters say, else what it was trained with: an upper
    bound, as the server may give it less.
    """
    able = _list(about.get("capabilities"))
    if not _is_name(name) or (able and "completion" not in able):
        return None
    details = _object(about.get("model_info"))
    trained = next((_count(value) for key, value in details.items() if key.endswith(".context_length")), None)
    window = loaded_window or _parameter(about.get("parameters"), "num_ctx") or trained
    return LocalModel(name, "", window, images="vision" in able, thinks="thinking" in able)


def lm_studio_models(answer: JsonObject) -> list[LocalModel] | None:
    """The chat models of LM Studio; None where it is another server. Both versions of its API are read."""
    if isinstance(answer.get("models"), list):
        entries = [each for each in _objects(answer["models"]) if "loaded_instances" in each]
        if answer["models"] and not entries:
            return None
        return [_newer(each) for each in entries if each.get("type") == "llm" and _is_name(each.get("key"))]
    entries = [each for each in _objects(answer.get("data")) if "max_context_length" in each]
    if not entries:
        return None
    return [
        LocalModel(
            each["id"],
            "",
            _count(each.get("loaded_context_length")) or _count(each["max_context_length"]),
            images=each["type"] == "vlm",
        )
        for each in entries
        if each.get("type") in ("llm", "vlm") and _is_name(each.get("id"))
    ]


def _newer(entry: JsonObject) -> LocalModel:
    loaded = next(_objects(entry["loaded_instances"]), {})
    window = _count(_object(loaded.get("config")).get("context_length"))
    name = entry.get("display_name")
    return LocalModel(
        entry["key"],
        str(name) if _is_name(name) else "",
        window or _count(entry.get("max_context_length")),
        images=_object(entry.get("capabilities")).get("vision") is True,
    )


def _parameter(text: Any, name: str) -> int | None:
    """A number in Ollama's parameters, which are lines of text."""
    words = [line.split() for line in text.splitlines()] if isinstance(text, str) else []
    found = [each[1] for each in words if len(each) == 2 and each[0] == name]
    return int(found[0]) if found and found[0].isdecimal() else None


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: Any) -> Iterator[JsonObject]:
    return (each for each in _list(value) if isinstance(each, dict))
