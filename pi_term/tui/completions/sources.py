"""All that the prompt editor offers, from one source."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pi_term.tui.background import run_in_background
from pi_term.tui.completions.arguments import arguments_of, resource_commands
from pi_term.tui.completions.files import FileCompletions
from pi_term.tui.completions.listing import FilePlace
from pi_term.tui.completions.slash import SlashCompletions
from pi_term.tui.widgets.editor.completion import Completion, CompletionSource

if TYPE_CHECKING:
    from pi_term.coding.startup import Started
    from pi_term.tui.screens.main import MainScreen


class FirstOf(CompletionSource):
    """Asks several sources; the first that knows the place answers."""

    def __init__(self, sources: Sequence[CompletionSource]) -> None:
        self._sources = sources
        self._asked: CompletionSource | None = None
        for source in sources:
            source.news = partial(self._tell, source)

    @property
    def pending(self) -> bool:
        return self._asked is not None and self._asked.pending

    def complete(self, text: str, cursor: int, *, forced: bool = False) -> Sequence[Completion] | None:
        self._asked = None
        answer: Sequence[Completion] | None = None
        for source in self._sources:
            # The others are asked too: they stop looking for what is not wanted any more.
            found = source.complete(text, cursor, forced=forced and self._asked is None)
            if self._asked is None and (found is not None or source.pending):
                self._asked, answer = source, found
        return answer

    def finish(self) -> None:
        if self._asked is not None:
            self._asked.finish()

    def taken(self, offer: Completion) -> None:
        if self._asked is not None:
            self._asked.taken(offer)

    def hint(self, text: str) -> str:
        return next((hint for source in self._sources if (hint := source.hint(text))), "")

    def _tell(self, source: CompletionSource) -> None:
        if self.news is not None and source is self._asked:
            self.news()


def prompt_completions(screen: MainScreen, started: Started) -> CompletionSource:
    """What the editor of the main screen offers: commands, what may follow them, and files."""

    def place() -> FilePlace:
        from pi_term.coding.settings import schema

        where = started.session.harness.command_place()
        chosen = started.settings.get(schema.RIPGREP_PATH)
        return FilePlace(str(where.cwd), where.operations, chosen)

    def prompts() -> list[str]:
        return [draft.text for draft in screen.editor.history.entries]

    def spawn(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        run_in_background(screen, work, "completions")

    commands = SlashCompletions(spawn, partial(resource_commands, started), arguments_of(started))
    return FirstOf([commands, FileCompletions(place, spawn, prompts)])
