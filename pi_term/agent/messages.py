"""The messages of a run: richer than any provider knows."""

from __future__ import annotations

from typing import Protocol

from pi_term.base.json import JsonObject


class AgentMessage(Protocol):
    """Anything with a role: the models' own messages, and what a harness adds (summaries, shell records).

    `convert_to_llm` turns a list of these into what a model may see, before every request.
    """

    @property
    def role(self) -> str:
        """What kind of message it is, as files and events name it."""

    def to_json(self) -> JsonObject:
        """The message as files and events hold it."""
