"""The `openai-completions` API: `POST {base URL}/chat/completions`, answered by a stream of chunks.

Many servers speak it, each a little differently; the decoder takes what it understands of a chunk and
passes over the rest. An answer is complete once a `finish_reason` has come.
"""

from __future__ import annotations

from typing import Any

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.faults import Fault, ProviderError, torn
from pi_term.ai.messages import TextContent, ThinkingContent
from pi_term.ai.models import Model
from pi_term.ai.stream import AssistantStream, StreamWriter
from pi_term.ai.wire.charge import charge
from pi_term.ai.wire.compat import OpenAICompat, openai_compat
from pi_term.ai.wire.exchange import Decoder, Request, converse, json_object, object_value, text_value
from pi_term.ai.wire.identity import session_headers
from pi_term.ai.wire.openai_payload import REASONING_FIELDS, build_payload
from pi_term.ai.wire.openai_usage import usage_from
from pi_term.ai.wire.reasoning_details import ReasoningDetails
from pi_term.ai.wire.sse import SseEvent
from pi_term.base.json import JsonObject, dumps_str

_DEFAULT_BASE_URL = "https://api.openai.com/v1"
_AFFINITY_HEADERS = {
    "openai": ("session_id", "x-client-request-id", "x-session-affinity"),
    "openai-nosession": ("x-client-request-id", "x-session-affinity"),
    "openrouter": ("x-session-id",),
}
_CUT_OFF = ("length", "max_tokens")
# Reasons that mean no answer: what they say to people, and whether another attempt may help.
_FAILURES: dict[str, Fault] = {
    "content_filter": Fault("bad_request", "The provider's content filter cut the answer off."),
    "error": Fault("transient", "The provider ended the answer with an error."),
    "network_error": Fault("transient", "The provider lost its connection to the model."),
    "insufficient_system_resource": Fault("transient", "The provider ran out of resources."),
}


