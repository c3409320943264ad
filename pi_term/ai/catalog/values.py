"""Values of configuration files that stand for something else: `$NAME`, `${NAME}`, `!command`.

Anything else is literal; `$$` and `$!` give `$` and `!`.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Mapping
from contextlib import suppress

from pi_term.base.errors import PiTermError

COMMAND_TIMEOUT = 30.0
"""Seconds a `!command` may take."""

_REFERENCE = re.compile(
    r"\$(?:(?P<mark>[$!])|\{(?P<braced>[A-Za-z_]\w*)\}|(?P<plain>[A-Za-z_]\w*))", re.ASCII
)


def is_command(value: str) -> bool:
    """Whether the value is the output of a command."""
    return value.lstrip().startswith("!")


def is_literal(value: str) -> bool:
    """Whether the value stands for itself."""
    return not is_command(value) and _REFERENCE.search(value) is None


def literal(text: str) -> str:
    """The value that stands for exactly `text`: marks that would name a variable or command are doubled."""
    doubled = text.replace("$", "$$")
    return f"${doubled}" if doubled.startswith("!") else doubled


def missing_names(value: str, env: Mapping[str, str]) -> list[str]:
    """The variables that the value names and `env` does not have (or has empty)."""
    if is_command(value):
        return []
    names = [match["braced"] or match["plain"] for match in _REFERENCE.finditer(value)]
    return [name for name in names if name and not env.get(name, "").strip()]


async def resolve_value(value: str, env: Mapping[str, str]) -> str:
    """What `value` stands for, without white space at its ends.

    Raises `PiTermError("unresolved")`, which shows neither a command nor its output: both may hold secrets.
    """
    if is_command(value):
        return await _output_of(value.lstrip()[1:].strip(), env)
    missing = missing_names(value, env)
    if missing:
        raise PiTermError("unresolved", f"the environment variable {missing[0]} is not set")

    def replacement(match: re.Match[str]) -> str:
        return match["mark"] or env[match["braced"] or match["plain"]]

    return _REFERENCE.sub(replacement, value).strip()


async def _output_of(command: str, env: Mapping[str, str]) -> str:
    process = await asyncio.create_subprocess_shell(
        command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=dict(env),
        start_new_session=True,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), COMMAND_TIMEOUT)
    except TimeoutError:
        raise PiTermError("unresolved", f"its command took over {COMMAND_TIMEOUT:g} s") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode:
        raise PiTermError("unresolved", f"its command ended with code {process.returncode}")
    text = output.decode("utf-8", "replace").strip()
    if not text:
        raise PiTermError("unresolved", "its command printed nothing")
    return text
