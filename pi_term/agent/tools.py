"""Tools as the loop runs them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import field
from typing import Any, Literal, TypeAlias

from pi_term.ai.messages import TextContent, Usage, UserPart
from pi_term.ai.tools import Tool
from pi_term.base.abort import AbortSignal
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject

ExecutionMode: TypeAlias = Literal["parallel", "sequential"]


class ToolError(Exception):
    """A tool's way to fail: its text (and details) become an error result that the model reads."""

    def __init__(self, text: str, details: Any = None) -> None:
        super().__init__(text)
        self.details = details


@dataclass(slots=True)
class ToolResult:
    """What a tool call came to.

    `details` is for people and programs, never for the model. `terminate` asks the loop not to call the
    model again because of this result. `usage` is what the tool spent on models of its own.
    """

    content: list[UserPart] = field(default_factory=list)
    details: Any = None
    is_error: bool = False
    terminate: bool = False
    usage: Usage | None = None

    def to_json(self) -> JsonObject:
        """The shape of `result` and `partialResult` in Pi's events."""
        out: JsonObject = {"content": [part.to_json() for part in self.content]}
        if self.details is not None:
            out["details"] = self.details
        return out


def text_result(text: str, *, details: Any = None, is_error: bool = False) -> ToolResult:
    """A result of one text block."""
    return ToolResult([TextContent(text)], details=details, is_error=is_error)


@dataclass(frozen=True, slots=True)
class ToolCallContext:
    """What one running call gets: its id, the run's signal, and a way to show partial results.

    `update` takes all that there is to show so far; it never waits, and does nothing once the call is over.
    """

    tool_call_id: str
    signal: AbortSignal
    update: Callable[[ToolResult], None]


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool with its implementation.

    `prepare` may mend arguments before they are validated. `execution_mode` "sequential" makes every
    batch that contains the tool run one call after the other.
    """

    name: str
    label: str
    description: str
    parameters: JsonObject
    execute: Callable[[JsonObject, ToolCallContext], Awaitable[ToolResult]]
    prepare: Callable[[JsonObject], JsonObject] | None = None
    execution_mode: ExecutionMode = "parallel"

    def declaration(self) -> Tool:
        """What a model is told of it."""
        return Tool(self.name, self.description, self.parameters)
