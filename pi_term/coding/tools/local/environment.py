"""The environment of commands on this machine."""

from __future__ import annotations

from collections.abc import Mapping

MARK = "PI_TERM_COMMAND"
"""Holds another number in every command: it tells whose a daemon is that left session and parents behind."""

_SESSION_VARIABLES = (
    "PI_SESSION_ID",
    "PI_SESSION_FILE",
    "PI_PROVIDER",
    "PI_MODEL",
    "PI_REASONING_LEVEL",
)


def command_environment(own: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """The program's `own` environment, without what an outer session set, and with `extra`."""
    inherited = {name: value for name, value in own.items() if name not in _SESSION_VARIABLES}
    return {**inherited, **extra}