def stream(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    """Start one model call."""

    async def produce(writer: StreamWriter) -> None:
        compat = openai_compat(model)
        names = _AFFINITY_HEADERS.get(compat.session_affinity_format, ())
        request = Request(
            f"{(model.base_url or _DEFAULT_BASE_URL).rstrip('/')}/chat/completions",
            lambda history: build_payload(model, context, options, compat, history),
            session_headers(options, names) if compat.send_session_affinity_headers else {},
            {"authorization": f"Bearer {options.api_key}"} if options.api_key else {},
        )
        await converse(model, context, options, request, ChunkDecoder(writer, model, compat))

    return AssistantStream(model, produce, options.signal)


class ChunkDecoder(Decoder):
    """Turns chunks into a message. Blocks stay open until the answer ends, as its deltas may alternate."""

    def __init__(self, writer: StreamWriter, model: Model, compat: OpenAICompat) -> None:
        super().__init__(writer, model)
        self._compat = compat
        self._details = ReasoningDetails()
        self._slots: list[_CallSlot] = []
        self._numbered: dict[int, _CallSlot] = {}
        self._current: int | None = None
        self._stop: str | None = None

    @property
    def answered(self) -> bool:
        """Whether a `finish_reason` has come."""
        return self._stop is not None

    def take(self, event: SseEvent) -> None:
        """Take one chunk."""
        if event.data.strip() == b"[DONE]":
            self.ended = True
            return
        chunk = json_object(event)
        if chunk is None:
            return
        if chunk.get("error"):
            from pi_term.ai.wire.refusals import fault_of_event

            raise ProviderError(fault_of_event(chunk))
        self._writer.start()
        self._note_identity(chunk)
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        report = chunk.get("usage")
        if isinstance(choice, dict):
            report = report or choice.get("usage")
            self._take_delta(object_value(choice, "delta") or object_value(choice, "message"))
            self._stop = text_value(choice, "finish_reason") or self._stop
        if isinstance(report, dict):
            usage = usage_from(report)
            charge(usage, self._model, report)
            self._writer.message.usage = usage

    def conclude(self) -> None:
        """Close all blocks and tell how the answer ended."""
        message = self._writer.message
        message.raw_stop_reason = self._stop
        self._open_unnamed_calls()
        if self._stop is None and not (message.content and not self._compat.supports_finish_reason):
            self.break_off(close=True)
            raise torn("ended without a finish_reason: the answer is incomplete.")
        self._details.keep_in(message)
        for index in self._writer.open_blocks():
            self._writer.end(index)
            self._calls.end(index)
        if self._stop in _FAILURES:
            raise ProviderError(_FAILURES[self._stop])
        self._finish(cut_off=self._stop in _CUT_OFF)

    def _note_identity(self, chunk: JsonObject) -> None:
        message = self._writer.message
        message.response_id = message.response_id or text_value(chunk, "id") or None
        model = text_value(chunk, "model")
        if model and model != message.model:
            message.response_model = model

    def _take_delta(self, delta: JsonObject) -> None:
        for field in REASONING_FIELDS:
            thought = text_value(delta, field) if field in delta else ""
            if thought:
                self._writer.thinking(self._thinking_block(field), thought)
                break
        if "reasoning_details" in delta:
            self._details.add(delta["reasoning_details"])
        text = _text(delta.get("content")) or text_value(delta, "refusal")
        if text:
            self._writer.text(self._text_block(), text)
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            for piece in calls:
                if isinstance(piece, dict):
                    self._take_call(piece)

    def _text_block(self) -> int:
        if self._current is None or not isinstance(self._writer.message.content[self._current], TextContent):
            self._current = self._writer.start_text()
        return self._current

    def _thinking_block(self, field: str) -> int:
        content = self._writer.message.content
        if self._current is None or not isinstance(content[self._current], ThinkingContent):
            self._current = self._writer.start_thinking()
            part = content[self._current]
            assert isinstance(part, ThinkingContent)
            part.thinking_signature = field
        return self._current

    def _take_call(self, piece: JsonObject) -> None:
        function = object_value(piece, "function")
        call_id, name = text_value(piece, "id"), text_value(function, "name")
        slot = self._slot(piece.get("index"), call_id, name)
        if slot.index is None and name:
            slot.index = self._calls.start(slot.call_id or call_id, name)
            self._current = None
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else dumps_str(arguments) if arguments else ""
        if slot.index is None:
            slot.waiting += text
        else:
            self._calls.add(slot.index, slot.waiting + text)
            slot.waiting = ""

    def _slot(self, number: Any, call_id: str, name: str) -> _CallSlot:
        """The call that a piece belongs to.

        Its number names it, as some gateways change ids on the way; where there is no number, its id does;
        where there is neither, it is the call that came last.
        """
        if isinstance(number, int):
            slot = self._numbered.get(number)
            if slot is not None and name and call_id not in ("", slot.call_id) and self._is_whole(slot):
                # Servers that send each call whole number them all 0.
                slot = None
        elif call_id:
            slot = next((each for each in self._slots if each.call_id == call_id), None)
        else:
            slot = self._slots[-1] if self._slots else None
        if slot is None:
            slot = _CallSlot(call_id)
            self._slots.append(slot)
        if isinstance(number, int):
            self._numbered[number] = slot
        return slot

    def _is_whole(self, slot: _CallSlot) -> bool:
        return slot.index is not None and self._calls.is_whole(slot.index)

    def _open_unnamed_calls(self) -> None:
        """A call whose name never came is shown and refused like any call of an unknown tool."""
        for slot in self._slots:
            if slot.index is None:
                slot.index = self._calls.start(slot.call_id, "")
                self._calls.add(slot.index, slot.waiting)


class _CallSlot:
    """One call while it arrives: its first id, its place in the message once it has a name."""

    __slots__ = ("call_id", "index", "waiting")

    def __init__(self, call_id: str) -> None:
        self.call_id = call_id
        self.index: int | None = None
        self.waiting = ""


def _text(content: Any) -> str:
    """Text content, which some servers send as a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(text_value(part, "text") for part in content if isinstance(part, dict))
