"""Folders to search, and programs in ripgrep's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.tools import ToolCallContext
from pi_term.coding.tools import ToolContext
from pi_term.coding.tools.search import hidden


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a slow machine, too, find out what ignore files hid."""
    monkeypatch.setattr(hidden, "SECONDS", 60)


@pytest.fixture
def write(bench: Any) -> Callable[..., None]:
    """Makes files in the working folder: names, and their contents."""

    def make(files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path: Path = bench.cwd / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return make


@pytest.fixture
def choose(bench: Any) -> Callable[[str], None]:
    """Sets the program that the user chose for searches."""

    def set_program(program: str) -> None:
        context = bench._context

        def with_program(call: ToolCallContext) -> ToolContext:
            chosen: ToolContext = replace(context(call), ripgrep=program)
            return chosen

        bench._context = with_program

    return set_program
