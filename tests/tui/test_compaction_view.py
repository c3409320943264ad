"""What rows of compactions are told later."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pi_term.coding.compaction import kept
from pi_term.render.blocks import SummaryBlock
from pi_term.tui import compaction_view


async def test_a_session_that_is_gone_meanwhile_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: object) -> int:
        raise FileNotFoundError

    monkeypatch.setattr(kept, "tokens_after", gone)
    monkeypatch.setattr(compaction_view, "_LATER", 0.0)
    block = SummaryBlock("What was said", tokens_before=10)
    before = block.version
    await compaction_view._estimate(SimpleNamespace(), [(block, SimpleNamespace())])  # type: ignore[arg-type,list-item]
    assert block.version == before
