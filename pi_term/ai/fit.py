"""Fitting a conversation to the model that will read it.

A session may have been through several models, aborts and failures; each API refuses a conversation
that breaks its rules, and then the session would be stuck. What comes out of `fit_history`:

- it begins with the user, and ends with the user or with results;
- every tool call is followed at once by exactly one result, in the order of the calls; no other results;
- call ids are unique, ids and tool names in a form that the target's API takes;
- no blank text block, no message without content, no reply that failed or was aborted;
- thinking only where the model that thought it is the one that reads it, and never last in a message;
- images only for models that see, in formats that the target's API takes.

The messages of the session are not changed; what is changed is copied.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Sequence
from typing import TypeAlias

from pi_term.ai.messages import (
    AssistantMessage,
    AssistantPart,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    UserPart,
    parts_of,
)
from pi_term.ai.models import Model

FittedMessage: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage

EMPTY_RESULT = "(no tool output)"
MISSING_RESULT = "This call has no result: it was interrupted before it finished."
BLOCKED_IMAGE = "Image reading is disabled."
_UNSEEN_IMAGE = "(image omitted: model does not support images)"
_UNSEEN_TOOL_IMAGE = "(tool image omitted: model does not support images)"
_ODD_IMAGE = "(image omitted: its format cannot be sent to this model)"
_BEFORE = "(The conversation goes on from here.)"
_GO_ON = "Go on."

_COMMON_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_IMAGES = {
    "google-generative-ai": frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"})
}
# The shortest limit of all; the same id for every model keeps prompts the same.
_ID_LIMIT = 40
_OWN_ID_LIMIT = 64
_NAME_LIMIT = 64
_REFUSED = re.compile(r"[^A-Za-z0-9_-]")
# APIs that check an id's form even when it is one of their own.
_STRICT_IDS = frozenset({"anthropic-messages"})
# Mistral's models, wherever they are served, want ids of exactly nine letters and digits.
_WANTS_NINE = re.compile("mistral|ministral|magistral|codestral|devstral|pixtral", re.IGNORECASE)
_NINE = re.compile(r"[A-Za-z0-9]{9}")


def fit_history(
    messages: Sequence[Message],
    model: Model,
    *,
    block_images: bool = False,
    cross_model_thinking: str = "drop",
) -> list[FittedMessage]:
    """The conversation as `model` may see it. System messages are left out: they are replayed elsewhere.

    `block_images` puts a sentence in the place of each image; `cross_model_thinking` "text" keeps another
    model's readable thinking as plain text.
    """
    fitted = (
        fit_message(each, model, block_images=block_images, cross_model_thinking=cross_model_thinking)
        for each in messages
    )
    return _framed(_pair_calls([each for each in fitted if each is not None], model))


def fit_message(
    message: Message, model: Model, *, block_images: bool = False, cross_model_thinking: str = "drop"
) -> FittedMessage | None:
    """One message as `model` may see it, calls and results still unpaired; None where nothing is left."""
    images = _Images(model, blocked=block_images)
    if isinstance(message, UserMessage):
        content = images.fit(message.content, _UNSEEN_IMAGE)
        return dataclasses.replace(message, content=content) if content else None
    if isinstance(message, ToolResultMessage):
        result = images.fit(message.content, _UNSEEN_TOOL_IMAGE) or [TextContent(EMPTY_RESULT)]
        return dataclasses.replace(message, content=result)
    if isinstance(message, AssistantMessage) and message.stop_reason in ("stop", "length", "toolUse"):
        parts = _fit_reply(message, model, keep_as_text=cross_model_thinking == "text")
        return dataclasses.replace(message, content=parts) if parts else None
    return None


def _framed(history: list[FittedMessage]) -> list[FittedMessage]:
    """The conversation with the user's words around it where they are missing, as APIs insist on them."""
    if not history or not isinstance(history[0], UserMessage):
        history.insert(0, UserMessage([TextContent(_BEFORE)]))
    if isinstance(history[-1], AssistantMessage):
        history.append(UserMessage([TextContent(_GO_ON)]))
    return history


def wrote(model: Model, message: AssistantMessage) -> bool:
    """Whether this very model, over this very API, wrote the message."""
    return (message.provider, message.api, message.model) == (model.provider, model.api, model.id)


class _Images:
    """What becomes of images: they stay, or a placeholder says that there was one."""

    def __init__(self, model: Model, *, blocked: bool) -> None:
        self._blocked = blocked
        self._seen = "image" in model.input
        self._formats = _IMAGES.get(model.api, _COMMON_IMAGES)

    def fit(self, content: str | Sequence[UserPart], unseen: str) -> list[UserPart]:
        fitted: list[UserPart] = []
        for part in parts_of(content):
            if isinstance(part, ImageContent):
                placeholder = self._placeholder(part, unseen)
                if placeholder is None:
                    fitted.append(part)
                elif not fitted or not _is_text(fitted[-1], placeholder):
                    fitted.append(TextContent(placeholder))
            elif isinstance(part, TextContent) and part.text.strip():
                fitted.append(part)
        return fitted

    def _placeholder(self, image: ImageContent, unseen: str) -> str | None:
        if self._blocked:
            return BLOCKED_IMAGE
        if not self._seen:
            return unseen
        return None if image.data.strip() and image.mime_type in self._formats else _ODD_IMAGE


def _is_text(part: UserPart, text: str) -> bool:
    return isinstance(part, TextContent) and part.text == text


