"""The answer that is being given: its text, its thoughts and its tool calls as blocks of the transcript."""

from __future__ import annotations

import time

from pi_term.agent.events import ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate
from pi_term.ai.events import (
    BlockEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from pi_term.ai.messages import AssistantMessage, ToolCall
from pi_term.render.blocks import AssistantBlock, ToolBlock
from pi_term.tui.widgets.transcript import Transcript


class AnswerView:
    """Follows one answer at a time; tool rows stay known by their call until they are done.

    Text before, between and after tool calls are blocks of their own, so that rows stand where they came.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._tools: dict[str, ToolBlock] = {}
        self._ended: AssistantBlock | None = None  # shows the end of the answer that was given last
        self._begin_message()

    def reset(self) -> None:
        """Forget all: another session is shown."""
        self._tools.clear()
        self._ended = None
        self._begin_message()

    def begin(self) -> None:
        """An answer begins."""
        self._ended = None
        self._begin_message()

    def update(self, message: AssistantMessage, event: BlockEvent) -> None:
        """It grew."""
        match event:
            case TextDelta():
                self._grow(event.delta, event.content_index, thinking=False)
            case ThinkingDelta():
                self._grow(event.delta, event.content_index, thinking=True)
            case ToolCallStart() | ToolCallDelta() | ToolCallEnd():
                self._tool_row(message, event.content_index, isinstance(event, ToolCallEnd))

    def end(self, message: AssistantMessage) -> None:
        """It is final; what was not streamed is shown now."""
        for index, part in enumerate(message.content):
            if isinstance(part, ToolCall):
                self._tool_row(message, index, True)
        self._ended = self._close_text(message, len(message.content))
        if message.stop_reason in ("error", "aborted"):
            for block in self._rows.values():
                block.cancel()
                self._transcript.touch(block.id)
        self._begin_message()
        self._transcript.hurry()

    def tried_again(self, again: bool) -> None:
        """The answer that was given last failed, and another one is asked for, or after all is not."""
        if self._ended is not None:
            self._ended.retried = again
            self._transcript.touch(self._ended.id)

    def tool_start(self, event: ToolExecutionStart) -> None:
        """A call was taken up."""
        block = self._tools.get(event.tool_call_id)
        if block is None:
            block = self._tools[event.tool_call_id] = ToolBlock(event.tool_name, event.args)
            self._transcript.append(block)
        block.start(time.monotonic(), event.args)
        self._transcript.touch(block.id)

    def tool_update(self, event: ToolExecutionUpdate) -> None:
        """A running tool shows more."""
        block = self._tools.get(event.tool_call_id)
        if block is not None:
            block.update(event.partial_result)
            self._transcript.touch(block.id)

    def tool_end(self, event: ToolExecutionEnd) -> None:
        """A call is over."""
        block = self._tools.pop(event.tool_call_id, None)
        if block is not None:
            block.finish(event.result, is_error=event.is_error, duration_ms=event.duration_ms)
            self._transcript.touch(block.id)

    def tick(self) -> None:
        """Some time has passed: running rows show theirs."""
        now = time.monotonic()
        for block in self._tools.values():
            if block.tick(now):
                self._transcript.touch(block.id)

    def _begin_message(self) -> None:
        self._begin_block(0)
        self._rows: dict[int, ToolBlock] = {}  # tool rows of this message, by content index

    def _begin_block(self, start: int) -> None:
        self._block: AssistantBlock | None = None
        self._shown = False  # whether the block is in the transcript: an empty one is not
        self._first = self._start = start  # the content index where its first section and where it begins

    def _tool_row(self, message: AssistantMessage, index: int, complete: bool) -> None:
        call = message.content[index]
        assert isinstance(call, ToolCall)
        block = self._rows.get(index)
        if block is None:
            self._close_text(message, index)
            block = self._rows[index] = ToolBlock(call.name, call.arguments, writing=not complete)
            self._tools[call.id] = block
            self._transcript.append(block)
        block.set_arguments(call.arguments, complete=complete)
        self._transcript.touch(block.id)

    def _grow(self, delta: str, index: int, *, thinking: bool) -> None:
        if self._block is None:
            self._block = AssistantBlock()
        if thinking:
            self._block.append_thinking(delta, index)
        else:
            self._block.append_text(delta, index)
        self._show_block()

    def _close_text(self, message: AssistantMessage, stop: int) -> AssistantBlock:
        """The content before `stop` is whole; what comes after the tool call there is another block."""
        if self._block is not None and not self._block.holds(message):
            # The finished message replaced what was streamed.
            for section in self._block.sections:
                self._transcript.discard(section.id)
            self._begin_block(self._first)
        self._block = self._block or AssistantBlock()
        self._block.follow(message, self._start, stop)
        self._show_block()
        block = self._block
        block.show(message, self._start, stop)
        if message.stop_reason == "pending":
            block.finish()
        self._show_block()
        self._begin_block(stop + 1)
        return block

    def _show_block(self) -> None:
        """Show the block as far as it has come, and the further sections of one that grew long."""
        while (block := self._block) is not None and not block.empty:
            following = block.go_on()
            if self._shown:
                self._transcript.touch(block.id)
            else:
                self._transcript.append(block)
                self._shown = True
            if following is None:
                return
            self._block, self._start = following
            self._shown = False
