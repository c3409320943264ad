"""`--list-models`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pi_term.ai.catalog.registry import ModelRegistry
from pi_term.ai.catalog.search import search_models
from pi_term.ai.models import Model
from pi_term.base.paths import AppPaths
from pi_term.base.sanitize import sanitize_line
from pi_term.cli.options import Arguments
from pi_term.coding.credentials import FileCredentialStore

if TYPE_CHECKING:
    from pi_term.ai.catalog.local import LocalServer

_HEAD = ("provider", "model", "context", "max-out", "thinking", "images")


def model_list(args: Arguments, paths: AppPaths) -> str:
    """The models whose provider has a key, one a line; messages of the command line narrow the list.

    With `--local`, those of the model servers that run on this machine are there too.
    """
    store = FileCredentialStore(paths.auth_file)
    registry = ModelRegistry(paths.models_file, credentials=store, demo=args.demo)
    store.refresh()
    servers = _local_servers() if args.local else []
    for server in servers:
        registry.add_provider(server.id, server.provider_config())
    for finding in (*registry.diagnostics, *store.diagnostics):
        sys.stderr.write(f"pi-term: {sanitize_line(finding.text())}\n")
    if args.local and not servers:
        sys.stderr.write("pi-term: No model server answers on this machine.\n")
    available = registry.available()
    if not available:
        return (
            "No model is set up. Store a key with pi-term auth login, describe models in "
            f"{paths.models_file}, or try --demo."
        )
    query = " ".join(args.messages)
    found = search_models(available, query)
    return _table(found) if found else sanitize_line(f'No model matches "{query}".')


def _local_servers() -> list[LocalServer]:
    import asyncio

    from pi_term.ai.catalog.local import find_local_servers

    return asyncio.run(find_local_servers())


def _table(models: Iterable[Model]) -> str:
    rows = [_HEAD, *sorted(_row(model) for model in models)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    return "\n".join(_line(row, widths) for row in rows)


def _row(model: Model) -> tuple[str, ...]:
    thinks = "yes" if model.reasoning else "no"
    images = "yes" if "image" in model.input else "no"
    names = (sanitize_line(model.provider), sanitize_line(model.id))
    return (*names, _size(model.context_window), _size(model.max_tokens), thinks, images)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _size(tokens: int) -> str:
    """A count of tokens for people: `4.1K`, `200K`, `1M`; with a fraction where it is rounded."""
    for unit, letter in ((1_000_000, "M"), (1_000, "K")):
        if tokens >= unit:
            return f"{tokens / unit:.0f}{letter}" if tokens % unit == 0 else f"{tokens / unit:.1f}{letter}"
    return str(tokens)
