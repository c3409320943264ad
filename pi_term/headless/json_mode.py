"""JSON mode: prompts in, the session's events out, a JSON object in each line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from pi_term.agent.events import AgentStart
from pi_term.base.sanitize import sanitize
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import DiagnosticRaised, SessionEvent
from pi_term.coding.startup import Started
from pi_term.headless.outbox import Outbox
from pi_term.headless.prompt import Prompt
from pi_term.headless.ready import require_key
from pi_term.headless.signals import caught_signals
from pi_term.headless.streams import claim_output

_LAST_WORDS = 5.0  # seconds that a reader has to take the rest once a signal has come


async def run_json_mode(
    started: Started, prompts: Sequence[Prompt | str], *, output: int | None = None, err: TextIO | None = None
) -> int:
    """Send the prompts one after the other and tell what happens; returns the exit code.

    The session's header comes first. `output` is the descriptor to write to; standard output unless
    given, which nothing else can write to then. Diagnostics go to `err`.

    0: all prompts have settled; the events tell how. 128 + n: signal n ended it, what there was by then is
    kept. 141: nobody reads any more. Raises `PiTermError` where a prompt cannot be sent, and `OSError` where
    the output fails otherwise.
    """
    session = started.session
    outbox = Outbox(claim_output() if output is None else output, session.abort)
    outbox.send(session.file.header.to_json())
    watch = _Watch(session, outbox, err or sys.stderr)
    session.subscribe(watch.on_event)
    with caught_signals(watch.end):
        try:
            for prompt in map(Prompt.of, prompts):
                if watch.signals or outbox.broken:
                    break
                require_key(session)
                await session.prompt(prompt.text, prompt.images)
        finally:
            await outbox.close(_LAST_WORDS if watch.signals else None)
    if watch.signals:
        return 128 + watch.signals[0]
    return outbox.exit_code()


class _Watch:
    """Passes on what happens, and calls it off when it has to end."""

    def __init__(self, session: AgentSession, outbox: Outbox, err: TextIO) -> None:
        self.signals: list[int] = []
        self._session = session
        self._outbox = outbox
        self._err = err

    def end(self, number: int) -> None:
        """A signal has come: what runs is called off, and what is about to run as soon as it does."""
        self.signals.append(number)
        self._session.abort()

    async def on_event(self, event: SessionEvent) -> None:
        if isinstance(event, DiagnosticRaised):
            self._err.write(f"pi-term: {sanitize(event.diagnostic.text())}\n")
        elif (isinstance(event, AgentStart) and self.signals) or self._outbox.broken:
            self._session.abort()
        await self._outbox.on_event(event)
