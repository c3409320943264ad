"""Blocks for messages of the past. Cheap: nothing is parsed before a block is asked for its rows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, ToolCall, ToolResultMessage, UserMessage
from pi_term.coding.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
)
from pi_term.render.blocks import (
    AssistantBlock,
    CustomBlock,
    ShellBlock,
    SummaryBlock,
    SwitchBlock,
    ToolBlock,
    UserBlock,
)
from pi_term.render.blocks.switch import Switch
from pi_term.render.line import Block


def blocks_of(
    messages: Iterable[tuple[str, AgentMessage | Switch]],
    open_calls: OpenCalls | None = None,
    omitted: Container[str] = (),
) -> list[Block]:
    """The blocks of messages and of what was switched, oldest first, each given with an id that is unique in
    the transcript.

    Results go into the rows of their calls; a result without its call gets a row of its own. Calls
    without a result are shown as not run, unless `open_calls` collects them for what comes later. An
    answer that ended badly was tried again if another one follows and nobody spoke between, or if it is
    among those that models no longer see (`omitted`).
    """
    calls = OpenCalls() if open_calls is None else open_calls
    blocks: list[Block] = []
    failed, failed_id = None, ""
    for id, message in messages:
        made = list(_blocks(id, message, calls))
        if isinstance(message, AssistantMessage):
            if failed is not None:
                failed.retried = True
            failed = _failed(message, made)
            failed_id = id
        elif not isinstance(message, CompactionSummaryMessage | Switch) and failed_id not in omitted:
            failed = None
        blocks.extend(made)
    if open_calls is None:
        calls.cancel()
    return blocks


def block_of(id: str, message: AgentMessage) -> Block | None:
    """The block of a message that is no answer and no tool result; None where there is nothing to see."""
    match message:
        case UserMessage():
            return UserBlock(message.content, id=id)
        case BashExecutionMessage():
            return _shell_block(id, message)
        case CustomMessage():
            return CustomBlock(message.custom_type, message.content, id=id) if message.display else None
        case BranchSummaryMessage():
            return SummaryBlock(message.summary, branch=True, id=id)
        case CompactionSummaryMessage():
            return SummaryBlock(message.summary, tokens_before=message.tokens_before, id=id)
        case _:
            return None


class OpenCalls:
    """Tool rows that wait for their results, by call id; of equal ids the oldest gets the first result."""

    def __init__(self) -> None:
        self._rows: dict[str, list[ToolBlock]] = {}

    def add(self, call_id: str, row: ToolBlock) -> None:
        """A row waits for a result."""
        self._rows.setdefault(call_id, []).append(row)

    def take(self, call_id: str) -> ToolBlock | None:
        """The row that a result belongs to."""
        rows = self._rows.get(call_id)
        if not rows:
            return None
        row = rows.pop(0)
        if not rows:
            del self._rows[call_id]
        return row

    def cancel(self) -> None:
        """No result will come any more."""
        for rows in self._rows.values():
            for row in rows:
                row.cancel()
        self._rows.clear()


def _failed(message: AssistantMessage, made: list[Block]) -> AssistantBlock | None:
    """The block that tells of the bad end of an answer after which only another try can follow."""
    if message.stop_reason != "error" and (message.stop_reason != "length" or message.tool_calls):
        return None
    last = made[-1] if made else None
    return last if isinstance(last, AssistantBlock) else None


def _blocks(id: str, message: AgentMessage | Switch, calls: OpenCalls) -> Iterator[Block]:
    if isinstance(message, Switch):
        yield SwitchBlock(message, id=id)
    elif isinstance(message, AssistantMessage):
        yield from answer_blocks(id, message, calls)
    elif isinstance(message, ToolResultMessage):
        row = calls.take(message.tool_call_id)
        if row is None:
            row = ToolBlock(message.tool_name, id=id)
            yield row
        row.finish(message, duration_ms=message.duration_ms)
    elif (block := block_of(id, message)) is not None:
        yield block


def answer_blocks(id: str, message: AssistantMessage, calls: OpenCalls) -> Iterator[Block]:
    """The blocks of an answer in the order of its content: what was said, and a row for each call."""
    start = 0
    for index, part in enumerate(message.content):
        if not isinstance(part, ToolCall):
            continue
        said = AssistantBlock(message, start=start, stop=index, id=f"{id}/{start}")
        if start < index and not said.empty:
            yield said
        row = ToolBlock(part.name, part.arguments, id=f"{id}/{index}")
        calls.add(part.id, row)
        yield row
        start = index + 1
    rest = AssistantBlock(message, start=start, id=f"{id}/{start}")
    if not rest.empty:
        yield rest


def _shell_block(id: str, message: BashExecutionMessage) -> ShellBlock:
    block = ShellBlock(message.command, excluded=bool(message.exclude_from_context), id=id)
    if message.output:
        block.show(message.output)
    path = message.full_output_path if message.truncated else None
    block.finish(message.exit_code, cancelled=message.cancelled, full_output_path=path)
    return block
