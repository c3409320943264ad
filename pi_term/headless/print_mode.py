"""Print mode: prompts in, the final answer out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from pi_term.agent.events import AgentEnd, AgentStart, MessageEnd
from pi_term.ai.messages import AssistantMessage, TextContent
from pi_term.base.sanitize import sanitize
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import CompactionEnd, DiagnosticRaised, SessionEvent
from pi_term.headless.prompt import Prompt
from pi_term.headless.signals import caught_signals


async def run_print_mode(
    session: AgentSession,
    prompts: Sequence[Prompt | str],
    *,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Send the prompts one after the other and print the last answer's text; returns the exit code.

    0: the answer is whole. 1: it is cut off, failed or was aborted; what there is of it is printed, the
    reason goes to `err`, as do the session's warnings, until it is closed. 128 + n: signal n ended the run.
    """
    out, err = out or sys.stdout, err or sys.stderr
    run = _Run(session, err)
    session.subscribe(run.on_event)
    with caught_signals(run.abort):
        for prompt in map(Prompt.of, prompts):
            await run.send(prompt)
            if run.problem() is not None:
                break
    out.write(run.text(safe=out.isatty()))
    out.flush()
    problem = run.problem()
    if problem is not None:
        err.write(f"pi-term: {sanitize(problem)}\n")
    if run.signals:
        return 128 + run.signals[0]
    return 0 if problem is None else 1


class _Run:
    """What the session's events tell of the prompt under way, and the signals that called it off."""

    def __init__(self, session: AgentSession, err: TextIO) -> None:
        self.signals: list[int] = []
        self._session = session
        self._err = err
        self._answer: AssistantMessage | None = None
        self._ended = False

    async def send(self, prompt: Prompt) -> None:
        """Send a prompt and wait for its end."""
        self._answer, self._ended = None, False
        await self._session.prompt(prompt.text, prompt.images)

    def abort(self, number: int) -> None:
        """A signal has come: what runs is called off, and what is about to run as soon as it does."""
        self.signals.append(number)
        self._session.abort()

    async def on_event(self, event: SessionEvent) -> None:
        match event:
            case AgentStart() if self.signals:
                self._session.abort()
            case MessageEnd(message=AssistantMessage() as message):
                self._answer = message
            case AgentEnd():
                self._ended = True
            case CompactionEnd() if event.error_message:
                self._err.write(f"pi-term: {sanitize(event.error_message)}\n")
            case DiagnosticRaised():
                self._err.write(f"pi-term: {sanitize(event.diagnostic.text())}\n")

    def text(self, *, safe: bool) -> str:
        """The answer's text blocks, a line end after each; `safe` without what acts on a terminal."""
        parts = [] if self._answer is None else self._answer.content
        texts = [part.text for part in parts if isinstance(part, TextContent) and part.text]
        whole = "".join(text if text.endswith("\n") else f"{text}\n" for text in texts)
        return sanitize(whole) if safe else whole

    def problem(self) -> str | None:
        """Why the answer is not whole, or None."""
        answer = self._answer
        if self.signals:
            return "Aborted."
        if answer is None:
            return "There is no answer."
        match answer.stop_reason:
            case "error":
                return answer.error_message or "The model call failed."
            case "aborted":
                return "Aborted."
            case "length":
                return "The answer is cut off: it reached the model's output limit."
        return None if self._ended else "The run broke off before the answer was complete."
