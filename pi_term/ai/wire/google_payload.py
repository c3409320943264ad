"""The body of a `streamGenerateContent` request."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.fit import EMPTY_RESULT, FittedMessage
from pi_term.ai.messages import (
    AssistantMessage,
    AssistantPart,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolResultMessage,
    UserMessage,
    UserPart,
    parts_of,
    text_of,
)
from pi_term.ai.models import Model
from pi_term.ai.tools import Tool
from pi_term.ai.wire.google_thinking import generation, thinking_config
from pi_term.base.json import JsonObject

_IMAGES_FOLLOW = "Attached image(s) from tool result:"
_ONLY_IMAGES = "(the image is attached)"
# What Google's documentation gives as the signature of a call that another model made.
_NO_SIGNATURE = "skip_thought_signature_validator"


def build_payload(
    model: Model, context: Context, options: StreamOptions, history: Sequence[FittedMessage]
) -> JsonObject:
    """The request for this history, which must be fitted to the model."""
    max_tokens = min(options.max_tokens or model.max_tokens, model.max_tokens)
    config: JsonObject = {"maxOutputTokens": max_tokens}
    if model.reasoning:
        config["thinkingConfig"] = thinking_config(model, options, max_tokens)
    payload: JsonObject = {"contents": _Contents(model).of(history), "generationConfig": config}
    if context.system_prompt.strip():
        payload["systemInstruction"] = {"parts": [{"text": context.system_prompt}]}
    if context.tools:
        payload["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in context.tools]}]
        if _is_modern(model):
            payload["toolConfig"] = {"functionCallingConfig": {"mode": "VALIDATED"}}
    return payload


def _is_modern(model: Model) -> bool:
    """Whether the model is Gemini 3 or later, which names its calls, signs them and insists on both."""
    return (generation(model) or 0) >= 3


def _declaration(tool: Tool) -> JsonObject:
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}


class _Contents:
    """Makes the conversation, in which a reply with calls follows the user at once, and all results it."""

    def __init__(self, model: Model) -> None:
        self._modern = _is_modern(model)
        # Gemini 2 and older take no images inside a result.
        self._images_inside = (generation(model) or 3) >= 3
        self._out: list[JsonObject] = []

    def of(self, history: Sequence[FittedMessage]) -> list[JsonObject]:
        last_asked = max(
            (place for place, message in enumerate(history) if isinstance(message, UserMessage)), default=0
        )
        results: list[ToolResultMessage] = []
        for place, message in enumerate(history):
            if isinstance(message, ToolResultMessage):
                results.append(message)
                continue
            self._add_results(results)
            if isinstance(message, UserMessage):
                self._add("user", [_user_part(part) for part in parts_of(message.content)])
            else:
                self._add_reply(message, insist=self._modern and place > last_asked)
        self._add_results(results)
        return self._out

    def _add(self, role: str, parts: list[JsonObject]) -> None:
        self._out.append({"role": role, "parts": parts})

    def _add_reply(self, message: AssistantMessage, *, insist: bool) -> None:
        """`insist`: the reply belongs to the turn that goes on, where the first call must be signed."""
        # A thought that was only signed has nothing that could be sent.
        kept = (part for part in message.content if not _is_blank(part))
        parts = [self._reply_part(part) for part in kept]
        first = next((part for part in parts if "functionCall" in part), None)
        if insist and first is not None:
            first.setdefault("thoughtSignature", _NO_SIGNATURE)
        if self._out and self._out[-1]["role"] == "model":
            self._out[-1]["parts"].extend(parts)
        else:
            self._add("model", parts)

    def _reply_part(self, part: AssistantPart) -> JsonObject:
        if isinstance(part, TextContent):
            return {"text": part.text, **_signed(part.text_signature)}
        if isinstance(part, ThinkingContent):
            return {"text": part.thinking, "thought": True, **_signed(part.thinking_signature)}
        call: JsonObject = {"name": part.name, "args": part.arguments}
        if self._modern:
            call["id"] = part.id
        return {"functionCall": call, **_signed(part.thought_signature)}

    def _add_results(self, results: list[ToolResultMessage]) -> None:
        if not results:
            return
        self._add("user", [{"functionResponse": self._response(result)} for result in results])
        images = [part for result in results for part in result.content if isinstance(part, ImageContent)]
        if images and not self._images_inside:
            self._add("user", [{"text": _IMAGES_FOLLOW}, *map(_user_part, images)])
        results.clear()

    def _response(self, result: ToolResultMessage) -> JsonObject:
        images = [part for part in result.content if isinstance(part, ImageContent)]
        text = text_of(result.content) or (_ONLY_IMAGES if images else EMPTY_RESULT)
        response: JsonObject = {
            "name": result.tool_name,
            "response": {"error" if result.is_error else "output": text},
        }
        if images and self._images_inside:
            response["parts"] = [_user_part(image) for image in images]
        if self._modern:
            response["id"] = result.tool_call_id
        return response


def _is_blank(part: AssistantPart) -> bool:
    return isinstance(part, ThinkingContent) and not part.thinking.strip()


def _user_part(part: UserPart) -> JsonObject:
    if isinstance(part, ImageContent):
        return {"inlineData": {"mimeType": part.mime_type, "data": part.data}}
    return {"text": part.text}


def _signed(signature: str | None) -> JsonObject:
    """The field of a signature; one that is no base64 would have the whole request refused."""
    if not signature:
        return {}
    try:
        base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return {}
    return {"thoughtSignature": signature}
