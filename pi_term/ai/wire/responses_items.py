"""What a session keeps of a Responses item besides its words, as Pi's session files hold it.

A text's signature names the message item and its phase; a thought's signature is the whole reasoning
item, which has to go back as it came; a call's id is `call|item`.
"""

from __future__ import annotations

from typing import NamedTuple

from pi_term.base.json import JsonError, JsonObject, dumps_str, loads

_LONGEST_ID = 64


class MessageMark(NamedTuple):
    """The id of a message item ("": none that can be sent), and the phase of the answer that it is of."""

    id: str = ""
    phase: str = ""


def text_signature(item: JsonObject) -> str | None:
    """The signature of the text of a message item."""
    item_id, phase = item.get("id"), item.get("phase")
    if not isinstance(item_id, str) or not item_id:
        return None
    return dumps_str({"v": 1, "id": item_id, **({"phase": phase} if isinstance(phase, str) else {})})


def message_mark(signature: str | None) -> MessageMark:
    """What a text's signature says; an old one is the bare id."""
    value = _loaded(signature)
    if value is None:
        return MessageMark(_sendable(signature or ""))
    item_id, phase = value.get("id"), value.get("phase")
    return MessageMark(
        _sendable(item_id) if isinstance(item_id, str) else "", phase if isinstance(phase, str) else ""
    )


def reasoning_item(signature: str | None) -> JsonObject | None:
    """The reasoning item to send back; None for one that the provider could not read, as it keeps none."""
    item = _loaded(signature)
    if item is None or item.get("type") != "reasoning" or not item.get("encrypted_content"):
        return None
    summary = item.get("summary")
    kept = {key: item[key] for key in ("id", "content", "encrypted_content") if item.get(key) is not None}
    return {"type": "reasoning", "summary": summary if isinstance(summary, list) else [], **kept}


def call_id(item: JsonObject) -> str:
    """The id under which a session keeps a function call."""
    call, own = item.get("call_id"), item.get("id")
    if not isinstance(call, str) or not call:
        return own if isinstance(own, str) else ""
    return f"{call}|{own}" if isinstance(own, str) and own else call


def _sendable(item_id: str) -> str:
    return item_id if item_id.startswith("msg") and len(item_id) <= _LONGEST_ID else ""


def _loaded(signature: str | None) -> JsonObject | None:
    if not signature or not signature.startswith("{"):
        return None
    try:
        value = loads(signature)
    except JsonError:
        return None
    return value if isinstance(value, dict) else None
