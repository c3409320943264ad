"""Answers written down beforehand, streamed as a real provider would.

The `demo` provider and `pi_term.testing` stand on this: same events, same message, no network.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import count
from typing import TypeAlias

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.faults import Fault, ProviderError
from pi_term.ai.messages import StopReason, TextContent, ToolCall, Usage, text_of
from pi_term.ai.models import Model
from pi_term.ai.stream import AssistantStream, StreamWriter
from pi_term.base import json
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject

_ids = count(1)
_PIECES = re.compile(r"\s*\S+\s*")


@dataclass(frozen=True, slots=True)
class Say:
    """Text of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """Reasoning before it."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; `id` "" gets one made."""

    name: str
    arguments: JsonObject = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """Send nothing more until `event` is set."""

    event: asyncio.Event


@dataclass(frozen=True, slots=True)
class Fail:
    """Break off with an error of this text; `fault` says of which kind, as a provider's would be."""

    text: str
    fault: Fault | None = None


Part: TypeAlias = Say | Think | Call | Wait | Fail


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `delay` is the pause in seconds between pieces.

    `stop` overrides the stop reason, `usage` the plausible counts.
    """

    parts: Sequence[Part]
    delay: float = 0.0
    stop: StopReason | None = None
    usage: Usage | None = None


def scripted_stream(model: Model, context: Context, options: StreamOptions, reply: Reply) -> AssistantStream:
    """The stream of one written answer, with plausible token counts."""

    async def produce(writer: StreamWriter) -> None:
        writer.start()
        for part in reply.parts:
            await _play(part, reply.delay, writer)
        called = any(isinstance(part, Call) for part in reply.parts)
        writer.message.usage = _usage(context, writer) if reply.usage is None else replace(reply.usage)
        writer.finish(reply.stop or ("toolUse" if called else "stop"))

    return AssistantStream(model, produce, options.signal)


async def _play(part: Part, delay: float, writer: StreamWriter) -> None:
    match part:
        case Say(text):
            index = writer.start_text()
            for piece in _pieces(text):
                writer.text(index, piece)
                await asyncio.sleep(delay)
            writer.end(index)
        case Think(text):
            index = writer.start_thinking()
            for piece in _pieces(text):
                writer.thinking(index, piece)
                await asyncio.sleep(delay)
            writer.end(index)
        case Call(name, arguments, call_id):
            index = writer.start_tool_call(call_id or f"call_{next(_ids)}", name)
            for piece in _pieces(json.dumps_str(arguments)):
                writer.tool_call(index, piece)
                await asyncio.sleep(delay)
            writer.end_tool_call(index, arguments)
        case Wait(event):
            await event.wait()
        case Fail(text, fault):
            raise RuntimeError(text) if fault is None else ProviderError(fault)


def _pieces(text: str) -> Iterator[str]:
    """Words with the space around them: the grain in which providers stream."""
    found = _PIECES.findall(text)
    return iter(found or ([text] if text else []))


def _usage(context: Context, writer: StreamWriter) -> Usage:
    """Tokens of the conversation by the rule of thumb of four characters each.

    The system prompt is left out: it names folders, and the figures of a test should not.
    """
    asked = sum(len(text_of(each.content)) for each in context.messages)
    answered = sum(
        len(part.text) if isinstance(part, TextContent) else 40
        for part in writer.message.content
        if isinstance(part, (TextContent, ToolCall))
    )
    return Usage(input=asked // 4, output=answered // 4, total_tokens=asked // 4 + answered // 4)
