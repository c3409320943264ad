"""What the core asks of a person, as a numbered list and a line to answer it with."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from pi_term.base.diagnostics import Severity
from pi_term.headless.linear.speech import Say, numbered, seconds_text


class Answers(Protocol):
    """Where answers come from."""

    async def answer(self) -> str | None:
        """The next line that is typed, or None at the end of the input."""
        ...


class LinearUi:
    """A `UiBridge` over lines: one question at a time. An empty line dismisses it.

    Until it is connected, nobody is there.
    """

    def __init__(self) -> None:
        self._say: Say | None = None
        self._answers: Answers | None = None
        self._turn = asyncio.Lock()

    def connect(self, say: Say, answers: Answers) -> None:
        """Ask with `say` and take the answers from there."""
        self._say, self._answers = say, answers

    async def select(self, title: str, options: Sequence[str], *, timeout: float | None = None) -> str | None:
        """One of `options`, by its number or its beginning; None when dismissed."""
        hint = f"{numbered(options)}\nAnswer with a number, or with an empty line for none."
        answer = await self._ask(f"{title}\n{hint}", timeout)
        place = chosen(answer or "", options)
        return None if place is None else options[place]

    async def confirm(self, title: str, message: str, *, timeout: float | None = None) -> bool:
        """Whether the answer was yes."""
        question = "\n".join(part for part in (title, message, "Answer yes or no.") if part)
        answer = await self._ask(question, timeout)
        return (answer or "").strip().casefold() in ("y", "yes")

    async def input(self, title: str, placeholder: str = "", *, timeout: float | None = None) -> str | None:
        """A line of text, or None."""
        answer = await self._ask(f"{title} ({placeholder})" if placeholder else title, timeout)
        return answer or None

    async def editor(self, title: str, prefill: str = "") -> str | None:
        """A text, or None; what there was already is said and has to be written anew."""
        return await self.input(f"{title}\n{prefill}" if prefill else title)

    def notify(self, message: str, level: Severity = "info") -> None:
        """Say a notice."""
        if self._say is not None:
            self._say({"error": "Error", "warning": "Warning"}.get(level, "Notice"), message)

    async def custom(self, component: Any) -> Any:
        """None: a component of another front end cannot be said."""
        return None

    async def _ask(self, question: str, timeout: float | None) -> str | None:
        say, answers = self._say, self._answers
        if say is None or answers is None:
            return None
        async with self._turn:
            limit = "" if timeout is None else f"\nIt waits {seconds_text(timeout)}."
            say("Question", question + limit)
            say("Answer", "")
            try:
                async with asyncio.timeout(timeout):
                    return await answers.answer()
            except TimeoutError:
                say("Status", "no answer in time.")
                return None


def chosen(answer: str, options: Sequence[str]) -> int | None:
    """The place of what somebody means: a number from 1, or the beginning of one option only."""
    answer = answer.strip().casefold()
    if answer.isdecimal():
        return int(answer) - 1 if 1 <= int(answer) <= len(options) else None
    found = [place for place, each in enumerate(options) if answer and each.casefold().startswith(answer)]
    return found[0] if len(found) == 1 else None
