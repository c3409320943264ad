"""The core's questions, asked on the screen: one at a time, however many come together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pi_term.tui.choices import Choice

if TYPE_CHECKING:
    from textual.screen import ModalScreen

    from pi_term.base.diagnostics import Severity
    from pi_term.tui.app import PiTermApp

T = TypeVar("T")
_FEW = 8  # options that need no search


class TuiBridge:
    """A `UiBridge` over dialogs. Each closes with Escape and gives the focus back to the editor."""

    def __init__(self, app: PiTermApp) -> None:
        self._app = app
        self._turn = asyncio.Lock()

    async def select(self, title: str, options: Sequence[str], *, timeout: float | None = None) -> str | None:
        """One of `options`, or None."""
        choices = [Choice(option, option) for option in options]
        searchable = len(options) > _FEW
        return await self.choose(title, choices, searchable=searchable, timeout=timeout)

    async def choose(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        at: int = 0,
        searchable: bool = True,
        more: AsyncIterator[Sequence[Choice]] | None = None,
        timeout: float | None = None,
    ) -> str | None:
        """The value of one of `choices`, or of those that `more` brings later, or None.

        `at` is the place of the one that is selected at first.
        """
        from pi_term.tui.screens.choose import ChooseScreen

        app = self._app
        return await self._show(
            lambda: ChooseScreen(
                title,
                choices,
                theme=app.theme_colours,
                keys=app.keys,
                at=at,
                searchable=searchable,
                more=more,
                # Before there is a session, people do not expect questions: they type their first prompt.
                pass_on=app.main.editor.post_message if app.main.view is None else None,
            ),
            timeout,
        )

    async def confirm(self, title: str, message: str, *, timeout: float | None = None) -> bool:
        """Whether the person chose yes."""
        choices = [Choice("yes", "Yes"), Choice("no", "No")]
        question = f"{title}\n{message}" if message else title
        return await self.choose(question, choices, searchable=False, timeout=timeout) == "yes"

    async def input(self, title: str, placeholder: str = "", *, timeout: float | None = None) -> str | None:
        """A line of text, or None."""
        from pi_term.tui.screens.ask import AskScreen

        app = self._app
        return await self._show(
            lambda: AskScreen(title, theme=app.theme_colours, keys=app.keys, placeholder=placeholder), timeout
        )

    async def editor(self, title: str, prefill: str = "") -> str | None:
        """A text of several lines, or None."""
        from pi_term.tui.screens.ask import AskScreen

        app = self._app
        return await self._show(
            lambda: AskScreen(title, theme=app.theme_colours, keys=app.keys, prefill=prefill), None
        )

    def notify(self, message: str, level: Severity = "info") -> None:
        """A notice in the transcript."""
        self._app.notice(message, level)

    async def custom(self, component: Any) -> Any:
        """Show a `ModalScreen` and return what it is dismissed with."""
        return await self._show(lambda: component, None)

    async def _show(self, make: Callable[[], ModalScreen[T]], timeout: float | None) -> T | None:
        async with self._turn:
            screen = make()
            answer: asyncio.Future[T | None] = asyncio.get_running_loop().create_future()

            def dismissed(result: T | None) -> None:
                if not answer.done():
                    answer.set_result(result)

            await self._app.push_screen(screen, dismissed)
            try:
                async with asyncio.timeout(timeout):
                    return await answer
            except TimeoutError:
                if screen.is_current:
                    screen.dismiss(None)
                return None
