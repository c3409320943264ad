"""Which shell runs commands, and in what environment."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pi_term.agent.tools import ToolError
from pi_term.base.text import without_surrogates
from pi_term.coding.tools.definition import ShellSettings

_SESSION_VARIABLES = (
    "PI_SESSION_ID",
    "PI_SESSION_FILE",
    "PI_PROVIDER",
    "PI_MODEL",
    "PI_REASONING_LEVEL",
)
_NO_PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat", "AWS_PAGER": ""}
"""A pager waits for keys that nobody can press."""


def command_environment(own: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """The program's `own` environment for a command, without pagers and outer sessions, and with `extra`."""
    inherited = {name: value for name, value in own.items() if name not in _SESSION_VARIABLES}
    return {**inherited, **_NO_PAGERS, **extra}


def command_line(command: str, settings: ShellSettings) -> list[str]:
    """The program and arguments that run `command`; raises `ToolError` where no shell is to be found."""
    text = without_surrogates(command)
    if settings.command_prefix:
        text = f"{settings.command_prefix}\n{text}"
    return [find_shell(settings), "-c", text]


def find_shell(settings: ShellSettings) -> str:
    """The shell that was set, else bash, else sh."""
    if not settings.path and os.access("/bin/bash", os.X_OK):
        return "/bin/bash"
    import shutil

    if settings.path:
        chosen = os.path.expanduser(settings.path)
        if shutil.which(chosen) is None:
            raise ToolError(f"The shell {settings.path} (setting shellPath) is not there or cannot be run.")
        return chosen
    return shutil.which("bash") or shutil.which("sh") or "/bin/sh"
