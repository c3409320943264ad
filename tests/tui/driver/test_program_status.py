"""The state of the program, for terminals and dashboards that ask for it."""

from __future__ import annotations

import pytest

from pi_term.tui.driver.parser import InputParser
from pi_term.tui.driver.program_status import ProgramStatus
from pi_term.tui.driver.reports import ProgramStatusHeard

QUERY = "\x1b]7501;?\x1b\\"
TEA = "\x1b]7501;state=working:app=pi-term:msg=dGVh\x1b\\"


def test_nothing_is_reported_before_the_terminal_has_answered() -> None:
    status = ProgramStatus({"TERM": "xterm"})
    assert status.enter() == QUERY
    assert status.tell("working", "tea") == ""
    assert status.leave() == ""
    assert status.enter() == ""
    assert status.answered() == TEA
    assert status.answered() == ""
    assert status.tell("working", "tea") == ""
    assert status.tell("idle", "") == "\x1b]7501;state=idle:app=pi-term\x1b\\"
    assert status.leave() == "\x1b]7501;state=clear\x1b\\"


@pytest.mark.parametrize(("wish", "told"), [("1", TEA), ("0", "")])
def test_the_variable_decides(wish: str, told: str) -> None:
    status = ProgramStatus({"TERM": "xterm", "PI_PROGRAM_STATUS": wish})
    assert status.enter() == ""
    assert status.tell("working", "tea") == told


@pytest.mark.parametrize("answer", [b"\x1b]7501;1\x1b\\", b"\x1b]7501;ok\x07"])
def test_an_answer_is_heard_and_not_typed(answer: bytes) -> None:
    (message,) = InputParser().feed(answer, 0.0)
    assert isinstance(message, ProgramStatusHeard)
