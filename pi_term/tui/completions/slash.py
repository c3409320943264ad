"""Slash commands, prompt templates and skills, and what may follow them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.base.log import log
from pi_term.base.sanitize import sanitize_line
from pi_term.tui.commands import COMMANDS
from pi_term.tui.fuzzy import best_matches
from pi_term.tui.widgets.editor.completion import Completion, CompletionSource

if TYPE_CHECKING:
    from pi_term.tui.completions.listing import Spawn

_FRESH = 2.0  # seconds for which the list of templates and skills is good
_LONG_HINT = 200
_FREE = frozenset(("name",))  # take any text: what is offered must not come in the way of Enter


@dataclass(frozen=True, slots=True)
class Called:
    """Something that is called by `/name`. `argument` tells what may follow: `[this]`, or `<this>` must."""

    name: str
    description: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """One thing that may follow a command."""

    value: str
    description: str = ""


Arguments: TypeAlias = Callable[[str], Sequence[Argument]]
"""What may follow a command and fits what is typed of it, the likeliest first; called for each key."""


class SlashCompletions(CompletionSource):
    """Offers commands while the first word is typed, then what may follow.

    `resources()` lists templates and skills; it reads files and is called in a thread. `arguments` tells
    what may follow, by command.
    """

    def __init__(
        self,
        spawn: Spawn | None = None,
        resources: Callable[[], Sequence[Called]] = tuple,
        arguments: Mapping[str, Arguments] | None = None,
    ) -> None:
        self._spawn = spawn
        self._resources = resources
        self._arguments = arguments or {}
        self._called: list[Called] = [Called(each.name, each.description, each.argument) for each in COMMANDS]
        self._built_in = len(self._called)
        self._good_until = 0.0
        self._reading = False

    def complete(self, text: str, cursor: int, *, forced: bool = False) -> Sequence[Completion] | None:
        typed = text[:cursor]
        if not typed.startswith("/"):
            return None
        name, blank, argument = typed[1:].partition(" ")
        if any(char.isspace() for char in name):
            return None
        if blank:
            return None if name in _FREE and not forced else self._following(name, argument, cursor)
        self._refresh()
        names = [each.name for each in self._called]
        order = best_matches(name, names)
        if not any(names[index].startswith(name) for index in order) and os.path.exists(typed):
            return None  # a place on the disk, not what only resembles it
        return [_offer(self._called[index]) for index in order]

    def hint(self, text: str) -> str:
        if not text.startswith("/") or not text.endswith(" ") or text.count(" ") != 1:
            return ""
        found = next((each for each in self._called if each.name == text[1:-1]), None)
        return "" if found is None else sanitize_line(found.argument)[:_LONG_HINT]

    # --- inside

    def _following(self, name: str, typed: str, cursor: int) -> list[Completion] | None:
        offers = self._arguments.get(name)
        if offers is None:
            return None
        start = cursor - len(typed)
        return [
            Completion(each.value, each.value, each.description, start, final=True) for each in offers(typed)
        ]

    def _refresh(self) -> None:
        """Read the list of templates and skills again, beside the keys."""
        if self._spawn is not None and not self._reading and time.monotonic() > self._good_until:
            self._reading = True
            self._spawn(self._read)

    async def _read(self) -> None:
        try:
            found = await asyncio.to_thread(self._resources)
        except (PiTermError, OSError) as error:
            log.warning("cannot list templates and skills: %s", error)
            return
        finally:
            self._reading = False
            self._good_until = time.monotonic() + _FRESH
        own = self._called[: self._built_in]
        names = {each.name for each in own}
        called = [*own, *(each for each in found if each.name not in names)]
        if called != self._called:
            self._called = called
            if self.news is not None:
                self.news()


def _offer(called: Called) -> Completion:
    """Enter sends a command at once, unless something must follow it."""
    name, argument = sanitize_line(called.name), sanitize_line(called.argument)
    label = f"/{name}" + (f" {argument}" if argument else "")
    needs_more = argument.startswith("<")
    insert = f"/{name} " if needs_more else f"/{name}"
    tail = " " if argument and not needs_more else ""
    return Completion(label, insert, called.description, final=not needs_more, tail=tail)
