"""Looking for an earlier prompt: what is typed narrows a list of them, the newest first."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.tui.widgets.editor.completion import Completion, CompletionSource
from pi_term.tui.widgets.editor.history import PromptHistory
from pi_term.tui.widgets.editor.paste import Draft

_SHOWN = 200
_LABEL = 300  # characters of a prompt that a row may need


class HistorySearch(CompletionSource):
    """Offers the prompts that hold every typed word. The rest waits for the way back."""

    def __init__(
        self, history: PromptHistory, draft: Draft, before: CompletionSource | None, title: str = ""
    ) -> None:
        self.draft = draft
        self.title = title
        self.before = before
        self._found: list[Draft] = []
        newest = {each.text: each for each in reversed(history.entries)}
        self._prompts = [(text.casefold(), each) for text, each in newest.items()]

    @property
    def is_empty(self) -> bool:
        """Whether there is no earlier prompt at all."""
        return not self._prompts

    def complete(self, text: str, cursor: int, *, forced: bool = False) -> Sequence[Completion] | None:
        words = text.casefold().split()
        found = (each for low, each in self._prompts if all(word in low for word in words))
        self._found = [each for each, _ in zip(found, range(_SHOWN), strict=False)]
        return [Completion(_label(each.text, words), str(place)) for place, each in enumerate(self._found)]

    def prompt(self, offer: Completion) -> Draft:
        """The prompt that an offer stands for, the cursor behind it."""
        found = self._found[int(offer.insert)]
        return Draft(found.parts, found.length)


def _label(text: str, words: Sequence[str]) -> str:
    """One row of a prompt: from its beginning, or from the line where the first word is."""
    line = next((each for each in text.splitlines() if words and words[0] in each.casefold()), None)
    first = next((each for each in text.splitlines() if each.strip()), "")
    shown = first if line is None or line == first else f"{first[:40]} … {line.strip()}"
    return shown.strip()[:_LABEL]
