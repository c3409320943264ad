"""The `openai-responses` API: `POST {base URL}/responses`, answered by events about items.

An answer is complete when `response.completed` or `response.incomplete` has come. The provider stores
nothing: reasoning comes encrypted and goes back with the next request.
"""

from __future__ import annotations

from typing import Any

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.faults import Fault, ProviderError, torn
from pi_term.ai.messages import TextContent, ThinkingContent, ToolCall
from pi_term.ai.models import Model
from pi_term.ai.stream import AssistantStream, StreamWriter
from pi_term.ai.wire.charge import charge
from pi_term.ai.wire.compat import responses_compat
from pi_term.ai.wire.exchange import Decoder, Request, converse, json_object, object_value, text_value
from pi_term.ai.wire.identity import session_headers
from pi_term.ai.wire.responses_items import call_id, text_signature
from pi_term.ai.wire.responses_payload import build_payload
from pi_term.ai.wire.responses_usage import usage_from
from pi_term.ai.wire.sse import SseEvent
from pi_term.base.json import JsonObject, dumps_str

_DEFAULT_BASE_URL = "https://api.openai.com/v1"
_AFFINITY_HEADERS = {
    "openai": ("session-id", "x-client-request-id"),
    "openai-nosession": ("x-client-request-id",),
    "openrouter": ("x-session-id",),
}
_PARAGRAPH = "\n\n"


