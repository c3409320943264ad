from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_term.render.blocks import shell, tool
from pi_term.testing.snapshots import svg_folder
from pi_term.tui.widgets import status

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def picture(snapshot: Any) -> Any:
    """Compares a picture with the one in `snapshots/`."""
    return snapshot.use_extension(svg_folder(ROOT / "snapshots"))


@pytest.fixture
def still(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in that looks the same everywhere, and a spinner that does not turn.

    However slow the machine, no command took long enough for its time to be told.
    """
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(status, "_INTERVAL", 3600)
    for block in (shell, tool):
        monkeypatch.setattr(block, "_SHORTEST", 3600)
    return tmp_path
