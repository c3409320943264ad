"""What happens in a session as labelled lines: `Assistant: …`, `Tool bash: …`, `Status: …`.

Every line is whole when it is said, and nothing that was said changes afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pi_term.agent.events import (
    AgentStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
)
from pi_term.ai.events import TextDelta, TextEnd, ThinkingDelta, ThinkingEnd
from pi_term.ai.messages import AssistantMessage, UserMessage, text_of
from pi_term.base.json import JsonObject
from pi_term.base.sanitize import sanitize, sanitize_line
from pi_term.base.text import shortened
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import (
    AgentSettled,
    AutoRetryStart,
    CompactionEnd,
    CompactionReason,
    CompactionStart,
    DiagnosticRaised,
    ModelChanged,
    SessionEvent,
    SessionInfoChanged,
    SessionSwitched,
    ShellEnded,
    ShellStarted,
    SummarizationRetryScheduled,
    ThinkingLevelChanged,
)
from pi_term.coding.session import MessageEntry, SessionTree

Say = Callable[[str, str], None]
"""Says a text of one or more lines under a label; "" goes on with what was said before."""

_MOST_LINES = 12  # of what a tool or a command printed
_LONGEST_CALL = 200  # characters of what a tool is called with
_TELLING = ("command", "path", "file_path", "pattern", "query", "url")
_WHY: dict[CompactionReason, str] = {
    "manual": "",
    "threshold": ", the context is nearly full",
    "overflow": ", the context is full",
}


class Speech:
    """Follows the events of a session. `clock` gives seconds.

    `typed` are the prompts that stand on the screen already, since the user has just written them there.
    """

    def __init__(
        self,
        session: AgentSession,
        say: Say,
        *,
        thinking: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._say = say
        self._thinking = thinking
        self._clock = clock
        self._since = clock()
        self._used = (0, 0)
        self._rest = ""  # a line that is not whole yet
        self._rest_label = ""
        self._label = ""  # of the line said last, while the same text goes on
        self.typed: list[str] = []
        self.last_output = ""

    def show(self, event: SessionEvent) -> None:
        """Say what happened."""
        match event:
            case AgentStart():
                self._begin()
            case AgentSettled():
                self._settled(event.aborted)
            case MessageStart(message=AssistantMessage()):
                self._label = ""
            case MessageUpdate():
                self._grow(event)
            case MessageEnd(message=AssistantMessage() as answer):
                self._end(answer)
            case MessageEnd(message=UserMessage() as prompt):
                self._prompt(text_of(prompt.content))
            case ToolExecutionStart():
                self._say(f"Tool {sanitize_line(event.tool_name)}", call_text(event.args))
            case ToolExecutionEnd():
                self._tool_end(event)
            case ShellStarted():
                self._say("Shell", event.command)
            case ShellEnded():
                self._shell_end(event)
            case AutoRetryStart() | SummarizationRetryScheduled():
                when = f"in {seconds_text(event.delay_ms / 1000)}"
                self._say(
                    "Status",
                    f"trying again {when}, {event.attempt} of {event.max_attempts}: {event.error_message}. "
                    "Ctrl+C cancels.",
                )
            case _:
                self._show_session(event)

    def _show_session(self, event: SessionEvent) -> None:
        match event:
            case CompactionStart():
                self._say("Status", f"compacting{_WHY[event.reason]}. Ctrl+C cancels.")
            case CompactionEnd():
                self._compacted(event)
            case ModelChanged():
                self._say("Status", f"model {event.model.key}")
            case ThinkingLevelChanged():
                self._say("Status", f"thinking {event.level}")
            case SessionInfoChanged():
                self._say("Status", f"this session is named {event.name}" if event.name else "no name")
            case SessionSwitched():
                self.recall()
            case DiagnosticRaised():
                level = "Error" if event.diagnostic.severity == "error" else "Warning"
                self._say(level, event.diagnostic.text())

    def recall(self) -> None:
        """Say which session is open, and the last things that were said in it."""
        tree = self._session.file.tree
        named = f"session {tree.name}" if tree.name else "session"
        last = _last_words(tree)
        self._say("Status", f"{named}, it ended like this:" if last else f"new {named}")
        for label, text in last:
            self._say(label, text)

    # --- prompts and answers

    def _begin(self) -> None:
        self._since = self._clock()
        self._used = (self._session.stats.input, self._session.stats.output)
        self._say("Status", "working. Ctrl+C stops.")

    def _prompt(self, text: str) -> None:
        if text in self.typed:
            self.typed.remove(text)
        else:
            self._say("You", text)

    def _grow(self, event: MessageUpdate) -> None:
        match event.event:
            case TextDelta(delta=delta):
                self._more("Assistant", delta)
            case ThinkingDelta(delta=delta) if self._thinking:
                self._more("Thinking", delta)
            case TextEnd() | ThinkingEnd():
                self._finish_line()
                self._label = ""

    def _more(self, label: str, text: str) -> None:
        """Say the lines that are whole; the last one waits for its end."""
        *whole, self._rest = (self._rest + text).split("\n")
        for line in whole:
            self._line(label, line)
        self._rest_label = label

    def _finish_line(self) -> None:
        if self._rest.strip():
            self._line(self._rest_label, self._rest)
        self._rest = ""

    def _line(self, label: str, line: str) -> None:
        if self._label == label:
            self._say("", line)
        elif line.strip():  # an answer does not begin with an empty line
            self._say(label, line)
            self._label = label

    def _end(self, answer: AssistantMessage) -> None:
        self._finish_line()
        self._label = ""
        if answer.stop_reason == "error":
            self._say("Error", answer.error_message or "The model call failed.")
        elif answer.stop_reason == "length":
            self._say("Warning", "The answer is cut off: it reached the model's output limit.")

    def _settled(self, aborted: bool) -> None:
        sent, received = self._session.stats.input, self._session.stats.output
        took = seconds_text(self._clock() - self._since)
        tokens = f"{sent - self._used[0]:,} tokens in, {received - self._used[1]:,} out"
        self._say("Status", f"{'stopped' if aborted else 'done'} after {took}, {tokens}.")

    # --- tools and commands

    def _tool_end(self, event: ToolExecutionEnd) -> None:
        text = text_of(event.result.content)
        details = event.result.details
        diff = details.get("diff") if isinstance(details, dict) else None
        shown = diff if isinstance(diff, str) and diff and not event.is_error else text
        how = "failed" if event.is_error else "ok"
        seconds = (event.duration_ms or 0) / 1000
        took = f" after {seconds_text(seconds)}" if seconds >= 1 else ""
        self._output(f"Tool {sanitize_line(event.tool_name)}", how + took, shown)

    def _shell_end(self, event: ShellEnded) -> None:
        record = event.record
        how = "stopped" if record.cancelled else f"exit code {record.exit_code}"
        self._output("Shell", how, record.output)

    def _output(self, label: str, how: str, text: str) -> None:
        self.last_output = text = sanitize(text).rstrip("\n")
        lines = text.splitlines()
        if not text.strip():
            self._say(label, f"{how}, no output.")
            return
        self._say(label, f"{how}, {len(lines)} {'line' if len(lines) == 1 else 'lines'}.")
        hidden = len(lines) - _MOST_LINES
        if hidden > 0:
            self._say("", f"{hidden} earlier lines are left out, /output says all.")
        self._say("", "\n".join(lines[-_MOST_LINES:]))

    def _compacted(self, event: CompactionEnd) -> None:
        result = event.result
        if result is not None:
            before, after = result.tokens_before, result.estimated_tokens_after
            self._say("Status", f"compacted, from {before:,} to about {after:,} tokens.")
        elif event.aborted:
            self._say("Status", "compaction cancelled.")
        elif event.error_message:
            self._say("Error", event.error_message)


def _last_words(tree: SessionTree) -> list[tuple[str, str]]:
    """The last prompt of the branch and the last answer to it, with their labels."""
    said: list[tuple[str, str]] = []
    for entry in tree.walk(tree.leaf):
        record = entry.record() if entry.role in ("user", "assistant") else None
        match record:
            case MessageEntry(message=UserMessage(content=content)):
                return [("You", text_of(content)), *said]
            case MessageEntry(message=AssistantMessage() as answer) if answer.text.strip() and not said:
                said = [("Assistant", answer.text)]
    return said


def call_text(args: JsonObject) -> str:
    """What a tool is called with, in one line: the argument that tells most, else all of them."""
    told = next((args[name] for name in _TELLING if isinstance(args.get(name), str)), None)
    if told is None:
        told = ", ".join(f"{name} {value}" for name, value in args.items())
    return shortened(" ".join(sanitize_line(str(told)).split()), _LONGEST_CALL)


def seconds_text(seconds: float) -> str:
    """`1 second`, `12 seconds`, `2 minutes 5 seconds`."""
    minutes, rest = divmod(round(seconds), 60)
    parts = [(minutes, "minute"), (rest, "second")]
    said = [_counted(number, unit) for number, unit in parts if number or (unit == "second" and not minutes)]
    return " ".join(said)


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def numbered(items: Sequence[str]) -> str:
    """Items to choose from, a line each."""
    return "\n".join(f"{number}. {sanitize_line(item)}" for number, item in enumerate(items, 1))
