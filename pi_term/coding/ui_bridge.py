"""What the core may ask of a person, whatever face the program wears."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pi_term.base.diagnostics import Severity
from pi_term.base.log import log


class UiBridge(Protocol):
    """Questions and notices. `timeout` is in seconds; None, False or "" is the answer of nobody there."""

    async def select(self, title: str, options: Sequence[str], *, timeout: float | None = None) -> str | None:
        """One of `options`, or None when dismissed."""
        ...

    async def confirm(self, title: str, message: str, *, timeout: float | None = None) -> bool:
        """Whether the person said yes."""
        ...

    async def input(self, title: str, placeholder: str = "", *, timeout: float | None = None) -> str | None:
        """A line of text, or None when dismissed."""
        ...

    async def editor(self, title: str, prefill: str = "") -> str | None:
        """A text of several lines, or None when dismissed."""
        ...

    def notify(self, message: str, level: Severity = "info") -> None:
        """Show a notice; nothing is awaited."""
        ...

    async def custom(self, component: Any) -> Any:
        """Show something of the front end's own kind and return what it comes to."""
        ...


class NullUi:
    """Nobody is there: every question is dismissed, notices go to the log."""

    async def select(self, title: str, options: Sequence[str], *, timeout: float | None = None) -> str | None:
        return None

    async def confirm(self, title: str, message: str, *, timeout: float | None = None) -> bool:
        return False

    async def input(self, title: str, placeholder: str = "", *, timeout: float | None = None) -> str | None:
        return None

    async def editor(self, title: str, prefill: str = "") -> str | None:
        return None

    def notify(self, message: str, level: Severity = "info") -> None:
        log.info("notice (%s): %s", level, message)

    async def custom(self, component: Any) -> Any:
        return None
