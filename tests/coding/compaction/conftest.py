"""Sessions told in short words, and desks at which summaries are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from pi_term.agent.messages import AgentMessage
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.messages import (
    AssistantMessage,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_term.ai.models import Model, ThinkingLevel
from pi_term.ai.registry import stream_model
from pi_term.ai.stream import AssistantStream
from pi_term.base.abort import AbortController
from pi_term.coding.compaction.desk import RetryEvent, SummaryDesk
from pi_term.coding.compaction.prepare import Preparation, prepare
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.retry import RetryPolicy
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    EntryRecord,
    MessageEntry,
    SessionContext,
    SessionFile,
    StoredEntry,
    build_context,
)
from pi_term.testing import ScriptedModel

TOKEN = "abc "
"""The text of one token, by the rule of thumb."""


class Story:
    """A session in memory that is told in short words."""

    def __init__(self) -> None:
        self.session = SessionFile.in_memory("/w")

    def add(self, record: EntryRecord | AgentMessage) -> StoredEntry:
        if not isinstance(record, EntryRecord):
            record = MessageEntry(record)
        return self.session.append(record)

    def user(self, text: str, tokens: int = 0) -> StoredEntry:
        return self.add(UserMessage([TextContent(text + TOKEN * tokens)]))

    def answer(self, text: str, *calls: ToolCall, tokens: int = 0, thinking: str = "") -> StoredEntry:
        thoughts = [ThinkingContent(thinking)] if thinking else []
        content = [*thoughts, TextContent(text + TOKEN * tokens), *calls]
        return self.add(AssistantMessage(content, stop_reason="toolUse" if calls else "stop"))

    def result(self, call: ToolCall, text: str, tokens: int = 0, *, failed: bool = False) -> StoredEntry:
        content = TextContent(text + TOKEN * tokens)
        return self.add(ToolResultMessage(call.id, call.name, [content], is_error=failed))

    def call(self, id: str, name: str = "bash", **arguments: Any) -> ToolCall:
        return ToolCall(id, name, arguments)

    def steps(self, count: int, tokens: int = 0) -> None:
        """So many calls of a tool, one a message, with results that are so many tokens long."""
        for number in range(count):
            call = self.call(f"c{number}", command=f"step {number}")
            self.answer(f"asking {number}", call)
            self.result(call, f"result {number} ", tokens)

    def shell(self, command: str, output: str = "", *, excluded: bool = False) -> StoredEntry:
        return self.add(BashExecutionMessage(command, output, exclude_from_context=excluded or None))

    def custom(self, text: str) -> StoredEntry:
        return self.add(CustomMessageEntry("note", text))

    def branch_summary(self, text: str, details: object = None, *, hook: bool = False) -> StoredEntry:
        return self.add(BranchSummaryEntry("x", text, details, from_hook=hook))

    def system(self, text: str) -> StoredEntry:
        return self.add(SystemMessage(sections={"rules": text}))

    def context(self) -> SessionContext:
        return build_context(self.session.tree)

    def prepare(self, keep: int, *, keep_nothing: bool = False) -> Preparation | None:
        return prepare(self.context(), keep, 1234, keep_nothing=keep_nothing)

    def compacted(self, summary: str, keep: int, *, hook: bool = False, **more: Any) -> Preparation:
        """Compact without asking a model."""
        prepared = self.prepare(keep, **more)
        assert prepared is not None
        self.add(
            CompactionEntry(
                id=(own := f"compaction-{len(self.session.tree.entries)}"),
                summary=summary,
                first_kept_entry_id=prepared.first_kept or own,
                tokens_before=prepared.tokens_before,
                details=prepared.files.details(),
                from_hook=hook,
                system_message=SystemMessage(sections={"rules": "all"}),
            )
        )
        return prepared


class Office:
    """Desks before scripted models; remembers the requests and what was told meanwhile."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.told: list[RetryEvent] = []
        self.controller = AbortController()
        self.hear: Callable[[RetryEvent], None] = lambda event: None

    def desk(
        self,
        script: ScriptedModel,
        *,
        retry: RetryPolicy | None = None,
        thinking: ThinkingLevel = "off",
        reason: Any = "manual",
    ) -> SummaryDesk:
        self.script = self._stack.enter_context(script)
        policy = retry or RetryPolicy(base_delay_ms=0)
        options = StreamOptions(thinking=thinking)
        signal = self.controller.signal
        return SummaryDesk(script.model, options, _stream, signal, policy, self._tell, reason)

    @property
    def requests(self) -> list[str]:
        """The text of each request."""
        return [text_of(context.messages[0].content) for context in self.script.contexts]

    async def _tell(self, event: RetryEvent) -> None:
        self.told.append(event)
        self.hear(event)


async def _stream(model: Model, context: Context, options: StreamOptions) -> AssistantStream:
    return stream_model(model, context, options)


@pytest.fixture
def story() -> Story:
    return Story()


@pytest.fixture
def office() -> Iterator[Office]:
    with ExitStack() as stack:
        yield Office(stack)


@pytest.fixture(scope="session")
def kit() -> tuple[type[Story], type[Office]]:
    """For properties, which need a new story for each example."""
    return Story, Office
