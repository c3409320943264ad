from __future__ import annotations

import pytest

from pi_term.tui.driver.modes import misreads_modify_other_keys


@pytest.mark.parametrize(
    ("environ", "misreads"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "linux"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, True),
        ({}, False),
    ],
)
def test_terminals_that_take_the_request_for_a_style_do_not_get_it(
    environ: dict[str, str], misreads: bool
) -> None:
    assert misreads_modify_other_keys(environ) is misreads
