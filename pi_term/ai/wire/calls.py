"""The tool calls of one reply while their arguments arrive; both wire formats send them in pieces."""

from __future__ import annotations

import secrets

from pi_term.ai.messages import ToolCall
from pi_term.ai.partial_json import PartialArguments
from pi_term.ai.stream import StreamWriter


class GrowingCalls:
    """Opens, feeds and closes calls on a writer. Calls are named by their index in the content."""

    def __init__(self, writer: StreamWriter) -> None:
        self._writer = writer
        self._open: dict[int, PartialArguments] = {}

    def __bool__(self) -> bool:
        """Whether the reply holds any call."""
        return any(isinstance(part, ToolCall) for part in self._writer.message.content)

    def start(self, call_id: str, name: str) -> int:
        """Open a call; an id that is missing or taken is replaced, since results are matched by it."""
        taken = {call.id for call in self._writer.message.tool_calls}
        unique = call_id or f"call_{secrets.token_hex(8)}"
        number = 2
        while unique in taken:
            unique = f"{call_id}_{number}"
            number += 1
        index = self._writer.start_tool_call(unique, name)
        self._open[index] = PartialArguments()
        return index

    def add(self, index: int, piece: str) -> None:
        """More of the arguments' text."""
        if piece and index in self._open:
            self._writer.tool_call(index, piece, self._open[index].feed(piece))

    def is_whole(self, index: int) -> bool:
        """Whether what arrived so far is a complete, non-empty text of arguments."""
        arguments = self._open.get(index)
        return arguments is not None and bool(arguments.text.strip()) and arguments.finish() is not None

    def end(self, index: int) -> None:
        """The call is whole: its text counts as it is."""
        arguments = self._open.pop(index, None)
        if arguments is not None:
            self._writer.end_tool_call(index, arguments.finish(), arguments.text)

    def show_received(self, *, end: bool) -> None:
        """The reply broke off: show all that was received of the open calls; none of it will be run."""
        for index, arguments in self._open.items():
            value = arguments.value
            part = self._writer.message.content[index]
            if isinstance(part, ToolCall):
                part.arguments = value
            if end:
                self._writer.end_tool_call(index, value)
        self._open.clear()
