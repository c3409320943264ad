"""The `anthropic-messages` API: `POST {base URL}/v1/messages`, answered by named events.

An answer is complete when `message_stop` has come.
"""

from __future__ import annotations

from typing import Any

from pi_term.ai.catalog.levels import clamp_level
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.faults import Fault, ProviderError, torn
from pi_term.ai.messages import ThinkingContent, ToolCall
from pi_term.ai.models import Model
from pi_term.ai.stream import AssistantStream, StreamWriter
from pi_term.ai.usage import count
from pi_term.ai.wire.anthropic_payload import build_payload
from pi_term.ai.wire.charge import charge
from pi_term.ai.wire.compat import AnthropicCompat, anthropic_compat
from pi_term.ai.wire.exchange import Decoder, Request, converse, json_object, object_value, text_value
from pi_term.ai.wire.identity import session_headers
from pi_term.ai.wire.sse import SseEvent
from pi_term.base.json import JsonObject, dumps_str

_DEFAULT_BASE_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_FINE_GRAINED_STREAMING = "fine-grained-tool-streaming-2025-05-14"
_INTERLEAVED_THINKING = "interleaved-thinking-2025-05-14"
_CUT_OFF = ("max_tokens", "model_context_window_exceeded")


def stream(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    """Start one model call."""

    async def produce(writer: StreamWriter) -> None:
        compat = anthropic_compat(model)
        request = Request(
            _url(model),
            lambda history: build_payload(model, context, options, compat, history),
            _headers(model, context, options, compat),
            {"x-api-key": options.api_key} if options.api_key else {},
        )
        await converse(model, context, options, request, EventDecoder(writer, model))

    return AssistantStream(model, produce, options.signal)


def _url(model: Model) -> str:
    base = (model.base_url or _DEFAULT_BASE_URL).rstrip("/").removesuffix("/v1")
    return f"{base}/v1/messages"


def _headers(
    model: Model, context: Context, options: StreamOptions, compat: AnthropicCompat
) -> dict[str, str]:
    headers = {"anthropic-version": _VERSION}
    betas: list[str] = []
    if context.tools and not compat.supports_eager_tool_input_streaming:
        betas.append(_FINE_GRAINED_STREAMING)
    thinks = model.reasoning and clamp_level(model, options.thinking) != "off"
    if thinks and not compat.force_adaptive_thinking:
        betas.append(_INTERLEAVED_THINKING)
    if betas:
        headers["anthropic-beta"] = ",".join(betas)
    if compat.send_session_affinity_headers:
        openrouter = compat.session_affinity_format == "openrouter"
        headers.update(session_headers(options, ["x-session-id" if openrouter else "x-session-affinity"]))
    return headers


class EventDecoder(Decoder):
    """Turns events into a message. The provider numbers its blocks; kinds unknown here are passed over."""

    def __init__(self, writer: StreamWriter, model: Model) -> None:
        super().__init__(writer, model)
        self._blocks: dict[Any, int] = {}
        self._given_input: dict[int, JsonObject] = {}
        self._stop: str | None = None

    @property
    def answered(self) -> bool:
        """Whether `message_stop` has come."""
        return self.ended

    def take(self, event: SseEvent) -> None:
        """Take one event; the type inside its data counts, as some servers name no events."""
        data = json_object(event)
        if data is None:
            return
        match text_value(data, "type") or event.name:
            case "message_start":
                self._start_message(object_value(data, "message"))
            case "content_block_start":
                self._start_block(data.get("index"), object_value(data, "content_block"))
            case "content_block_delta":
                self._take_delta(data.get("index"), object_value(data, "delta"))
            case "content_block_stop":
                self._end_block(self._blocks.pop(data.get("index"), None))
            case "message_delta":
                self._stop = text_value(object_value(data, "delta"), "stop_reason") or self._stop
                self._note_usage(object_value(data, "usage"))
            case "message_stop":
                self.ended = True
            case "error":
                from pi_term.ai.wire.refusals import fault_of_event

                raise ProviderError(fault_of_event(data))

    def conclude(self) -> None:
        """Close what is open and tell how the answer ended."""
        self._writer.message.raw_stop_reason = self._stop
        if not self.ended:
            self.break_off(close=True)
            raise torn("ended before message_stop: the answer is incomplete.")
        for index in self._writer.open_blocks():
            self._end_block(index)
        if self._stop == "refusal":
            raise ProviderError(Fault("bad_request", "The model refused to answer."))
        self._finish(cut_off=self._stop in _CUT_OFF)

    def _start_message(self, message: JsonObject) -> None:
        target = self._writer.message
        self._writer.start()
        target.response_id = text_value(message, "id") or None
        model = text_value(message, "model")
        if model and model != target.model:
            target.response_model = model
        self._note_usage(object_value(message, "usage"))

    def _start_block(self, number: Any, block: JsonObject) -> None:
        match text_value(block, "type"):
            case "text":
                index = self._blocks[number] = self._writer.start_text()
                self._add_text(index, text_value(block, "text"))
            case "thinking":
                index = self._blocks[number] = self._writer.start_thinking()
                self._add_thought(index, text_value(block, "thinking"))
                self._sign(index, text_value(block, "signature"))
            case "redacted_thinking":
                index = self._blocks[number] = self._writer.start_thinking(redacted=True)
                self._sign(index, text_value(block, "data"))
            case "tool_use":
                index = self._calls.start(text_value(block, "id"), text_value(block, "name"))
                self._blocks[number] = index
                self._given_input[index] = object_value(block, "input")

    def _take_delta(self, number: Any, delta: JsonObject) -> None:
        kind = text_value(delta, "type")
        index = self._blocks.get(number)
        if index is None:
            if kind not in ("text_delta", "thinking_delta"):
                return
            # The event that opens the block got lost.
            start = self._writer.start_text if kind == "text_delta" else self._writer.start_thinking
            index = self._blocks[number] = start()
        match kind:
            case "text_delta":
                self._add_text(index, text_value(delta, "text"))
            case "thinking_delta":
                self._add_thought(index, text_value(delta, "thinking"))
            case "signature_delta":
                self._sign(index, text_value(delta, "signature"))
            case "input_json_delta":
                piece = text_value(delta, "partial_json")
                if piece:
                    self._given_input.pop(index, None)
                self._calls.add(index, piece)

    def _add_text(self, index: int, text: str) -> None:
        if text:
            self._writer.text(index, text)

    def _add_thought(self, index: int, thought: str) -> None:
        if thought:
            self._writer.thinking(index, thought)

    def _sign(self, index: int, signature: str) -> None:
        part = self._writer.message.content[index]
        if signature and isinstance(part, ThinkingContent):
            part.thinking_signature = (part.thinking_signature or "") + signature

    def _end_block(self, index: int | None) -> None:
        if index is None:
            return
        if isinstance(self._writer.message.content[index], ToolCall):
            given = self._given_input.pop(index, None)
            if given:
                self._calls.add(index, dumps_str(given))
            self._calls.end(index)
        else:
            self._writer.end(index)

    def _note_usage(self, report: JsonObject) -> None:
        """Later reports repeat some counts; one that is missing or null keeps its value."""
        usage = self._writer.message.usage
        for field, name in (
            ("input", "input_tokens"),
            ("output", "output_tokens"),
            ("cache_read", "cache_read_input_tokens"),
            ("cache_write", "cache_creation_input_tokens"),
        ):
            if report.get(name) is not None:
                setattr(usage, field, count(report[name]))
        thought = count(object_value(report, "output_tokens_details").get("thinking_tokens"))
        usage.reasoning = thought or usage.reasoning
        long_lived = count(object_value(report, "cache_creation").get("ephemeral_1h_input_tokens"))
        if long_lived:
            usage.extra["cacheWrite1h"] = long_lived
        usage.total_tokens = usage.input + usage.output + usage.cache_read + usage.cache_write
        charge(usage, self._model, report)
