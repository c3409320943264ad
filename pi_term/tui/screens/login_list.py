"""The list to log in from: model servers of this machine, which need no key, stand first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from rich.style import Style

from pi_term.base.dataclass import dataclass
from pi_term.tui.choices import Choice
from pi_term.tui.screens.choose import ChooseScreen

if TYPE_CHECKING:
    from pi_term.ai.catalog.local import LocalServer, ServerKind
    from pi_term.render.theme import Theme
    from pi_term.tui.keymap.table import KeyTable

_NAMES: dict[ServerKind, str] = {
    "llama.cpp": "llama.cpp",
    "lm-studio": "LM Studio",
    "ollama": "Ollama",
    "vllm": "vLLM",
}
_LOOKING = "Looking for model servers on this machine…"
_NONE = f"No model server runs on this machine ({', '.join(_NAMES.values())} are found)."
_FOUND = "What runs on this machine needs no key."


@dataclass(slots=True)
class LocalServers:
    """The model servers of this machine, as far as they were found; they are choices like others."""

    found: dict[str, LocalServer] = field(default_factory=dict)

    async def choices(self) -> AsyncIterator[Sequence[Choice]]:
        """Look for them."""
        from pi_term.ai.catalog.local import find_local_servers
        from pi_term.ai.wire.http import preload

        await asyncio.to_thread(preload)  # takes long enough to be noticed at the keys
        for server in await find_local_servers():
            if server.models:
                self.found[f"server:{server.id}"] = server
        yield [_server_choice(value, server) for value, server in self.found.items()]


def _server_choice(value: str, server: LocalServer) -> Choice:
    count = len(server.models)
    names = ", ".join(model.id for model in server.models[:3]) + (", …" if count > 3 else "")
    label = f"{_NAMES[server.kind]} on this machine"
    return Choice(value, label, names, f"{count} model{'s' if count > 1 else ''}", found_by=server.kind)


class LoginList(ChooseScreen):
    """Servers are looked for while the list is there; whoever has it before them stays where they are."""

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        servers: LocalServers | None,
        *,
        theme: Theme,
        keys: KeyTable,
        searchable: bool = True,
    ) -> None:
        """A `searchable` list tells below its title what became of the search for `servers`."""
        more = None if servers is None else servers.choices()
        self._tells = searchable and more is not None
        super().__init__(
            f"{title}\n{_LOOKING}" if self._tells else title,
            choices,
            theme=theme,
            keys=keys,
            searchable=searchable,
            more=more,
        )

    async def _fill(self) -> None:
        assert self._more is not None
        async for batch in self._more:
            kept = self.selected
            self._choices = [*batch, *self._choices]
            self._search(self._query)
            if kept is not None and not self._query:
                self._at = self._choices.index(kept)
            if self._tells:
                self._title_rows[-1] = _FOUND if batch else _NONE
        self._more = None
        self._paint()

    def _title_style(self, row: int) -> Style:
        return self._theme.style("muted") if row and self._tells else super()._title_style(row)
