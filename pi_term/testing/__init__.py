"""For tests of pi-term, its extensions and themes: scripted models, sessions, the app and terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.testing.chaos_server import (
        ChaosRequest,
        ChaosServer,
    )
    from pi_term.testing.clock import (
        run_in_virtual_time,
    )
    from pi_term.testing.scripted import (
        Call,
        Fail,
        Reply,
        Say,
        ScriptedModel,
        Think,
        Wait,
        until,
    )
    from pi_term.testing.sessions import (
        scripted_session,
        start_scripted,
    )
    from pi_term.testing.terminal import (
        TerminalProgram,
    )

__all__ = [
    "Call",
    "ChaosRequest",
    "ChaosServer",
    "Fail",
    "Reply",
    "Say",
    "ScriptedModel",
    "TerminalProgram",
    "Think",
    "Wait",
    "run_in_virtual_time",
    "scripted_session",
    "start_scripted",
    "until",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "chaos_server": ("ChaosRequest", "ChaosServer"),
        "clock": ("run_in_virtual_time",),
        "scripted": ("Call", "Fail", "Reply", "Say", "ScriptedModel", "Think", "Wait", "until"),
        "sessions": ("scripted_session", "start_scripted"),
        "terminal": ("TerminalProgram",),
    },
)
