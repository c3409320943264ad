"""Questions on the screen, one at a time, however many come together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from textual.screen import Screen

from pi_term.base.errors import PiTermError
from pi_term.tui.choices import Choice

if TYPE_CHECKING:
    from pi_term.ai.messages import ImageContent
    from pi_term.base.diagnostics import Severity
    from pi_term.tui.app import PiTermApp

T = TypeVar("T")
_FEW = 8  # options that need no search
_LOOK_AGAIN = 0.1  # seconds, while another screen is in the way


class TuiBridge:
    """A `UiBridge` over dialogs. Each closes with Escape and gives the focus back to the editor.

    This one is for what people ask for themselves: it comes up at once. What the core asks goes through
    `unasked`.
    """

    def __init__(self, app: PiTermApp) -> None:
        self._app = app
        self._turn = asyncio.Lock()
        self._line = asyncio.Lock()  # of the questions that wait for a moment: the first one has it

    @property
    def unasked(self) -> TuiBridge:
        """The bridge for questions that people do not expect; both wait for each other."""
        return _PatientBridge(self._app, self._turn, self._line)

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
            title,
            lambda: ChooseScreen(
                title,
                choices,
                theme=app.theme_colours,
                keys=app.keys,
                at=at,
                searchable=searchable,
                more=more,
                timeout=timeout,
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
            title,
            lambda: AskScreen(
                title, theme=app.theme_colours, keys=app.keys, placeholder=placeholder, timeout=timeout
            ),
            timeout,
        )

    async def editor(self, title: str, prefill: str = "") -> str | None:
        """A text of several lines, or None."""
        from pi_term.tui.screens.ask import AskScreen

        app = self._app
        return await self._show(
            title, lambda: AskScreen(title, theme=app.theme_colours, keys=app.keys, prefill=prefill)
        )

    async def rewrite(self, title: str, prompt: str) -> tuple[str, list[ImageContent] | None] | None:
        """A prompt, written anew, with its images, or None; like any that is sent it enters the history.

        The images are None where the editor did not know them: then they stay what they were.
        """
        from pi_term.tui.screens.ask import AskScreen

        app = self._app
        screen = AskScreen(title, theme=app.theme_colours, keys=app.keys, prefill=prompt, history=app.history)
        text = await self._show(title, lambda: screen)
        if text is None:
            return None
        return text, screen.images if screen.shows_images or screen.images else None

    def notify(self, message: str, level: Severity = "info") -> None:
        """A notice in the transcript."""
        self._app.notice(message, level)

    async def custom(self, component: Any, title: str = "") -> Any:
        """Show a Textual screen and return what it is dismissed with; Escape closes any.

        `component` may be a function that makes the screen when it is its turn; `title` is what it asks.
        """

        def make() -> Screen[Any]:
            screen = component if isinstance(component, Screen) else component()
            if not isinstance(screen, Screen):
                what = type(screen).__name__
                raise PiTermError("ui", f"{what} cannot be shown.", "Give a textual.screen.Screen.")
            return screen

        return await self._show(title, make)

    async def _show(
        self, title: str, make: Callable[[], Screen[T]], timeout: float | None = None
    ) -> T | None:
        async with self._turn:
            return await self._ask(make(), timeout)

    async def _ask(self, screen: Screen[T], timeout: float | None) -> T | None:
        """Show the screen until it is dismissed, the time is over, or nobody waits for it any more."""
        answer: asyncio.Future[T | None] = asyncio.get_running_loop().create_future()
        closed = False

        def dismissed(result: T | None) -> None:
            nonlocal closed
            closed = True
            if not answer.done():
                answer.set_result(result)

        # Not awaited: it may be closed before all of it is mounted, and who waited for that would wait on.
        self._app.push_screen(screen, dismissed)
        self._app.opening.end()
        try:
            async with asyncio.timeout(timeout):
                return await answer
        except TimeoutError:
            return None
        finally:
            if not closed:
                await self._take_away(screen)

    async def _take_away(self, screen: Screen[T]) -> None:
        """Close a screen that is not wanted any more, as soon as nothing lies on top of it."""
        app = self._app
        while screen in app.screen_stack:
            if screen.is_current:
                screen.dismiss(None)
                return
            await asyncio.sleep(_LOOK_AGAIN)


class _PatientBridge(TuiBridge):
    """Asks when the person has paused, and when nothing lies over the transcript."""

    def __init__(self, app: PiTermApp, turn: asyncio.Lock, line: asyncio.Lock) -> None:
        super().__init__(app)
        self._turn, self._line = turn, line

    async def _show(
        self, title: str, make: Callable[[], Screen[T]], timeout: float | None = None
    ) -> T | None:
        app = self._app
        async with self._line:
            await self._my_turn()
            try:
                screen = make()
                early = app.main.view is None
                with app.attention.question(letters_are_text=early), app.presence.asking(title):
                    return await self._ask(screen, timeout)
            finally:
                self._turn.release()

    async def _my_turn(self) -> None:
        """Take the turn at a moment in which a question may come up."""
        app = self._app
        waits = not self._may_ask()
        while True:
            if not self._may_ask():
                app.main.status.note("A question waits for a pause.")
            while not self._may_ask():
                await app.attention.pause()
                await asyncio.sleep(0 if self._may_ask() else _LOOK_AGAIN)
            await self._turn.acquire()
            if self._may_ask():
                break
            self._turn.release()
        if waits:
            app.main.status.note("")

    def _may_ask(self) -> bool:
        app = self._app
        early = app.main.view is None  # then letters go on being text
        return (early or app.attention.paused) and app.screen is app.main
