"""A conversation as labelled plain text: what a model reads that is to summarise it, not to go on with it.

The text stands inside tags and under labels. What people, models and tools said is made unable to
close those tags, to open others of their kind, or to look like a label.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import (
    AssistantMessage,
    ImageContent,
    Message,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    parts_of,
)
from pi_term.base import json
from pi_term.coding.messages import convert_to_llm

RESULT_CHARS = 2_000
"""How much of one tool result a summary is made of."""
JOINT = "\n\n"

_USER, _ASSISTANT, _CALLS = "User", "Assistant", "Assistant tool calls"
_RESULT, _FAILED_RESULT = "Tool result", "Tool result, failed"
_EARLIER, _CONTINUED = "Earlier summary", "Continued"
_LABELS = (_USER, _ASSISTANT, _CALLS, _RESULT, _FAILED_RESULT, _EARLIER, _CONTINUED)
_TAG = re.compile(r"<(?=\s*+(?:/\s*+)?(?:conversation|previous-summary))", re.IGNORECASE)
_LABEL = re.compile(
    rf"^\[(?=\s*+(?:{'|'.join(_LABELS)})\s*+\]\s*+:)",
    re.IGNORECASE | re.MULTILINE,
)
_STRIDE = 50_000  # characters that a regular expression gets at once: other threads wait for it


def message_text(message: AgentMessage) -> str:
    """The labelled text of one message; "" where it has nothing for a summary.

    Thinking is left out, tool results are cut to `RESULT_CHARS`, images only mentioned.
    """
    sections = (section for each in convert_to_llm([message]) for section in _sections(each))
    return JOINT.join(_labelled(label, body) for label, body in sections if body.strip())


def earlier_summary_text(summary: str) -> str:
    """The labelled text of a summary that is itself to be summarised."""
    return _labelled(_EARLIER, summary)


def _labelled(label: str, body: str) -> str:
    return f"[{label}]: {harmless(body)}"


def harmless(text: str) -> str:
    """The text with nothing in it that could be taken for a tag or a label of ours."""
    return "".join(_without_labels(piece) for piece in _pieces(without_tags(text), "\n"))


def without_tags(text: str) -> str:
    """The text with nothing in it that could be taken for a tag of ours."""
    return "".join(_TAG.sub("&lt;", piece) for piece in _pieces(text, "<"))


def _without_labels(lines: str) -> str:
    return _LABEL.sub(r"\\[", lines) if lines.startswith("[") or "\n[" in lines else lines


def _pieces(text: str, border: str) -> Iterator[str]:
    """The text in pieces that begin at `border`, or behind it where it is the end of a line."""
    start = 0
    while start < len(text):
        end = text.find(border, start + _STRIDE)
        end = len(text) if end < 0 else end + border.count("\n")
        yield text[start:end]
        start = end


def _sections(message: Message) -> Iterator[tuple[str, str]]:
    """Labels and bodies."""
    match message:
        case UserMessage():
            yield _USER, _words(parts_of(message.content))
        case AssistantMessage():
            yield _ASSISTANT, _words(message.content)
            yield _CALLS, "; ".join(_call(call) for call in message.tool_calls)
        case ToolResultMessage():
            yield _FAILED_RESULT if message.is_error else _RESULT, _cut(_words(message.content))


def _words(parts: Iterable[object]) -> str:
    found: list[str] = []
    for part in parts:
        if isinstance(part, TextContent) and part.text.strip():
            found.append(part.text)
        elif isinstance(part, ImageContent):
            found.append("(image)")
    return "\n".join(found)


def _call(call: ToolCall) -> str:
    arguments = call.arguments if isinstance(call.arguments, dict) else {"arguments": call.arguments}
    listed = ", ".join(f"{name}={json.dumps_str(value)}" for name, value in arguments.items())
    return f"{call.name}({listed})"


def _cut(text: str) -> str:
    left = len(text) - RESULT_CHARS
    return text if left <= 0 else f"{text[:RESULT_CHARS]}\n[... {left} more characters, cut]"


class ConversationText:
    """The labelled texts of messages, taken from the front in parts. Messages are converted when needed.

    A text too long for a part is continued in the next one, and both say so.
    """

    def __init__(self, messages: Sequence[AgentMessage], before: str = "") -> None:
        """`before` is a text that comes first."""
        self._messages = iter(messages)
        self._ready = deque([before] if before else [])

    def take(self, limit: int) -> list[str]:
        """The next texts, at most `limit` characters when joined by `JOINT`; none at the end.

        Converts as many messages as that needs: a job for a worker thread.
        """
        taken: list[str] = []
        room = limit
        while room > 0 and (text := self._next()):
            if len(text) > room:
                if not taken:
                    text, rest = _split(text, room)
                    taken.append(text)
                    text = rest
                self._ready.appendleft(text)
                break
            taken.append(text)
            room -= len(text) + len(JOINT)
        return taken

    def put_back(self, texts: Sequence[str]) -> None:
        """Undo a `take`; the next one may take less."""
        self._ready.extendleft(reversed(texts))

    def _next(self) -> str:
        if self._ready:
            return self._ready.popleft()
        return next((text for message in self._messages if (text := message_text(message))), "")


def _split(text: str, length: int) -> tuple[str, str]:
    """A beginning of at most `length` characters, and the rest."""
    mark = f"\n[... {len(text)} characters go on in the next part]"
    end = max(1, length - len(mark))
    left = len(text) - end
    return f"{text[:end]}\n[... {left} more characters, in the next part]", f"[{_CONTINUED}]: {text[end:]}"
