"""The pages on JSON and RPC mode name what there is, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from pi_term.headless.event_json import _FIELDS
from pi_term.headless.rpc.commands import all_commands

DOCS = Path(__file__).parent.parent.parent / "docs"


def first_cells(page: str, heading: str) -> set[str]:
    """The names in the first column of the table below a heading."""
    section = re.split(r"^#+ ", (DOCS / page).read_text(), flags=re.MULTILINE)
    [text] = [part for part in section if part.startswith(f"{heading}\n")]
    cells = re.findall(r"^\| (`[^|]*`) \|", text, flags=re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_every_command_is_described() -> None:
    assert first_cells("rpc.md", "Commands") == set(all_commands())


def test_every_event_is_described() -> None:
    assert first_cells("json.md", "Events") == {kind.type for kind in _FIELDS}
