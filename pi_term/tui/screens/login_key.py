"""Asking for a key, which is shown nowhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen

from pi_term.base.errors import PiTermError
from pi_term.render.line import Line
from pi_term.render.theme import Theme
from pi_term.tui.background import run_in_background
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.keymap.table import KeyTable
from pi_term.tui.screens.overlay import Overlay
from pi_term.tui.text import Span, ends, line_of
from pi_term.tui.widgets.rows import Rows

_CONTEXTS = ("select", "editor", "app")
_SHORTER = frozenset(("tui.editor.deleteCharBackward",))
_EMPTY = frozenset(("tui.editor.deleteToLineStart", "tui.editor.deleteWordBackward"))
_TAKE = frozenset(("tui.select.confirm", "tui.input.submit"))
_CLOSE = frozenset(("tui.select.cancel", "app.interrupt", "app.clear"))
_MOST_DOTS = 40


class KeyScreen(Overlay[bool], ModalScreen[bool]):
    """Takes a key; dismissed with whether it was stored.

    `refusal_of` tells why a key is refused, None where nothing speaks against it: then, or when it is sent
    once more in spite of that, `store` stores it. What `store` raises is shown, as long as it is a
    `PiTermError`.
    """

    BINDINGS = []
    DEFAULT_CSS = "KeyScreen { align: left bottom; background: transparent; }"

    def __init__(
        self,
        who: str,
        refusal_of: Callable[[str], Awaitable[str | None]],
        store: Callable[[str], Awaitable[None]],
        *,
        theme: Theme,
        keys: KeyTable,
    ) -> None:
        """`who` is the provider's name."""
        super().__init__()
        self._who = who
        self._refusal_of = refusal_of
        self._store = store
        self._theme = theme
        self._keys = KeyResolver(keys)
        self._key = ""
        self._refused = ""  # the key that was
        self._problem = ""
        self._asking = False

    def compose(self) -> ComposeResult:
        yield Rows(id="choose")

    def on_mount(self) -> None:
        self._paint()

    def on_resize(self) -> None:
        self._paint()

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        found = self._keys.resolve(_CONTEXTS, event.key)
        action = found.action_id if isinstance(found, Match) else ""
        if action in _CLOSE:
            self.dismiss(False)
        elif self._asking:
            return  # the key that is being looked at stays as it is
        elif action in _TAKE:
            self._take()
        elif action in _SHORTER:
            self._change(self._key[:-1])
        elif action in _EMPTY:
            self._change("")
        elif event.character and event.is_printable:
            self._change(self._key + event.character)

    def on_paste(self, event: events.Paste) -> None:
        """A key has no white space; what was copied from a wrapped line may."""
        event.stop()
        if not self._asking:
            self._change(self._key + "".join(event.text.split()))

    def _change(self, key: str) -> None:
        self._key, self._problem = key, ""
        self._paint()

    def _take(self) -> None:
        if self._key:
            self._asking, self._problem = True, ""
            self._paint()
            run_in_background(self, self._look_at_it, "key")

    async def _look_at_it(self) -> None:
        key = self._key
        try:
            refusal = None if key == self._refused else await self._refusal_of(key)
            if refusal is None:
                await self._store(key)
                self.dismiss(True)
                return
            self._refused, self._problem = key, refusal
        except PiTermError as error:
            self._problem = error.text()
        finally:
            self._asking = False
        self._paint()

    def _paint(self) -> None:
        self.query_one(Rows).show(self._rows(max(20, self.app.size.width)))

    def _rows(self, width: int) -> list[Line]:
        theme = self._theme
        rule = line_of(("─" * width, theme.style("borderAccent")))
        dots = "•" * min(len(self._key), _MOST_DOTS)
        count = f"  {len(self._key)} characters" if self._key else ""
        typed: list[Span] = [
            ("> ", theme.style("muted")),
            (f"{dots}▏", theme.style("text")),
            (count, theme.style("dim")),
        ]
        title = ends([(f"API key of {self._who}", theme.style("accent", bold=True))], [], width)
        rows = [rule, title, ends(typed, [], width)]
        if self._problem:
            rows.append(ends([(self._problem, theme.style("error"))], [], width))
        return [*rows, ends([(self._hint(), theme.style("dim"))], [], width), rule]

    def _hint(self) -> str:
        if self._asking:
            return f"asking {self._who} whether it knows this key… · esc closes"
        if self._problem and self._key == self._refused:
            another = self._keys.hint("tui.editor.deleteToLineStart")
            return f"enter stores it all the same · {another} for another · esc closes"
        return "enter stores it · esc closes · what you paste or type is not shown"
