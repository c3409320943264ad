"""Print mode: prompts in, the final answer out."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from pi_term.ai.messages import AssistantMessage
from pi_term.base.sanitize import sanitize
from pi_term.coding.agent_session import AgentSession

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def run_print_mode(
    session: AgentSession,
    prompts: Sequence[str],
    *,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Send the prompts one after the other and print the last answer's text; returns the exit code.

    0: the answer is whole. 1: it is cut off, failed or was aborted; what there is of it is printed, the
    reason goes to `err`. 128 + n: signal n ended the run.
    """
    out, err = out or sys.stdout, err or sys.stderr
    caught: list[int] = []
    with _aborting_signals(session, caught):
        for prompt in prompts:
            await session.prompt(prompt)
            if _failure(_last_answer(session)) is not None:
                break
    answer = _last_answer(session)
    if answer is not None and answer.text:
        out.write(answer.text if answer.text.endswith("\n") else answer.text + "\n")
        out.flush()
    reason = _failure(answer)
    if reason is not None:
        err.write(f"pi-term: {sanitize(reason)}\n")
    if caught:
        return 128 + caught[0]
    return 0 if reason is None else 1


def _last_answer(session: AgentSession) -> AssistantMessage | None:
    messages = reversed(session.agent.state.messages)
    return next((message for message in messages if isinstance(message, AssistantMessage)), None)


def _failure(answer: AssistantMessage | None) -> str | None:
    """Why the answer is not whole, or None."""
    if answer is None:
        return "There is no answer."
    match answer.stop_reason:
        case "error":
            return answer.error_message or "The model call failed."
        case "aborted":
            return "Aborted."
        case "length":
            return "The answer is cut off: it reached the model's output limit."
    return None


@contextmanager
def _aborting_signals(session: AgentSession, caught: list[int]) -> Iterator[None]:
    """While inside, signals that would end the process abort the run instead, so that its file is whole."""
    loop = asyncio.get_running_loop()

    def abort(number: int) -> None:
        caught.append(number)
        session.abort()

    for number in _SIGNALS:
        loop.add_signal_handler(number, abort, number)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