def _fit_reply(message: AssistantMessage, model: Model, *, keep_as_text: bool) -> list[AssistantPart]:
    own = wrote(model, message)
    parts: list[AssistantPart] = []
    for part in message.content:
        if isinstance(part, ThinkingContent):
            parts.extend(_fit_thinking(part, own=own, keep_as_text=keep_as_text))
        elif isinstance(part, TextContent):
            if part.text.strip():
                parts.append(part if own else dataclasses.replace(part, text_signature=None))
        elif isinstance(part, ToolCall):
            arguments = part.arguments if isinstance(part.arguments, dict) else {}
            signature = part.thought_signature if own else None
            parts.append(dataclasses.replace(part, arguments=arguments, thought_signature=signature))
    while parts and isinstance(parts[-1], ThinkingContent):
        parts.pop()
    return parts


def _fit_thinking(part: ThinkingContent, *, own: bool, keep_as_text: bool) -> list[AssistantPart]:
    readable = bool(part.thinking.strip()) and not part.redacted
    if own:
        return [part] if readable or part.thinking_signature else []
    return [TextContent(part.thinking)] if keep_as_text and readable else []


def _pair_calls(messages: Sequence[FittedMessage], model: Model) -> list[FittedMessage]:
    """Put each call's result right behind its message; invent what is missing, drop what is left over."""
    ids = _CallIds(model)
    paired: list[FittedMessage] = []
    for position, message in enumerate(messages):
        if isinstance(message, ToolResultMessage):
            continue
        if not isinstance(message, AssistantMessage) or not message.tool_calls:
            paired.append(message)
            continue
        results = _results_after(messages, position)
        content: list[AssistantPart] = []
        answers: list[FittedMessage] = []
        for part in message.content:
            if isinstance(part, ToolCall):
                found = _take(results, part.id)
                own = wrote(model, message)
                part = dataclasses.replace(part, id=ids.fit(part.id, own=own), name=_tool_name(part.name))
                answers.append(_answer(part, found, message.timestamp))
            content.append(part)
        paired.append(dataclasses.replace(message, content=content))
        paired.extend(answers)
    return paired


def _results_after(messages: Sequence[FittedMessage], position: int) -> list[ToolResultMessage]:
    """The results up to the next message with calls of its own."""
    results: list[ToolResultMessage] = []
    for index in range(position + 1, len(messages)):
        message = messages[index]
        if isinstance(message, ToolResultMessage):
            results.append(message)
        elif isinstance(message, AssistantMessage) and message.tool_calls:
            break
    return results


def _take(results: list[ToolResultMessage], call_id: str) -> ToolResultMessage | None:
    for index, result in enumerate(results):
        if result.tool_call_id == call_id:
            return results.pop(index)
    return None


def _tool_name(name: str) -> str:
    """A name that APIs take: a model may have called something by a name that never was a tool's."""
    plain = _REFUSED.sub("_", name)[:_NAME_LIMIT]
    if not plain:
        return "unnamed"
    return plain if plain[0].isalpha() or plain[0] == "_" else f"_{plain}"[:_NAME_LIMIT]


def _answer(call: ToolCall, found: ToolResultMessage | None, timestamp: int) -> ToolResultMessage:
    if found is None:
        return ToolResultMessage(
            call.id, call.name, [TextContent(MISSING_RESULT)], is_error=True, timestamp=timestamp
        )
    return dataclasses.replace(found, tool_call_id=call.id, tool_name=call.name)


class _CallIds:
    """Gives each call an id that the target takes and that no other call has."""

    def __init__(self, model: Model) -> None:
        self._api = model.api
        self._strict = model.api in _STRICT_IDS
        self._nine = _WANTS_NINE.search(f"{model.provider} {model.id} {model.base_url}") is not None
        self._used: set[str] = set()
        # Some servers number their calls anew in each reply; counting on from here keeps that cheap.
        self._repeats: dict[str, int] = {}

    def fit(self, call_id: str, *, own: bool) -> str:
        if self._nine:
            return self._nine_long(call_id)
        fitted = self._own(call_id) if own else ""
        if not fitted or len(fitted) > _OWN_ID_LIMIT or (self._strict and _REFUSED.search(fitted)):
            fitted = _plain(call_id)
        unique = fitted
        while unique in self._used:
            number = self._repeats[fitted] = self._repeats.get(fitted, 1) + 1
            suffix = f"_{number}"
            unique = fitted[: _ID_LIMIT - len(suffix)] + suffix
        self._used.add(unique)
        return unique

    def _nine_long(self, call_id: str) -> str:
        fitted, number = call_id, 0
        while not _NINE.fullmatch(fitted) or fitted in self._used:
            fitted = hashlib.sha256(f"{call_id} {number}".encode(errors="replace")).hexdigest()[:9]
            number += 1
        self._used.add(fitted)
        return fitted

    def _own(self, call_id: str) -> str:
        # The Responses API's own call is named by its id and its item's id; only the first is sent.
        return call_id.partition("|")[0] if self._api == "openai-responses" else call_id


def _plain(call_id: str) -> str:
    plain = _REFUSED.sub("_", call_id)
    if len(plain) > _ID_LIMIT:
        digest = hashlib.sha256(plain.encode()).hexdigest()[:8]
        plain = f"{plain[: _ID_LIMIT - len(digest) - 1]}_{digest}"
    return plain or "call"
