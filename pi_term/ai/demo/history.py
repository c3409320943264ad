"""What the demo model reads of a conversation."""

from __future__ import annotations

from dataclasses import field

from pi_term.ai.context import Context
from pi_term.ai.messages import AssistantMessage, ToolResultMessage, UserMessage, text_of
from pi_term.base.dataclass import dataclass
from pi_term.base.text import shortened


@dataclass(slots=True)
class Episode:
    """A user's message and what came of it so far.

    `answered`: the model has spoken since; `concluded`: it did so without asking for a tool, or was cut off.
    """

    text: str
    results: list[ToolResultMessage] = field(default_factory=list)
    answered: bool = False
    concluded: bool = False

    @property
    def quote(self) -> str:
        """The text on one line, shortened, in quotation marks."""
        return f"“{shortened(' '.join(self.text.split()), 60)}”"


def episodes(context: Context) -> list[Episode]:
    """The conversation cut at the user's messages; what precedes the first is dropped.

    Results belong to the user message that their call answered, also when another one (a steering
    message) came in between.
    """
    found: list[Episode] = []
    owner: dict[str, Episode] = {}
    told = 0  # episodes that are answered
    for message in context.messages:
        if isinstance(message, UserMessage):
            found.append(Episode(text_of(message.content).strip()))
        elif not found:
            continue
        elif isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                owner[call.id] = found[-1]
            for episode in found[told:]:
                episode.answered = True
            told = len(found)
            cut_off = message.stop_reason in ("aborted", "error")
            found[-1].concluded = cut_off or not message.tool_calls
        elif isinstance(message, ToolResultMessage):
            owner.get(message.tool_call_id, found[-1]).results.append(message)
    return found
