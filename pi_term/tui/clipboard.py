"""Copying: through the terminal (OSC 52), and with the system's own tool where there is one."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pi_term.base.log import log
from pi_term.tui.background import run_in_background

if TYPE_CHECKING:
    from textual.app import App

MOST_FOR_TERMINAL = 500_000
"""Characters beyond which a terminal is not asked: it would ignore them, or be busy for seconds."""
MOST = 20_000_000
"""Characters beyond which nothing is copied."""
PATIENCE = 3.0
"""Seconds a tool may take to read the text."""

_TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("WSL_DISTRO_NAME", ("clip.exe",)),
)
"""A variable that tells that a tool can work, and how it is called; the text goes to its input."""


def copy_text(app: App[Any], text: str) -> bool:
    """Copy a text; returns at once. False when it is too long for any clipboard."""
    if len(text) > MOST:
        return False
    if len(text) <= MOST_FOR_TERMINAL:
        app.copy_to_clipboard(text)
    commands = tools()
    if commands:

        async def give() -> None:
            for command in commands:
                await feed(command, text)

        run_in_background(app, give, "clipboard")
    return bool(commands) or len(text) <= MOST_FOR_TERMINAL


def tools(
    environ: Mapping[str, str] = os.environ,
    which: Callable[[str], str | None] = shutil.which,
    platform: str = sys.platform,
) -> list[tuple[str, ...]]:
    """The commands that take a text for the clipboard: that of the system, and that of tmux, which passes
    on what the terminal around it is to copy."""
    found: list[tuple[str, ...]] = []
    if environ.get("TMUX") and which("tmux"):
        found.append(("tmux", "load-buffer", "-w", "-"))
    candidates = [command for variable, command in _TOOLS if environ.get(variable)]
    if platform == "darwin":
        candidates.insert(0, ("pbcopy",))
    return [*found, *[command for command in candidates if which(command[0])][:1]]


async def feed(command: Sequence[str], text: str, patience: float = PATIENCE) -> bool:
    """Give a text to a command; whether it took it. One that hangs is ended."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True
        )
    except OSError as error:
        log.info("no %s: %s", command[0], error)
        return False
    try:
        await asyncio.wait_for(process.communicate(text.encode("utf-8", "replace")), patience)
    except TimeoutError:
        log.info("%s did not end", command[0])
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return process.returncode == 0
