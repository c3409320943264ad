from __future__ import annotations

import inspect
import logging

import pytest

from pi_term.base.log import log
from pi_term.coding.ui_bridge import NullUi, UiBridge


async def test_every_question_to_nobody_is_dismissed_at_once() -> None:
    ui: UiBridge = NullUi()
    assert await ui.select("Which?", ["a", "b"]) is None
    assert await ui.select("Which?", ["a", "b"], timeout=3600) is None
    assert await ui.confirm("Sure?", "It cannot be undone.", timeout=3600) is False
    assert await ui.input("Name?", "placeholder", timeout=3600) is None
    assert await ui.editor("Text?", "prefill") is None
    assert await ui.custom(object()) is None


@pytest.mark.parametrize("level", ["info", "warning", "error"])
def test_notices_go_to_the_log_and_nowhere_else(
    level: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    log.addHandler(caplog.handler)
    try:
        with caplog.at_level(logging.INFO, log.name):
            NullUi().notify("half of it 100% [done]", level)  # type: ignore[arg-type]
    finally:
        log.removeHandler(caplog.handler)
    assert f"({level}): half of it 100% [done]" in caplog.text
    assert capfd.readouterr() == ("", "")


def test_nobody_can_be_asked_whatever_somebody_can() -> None:
    asked = [name for name, member in vars(UiBridge).items() if inspect.isfunction(member) and name[0] != "_"]
    assert asked
    for name in asked:
        assert inspect.signature(getattr(NullUi, name)) == inspect.signature(getattr(UiBridge, name))
