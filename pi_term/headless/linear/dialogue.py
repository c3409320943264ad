"""Who says what in linear mode: lines that are typed are answers, prompts or commands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pi_term.headless.linear.lines import LineReader, LineWriter


class Dialogue:
    """The lines in both directions. While a question is open, the next line is its answer."""

    def __init__(self, on_broken: Callable[[], None]) -> None:
        """`on_broken` is called when nobody reads any more."""
        self.reader = LineReader()
        self._writer = LineWriter(self.reader, on_broken)
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._answer: asyncio.Future[str | None] | None = None
        self._ended = False
        self._task = asyncio.create_task(self._read())

    def say(self, label: str, text: str, *, at_once: bool = False) -> None:
        """Say a text under a label; "" goes on with what was said before. `at_once`: also while one types."""
        self._writer.say(label, text, at_once=at_once)

    async def line(self) -> str | None:
        """The next line that answers no question; None at the end of the input."""
        return await self._lines.get()

    async def answer(self) -> str | None:
        """The next line that is typed; None at the end of the input."""
        if self._ended:
            return None
        self._answer = asyncio.get_running_loop().create_future()
        try:
            return await self._answer
        finally:
            self._answer = None

    async def close(self) -> None:
        """Stop reading, say what is left, and give the terminal back."""
        self._task.cancel()
        try:
            await self._writer.close()
        finally:
            self.reader.close()

    async def _read(self) -> None:
        while not self._ended:
            line = await self.reader.next_line()
            self._ended = line is None
            answer = self._answer
            if answer is not None and not answer.done():
                answer.set_result(line)
                if line is not None:
                    continue
            self._lines.put_nowait(line)
