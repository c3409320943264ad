"""What an error document says, in whatever shape a provider writes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pi_term.base.json import JsonObject

_WORDS = ("message", "detail", "msg", "status_msg", "error_description")
_NAMES = ("type", "code", "status", "reason", "__type")
_INSIDE = ("error", "errors", "base_resp")


class ErrorBody(NamedTuple):
    """Its words, the names that it gives itself, and the seconds to wait that its fields hold."""

    text: str
    names: list[str]
    fields: JsonObject


def read_error(payload: Any) -> ErrorBody:
    """Make sense of a decoded error document or event."""
    outer = payload[0] if isinstance(payload, list) and payload else payload
    if not isinstance(outer, dict):
        return ErrorBody(str(outer or ""), [], {})
    inner = _inner(outer)
    if not isinstance(inner, dict):
        return ErrorBody(str(inner or outer.get("message") or ""), [], {})
    names = [str(inner[key]) for key in _NAMES if inner.get(key) and not isinstance(inner[key], (dict, list))]
    fields: JsonObject = {**_scalars(outer), **_scalars(inner)}
    for detail in _details(inner):
        fields.update(_scalars(detail))
        names += [str(detail[key]) for key in ("reason", "quotaId") if detail.get(key)]
    text = _words(inner) or _words(outer)
    raw = inner.get("metadata", {}).get("raw") if isinstance(inner.get("metadata"), dict) else None
    if isinstance(raw, str):
        # A router's own message says only that its upstream failed; the reason is in here.
        text = f"{text}: {raw}" if text else raw
    label = next((name for name in names if not name.isdigit() and name != "error"), "")
    return ErrorBody(f"{label}: {text}" if label and label not in text else text or label, names, fields)


def _inner(outer: JsonObject) -> Any:
    for key in _INSIDE:
        value = outer.get(key)
        if isinstance(value, list) and value:
            value = value[0]
        if value:
            return value
    return outer


def _words(holder: JsonObject) -> str:
    for key in _WORDS:
        value = holder.get(key)
        if value:
            return value if isinstance(value, str) else str(value)
    return ""


def _scalars(holder: JsonObject) -> JsonObject:
    return {key: value for key, value in holder.items() if isinstance(value, (str, int, float))}


def _details(inner: JsonObject) -> Iterator[JsonObject]:
    """Further objects inside: Google's details and their violations, a router's metadata and headers."""
    metadata = inner.get("metadata")
    if isinstance(metadata, dict):
        yield metadata
        if isinstance(metadata.get("headers"), dict):
            yield {key.lower(): value for key, value in metadata["headers"].items()}
    details = inner.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict):
            yield detail
            violations = detail.get("violations")
            yield from (each for each in violations or () if isinstance(each, dict))
