"""The `google-generative-ai` API: `POST {base URL}/models/{id}:streamGenerateContent`, answered by chunks.

Function calls come whole. An answer is complete once a `finishReason` has come.
"""

from __future__ import annotations

from urllib.parse import quote

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.faults import Fault, ProviderError, torn
from pi_term.ai.messages import AssistantPart, TextContent, ThinkingContent, ToolCall
from pi_term.ai.models import Model
from pi_term.ai.stream import AssistantStream, StreamWriter
from pi_term.ai.wire.charge import charge
from pi_term.ai.wire.exchange import Decoder, Request, converse, json_object, object_value, text_value
from pi_term.ai.wire.google_payload import build_payload
from pi_term.ai.wire.google_usage import usage_from
from pi_term.ai.wire.sse import SseEvent
from pi_term.base.json import JsonObject, dumps_str

_DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
# Reasons that mean no answer, and of those the ones that another attempt may get around.
_REFUSALS = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"}
)
_MISHAPS = frozenset(
    {
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
        "OTHER",
        "FINISH_REASON_UNSPECIFIED",
    }
)


def stream(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    """Start one model call."""

    async def produce(writer: StreamWriter) -> None:
        request = Request(
            _url(model),
            lambda history: build_payload(model, context, options, history),
            key_headers={"x-goog-api-key": options.api_key} if options.api_key else {},
        )
        await converse(model, context, options, request, PartDecoder(writer, model))

    return AssistantStream(model, produce, options.signal)


def _url(model: Model) -> str:
    base = (model.base_url or _DEFAULT_BASE_URL).rstrip("/")
    name = quote(model.id.removeprefix("models/"), safe="")
    return f"{base}/models/{name}:streamGenerateContent?alt=sse"


class PartDecoder(Decoder):
    """Turns the parts of chunks into a message: parts of one kind that follow each other are one block."""

    def __init__(self, writer: StreamWriter, model: Model) -> None:
        super().__init__(writer, model)
        self._stop = ""
        self._current: int | None = None

    @property
    def answered(self) -> bool:
        """Whether a `finishReason` has come."""
        return bool(self._stop)

    def take(self, event: SseEvent) -> None:
        """Take one chunk."""
        chunk = json_object(event)
        if chunk is None:
            return
        if chunk.get("error"):
            from pi_term.ai.wire.refusals import fault_of_event

            raise ProviderError(fault_of_event(chunk))
        self._writer.start()
        self._note_identity(chunk)
        candidates = chunk.get("candidates")
        candidate = candidates[0] if isinstance(candidates, list) and candidates else None
        if isinstance(candidate, dict):
            parts = object_value(candidate, "content").get("parts")
            for part in parts if isinstance(parts, list) else ():
                if isinstance(part, dict):
                    self._take_part(part)
            self._stop = text_value(candidate, "finishReason") or self._stop
        blocked = text_value(object_value(chunk, "promptFeedback"), "blockReason")
        if blocked:
            raise ProviderError(Fault("bad_request", f"The provider refused the prompt: {blocked}."))
        report = chunk.get("usageMetadata")
        if isinstance(report, dict):
            usage = usage_from(report)
            charge(usage, self._model, report)
            self._writer.message.usage = usage

    def conclude(self) -> None:
        """Close what is open and tell how the answer ended."""
        self._writer.message.raw_stop_reason = self._stop or None
        if not self._stop:
            self.break_off(close=True)
            raise torn("ended without a finishReason: the answer is incomplete.")
        self._leave_block()
        if self._stop in _REFUSALS:
            raise ProviderError(Fault("bad_request", f"The provider cut the answer off: {self._stop}."))
        if self._stop in _MISHAPS:
            raise ProviderError(Fault("transient", f"The provider broke the answer off: {self._stop}."))
        self._finish(cut_off=self._stop == "MAX_TOKENS")

    def _note_identity(self, chunk: JsonObject) -> None:
        message = self._writer.message
        message.response_id = message.response_id or text_value(chunk, "responseId") or None
        model = text_value(chunk, "modelVersion")
        if model and model != message.model:
            message.response_model = model

    def _take_part(self, part: JsonObject) -> None:
        signature = text_value(part, "thoughtSignature")
        call = part.get("functionCall")
        if isinstance(call, dict):
            self._take_call(call, signature)
            return
        text = text_value(part, "text")
        if part.get("thought") is True:
            if text or signature:
                index = self._block(ThinkingContent)
                if text:
                    self._writer.thinking(index, text)
                self._sign(index, signature)
        elif text:
            index = self._block(TextContent)
            self._writer.text(index, text)
            self._sign(index, signature)
        elif self._current is not None:
            # A signature may come by itself, after what it signs.
            self._sign(self._current, signature)

    def _take_call(self, call: JsonObject, signature: str) -> None:
        self._leave_block()
        index = self._calls.start(text_value(call, "id"), text_value(call, "name"))
        part = self._part(index)
        if isinstance(part, ToolCall) and signature:
            part.thought_signature = signature
        self._calls.add(index, dumps_str(object_value(call, "args")))
        self._calls.end(index)

    def _block(self, kind: type[TextContent] | type[ThinkingContent]) -> int:
        if self._current is None or not isinstance(self._part(self._current), kind):
            self._leave_block()
            self._current = (
                self._writer.start_text() if kind is TextContent else self._writer.start_thinking()
            )
        return self._current

    def _leave_block(self) -> None:
        if self._current is not None:
            self._writer.end(self._current)
            self._current = None

    def _sign(self, index: int, signature: str) -> None:
        part = self._part(index)
        if not signature:
            return
        if isinstance(part, ThinkingContent):
            part.thinking_signature = signature
        elif isinstance(part, TextContent):
            part.text_signature = signature

    def _part(self, index: int) -> AssistantPart:
        return self._writer.message.content[index]