def stream(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    """Start one model call."""

    async def produce(writer: StreamWriter) -> None:
        compat = responses_compat(model)
        request = Request(
            f"{(model.base_url or _DEFAULT_BASE_URL).rstrip('/')}/responses",
            lambda history: build_payload(model, context, options, compat, history),
            session_headers(options, _AFFINITY_HEADERS.get(compat.session_affinity_format, ())),
            {"authorization": f"Bearer {options.api_key}"} if options.api_key else {},
        )
        await converse(model, context, options, request, ItemDecoder(writer, model))

    return AssistantStream(model, produce, options.signal)


class ItemDecoder(Decoder):
    """Turns events about items into a message: one block for each message, reasoning and function call."""

    def __init__(self, writer: StreamWriter, model: Model) -> None:
        super().__init__(writer, model)
        self._blocks: dict[Any, int] = {}
        self._given: dict[int, str] = {}
        self._end: JsonObject | None = None

    @property
    def answered(self) -> bool:
        """Whether the last event has come."""
        return self.ended

    def take(self, event: SseEvent) -> None:
        """Take one event; the type inside its data counts, as some servers name no events."""
        data = None if event.data.strip() == b"[DONE]" else json_object(event)
        if data is None:
            return
        kind = text_value(data, "type") or event.name
        if kind.endswith(".delta"):
            self._take_delta(kind, data)
            return
        match kind:
            case "response.created" | "response.in_progress" | "response.queued":
                self._note_response(object_value(data, "response"))
            case "response.output_item.added":
                self._open_item(_key(data), object_value(data, "item"))
            case "response.reasoning_summary_part.added":
                self._begin_paragraph(_key(data))
            case "response.output_item.done":
                self._close_item(_key(data), object_value(data, "item"))
            case "response.completed" | "response.incomplete":
                self._take_end(object_value(data, "response"))
            case "response.failed" | "response.cancelled" | "error":
                from pi_term.ai.wire.refusals import fault_of_event

                raise ProviderError(fault_of_event(object_value(data, "response") or data))

    def conclude(self) -> None:
        """Close what is open and tell how the answer ended."""
        if self._end is None:
            self.break_off(close=True)
            raise torn("ended before response.completed: the answer is incomplete.")
        for index in self._writer.open_blocks():
            self._close(index)
        status = text_value(self._end, "status") or "completed"
        reason = text_value(object_value(self._end, "incomplete_details"), "reason")
        self._writer.message.raw_stop_reason = f"{status}: {reason}" if reason else status
        if reason == "content_filter":
            raise ProviderError(Fault("bad_request", "The provider's content filter cut the answer off."))
        self._finish(cut_off=status == "incomplete")

    def _note_response(self, response: JsonObject) -> None:
        message = self._writer.message
        self._writer.start()
        message.response_id = text_value(response, "id") or message.response_id
        model = text_value(response, "model")
        if model and model != message.model:
            message.response_model = model

    def _take_end(self, response: JsonObject) -> None:
        self._note_response(response)
        self.ended, self._end = True, response
        if not self._writer.message.content:
            self._take_whole(response)
        report = response.get("usage")
        if isinstance(report, dict):
            usage = usage_from(report)
            charge(usage, self._model, report)
            self._writer.message.usage = usage

    def _take_whole(self, response: JsonObject) -> None:
        """Some servers tell the answer only here."""
        output = response.get("output")
        for number, item in enumerate(output if isinstance(output, list) else ()):
            if isinstance(item, dict):
                self._open_item(number, item)
                self._close_item(number, item)

    def _open_item(self, key: Any, item: JsonObject) -> None:
        match text_value(item, "type"):
            case "message":
                self._blocks[key] = self._writer.start_text()
            case "reasoning":
                self._blocks[key] = self._writer.start_thinking()
            case "function_call":
                index = self._blocks[key] = self._calls.start(call_id(item), text_value(item, "name"))
                self._given[index] = text_value(item, "arguments")

    def _take_delta(self, kind: str, data: JsonObject) -> None:
        delta = text_value(data, "delta")
        if not delta:
            return
        match kind.removeprefix("response."):
            case "output_text.delta" | "refusal.delta":
                self._writer.text(self._block(_key(data), TextContent), delta)
            case "reasoning_summary_text.delta" | "reasoning_text.delta":
                self._writer.thinking(self._block(_key(data), ThinkingContent), delta)
            case "function_call_arguments.delta":
                index = self._blocks.get(_key(data))
                if index is not None:
                    self._given.pop(index, None)
                    self._calls.add(index, delta)

    def _block(self, key: Any, kind: type[TextContent] | type[ThinkingContent]) -> int:
        """The item's block; the event that opens it may have got lost."""
        index = self._blocks.get(key)
        if index is None or not isinstance(self._writer.message.content[index], kind):
            start = self._writer.start_text if kind is TextContent else self._writer.start_thinking
            index = self._blocks[key] = start()
        return index

    def _begin_paragraph(self, key: Any) -> None:
        index = self._blocks.get(key)
        part = None if index is None else self._writer.message.content[index]
        if index is not None and isinstance(part, ThinkingContent) and part.thinking:
            self._writer.thinking(index, _PARAGRAPH)

    def _close_item(self, key: Any, item: JsonObject) -> None:
        if key not in self._blocks:
            self._open_item(key, item)
        index = self._blocks.pop(key, None)
        if index is None:
            return
        part = self._writer.message.content[index]
        if isinstance(part, TextContent):
            if not part.text and (whole := _message_text(item)):
                self._writer.text(index, whole)
            part.text_signature = text_signature(item)
        elif isinstance(part, ThinkingContent):
            if not part.thinking and (whole := _reasoning_text(item)):
                self._writer.thinking(index, whole)
            part.thinking_signature = dumps_str(item)
        elif index in self._given:
            self._given[index] = text_value(item, "arguments") or self._given[index]
        self._close(index)

    def _close(self, index: int) -> None:
        if isinstance(self._writer.message.content[index], ToolCall):
            self._calls.add(index, self._given.pop(index, ""))
            self._calls.end(index)
        else:
            self._writer.end(index)


def _key(data: JsonObject) -> Any:
    """What names an item in its events."""
    number = data.get("output_index")
    return (
        number
        if isinstance(number, int)
        else text_value(data, "item_id") or text_value(object_value(data, "item"), "id")
    )


def _message_text(item: JsonObject) -> str:
    return "".join(
        text_value(part, "text") or text_value(part, "refusal") for part in _parts(item, "content")
    )


def _reasoning_text(item: JsonObject) -> str:
    parts = _parts(item, "summary") or _parts(item, "content")
    return _PARAGRAPH.join(text_value(part, "text") for part in parts)


def _parts(item: JsonObject, name: str) -> list[JsonObject]:
    parts = item.get(name)
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
