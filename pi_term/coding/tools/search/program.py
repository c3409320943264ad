"""Running ripgrep wherever the operations of the tools are."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from pi_term.agent.tools import ToolError
from pi_term.base.abort import AbortController, AbortSignal
from pi_term.base.dataclass import dataclass
from pi_term.coding.tools.operations import Command, Operations
from pi_term.coding.tools.paths import expand_home

PROGRAM = "rg"
_NOT_FOUND = (126, 127)
_LOG_BYTES = 256 * 1024

# A .gitignore counts in every folder, but one above a repository does not reach into it.
_BEGIN = """program=$1
command -v "$program" >/dev/null 2>&1 || program=$2
shift 2
outside=--no-require-git
folder=
cd -P . && folder=$PWD
while :; do
    [ -e "$folder/.git" ] && outside= && break
    [ -n "$folder" ] || break
    folder=${folder%/*}
done
"""
_SEARCH = '"$program" ${outside:+"$outside"} "$@"'


def _with_log(output: str) -> str:
    """The script that prints the log after the output, parted by a NUL: the two may not be mixed."""
    run = f'{_SEARCH} 2>&1 >{output} 3>&-; echo " $?"'
    log = f"$({{ {run}; }} | {{ head -c {_LOG_BYTES}; tail -c 5; }} 3>&-)"
    return f"{_BEGIN}exec 3>&1\nlog={log}\nprintf '\\0%s' \"$log\"\n"


Wanted: TypeAlias = Literal["output", "output and log", "log"]
_SCRIPTS: dict[Wanted, str] = {
    "output": f"{_BEGIN}exec {_SEARCH} 2>/dev/null",
    "output and log": _with_log("&3"),
    "log": _with_log("/dev/null"),
}

_OPTIONS = (
    "--no-config",
    "--no-ignore-messages",
    "--hidden",
    "--no-mmap",
    "--color=never",
)


def installed_program() -> str:
    """The ripgrep that came with this program, else the name under which the system may have one."""
    import sysconfig

    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        path = os.path.join(sysconfig.get_path("scripts", scheme), PROGRAM)
        if os.access(path, os.X_OK):
            return path
    return PROGRAM


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """Ripgrep in the folder `folder`. `chosen`: the program that the user wants for it."""

    operations: Operations
    folder: str
    signal: AbortSignal
    chosen: str | None = None

    async def run(
        self,
        arguments: Sequence[str],
        on_output: Callable[[bytes], None],
        stop: AbortController | None = None,
        wanted: Wanted = "output",
    ) -> bool:
        """Run it to its end, or until `stop`; False if it was stopped.

        The log is a NUL, what it printed as errors (at most 256 KB), a space and the exit code. Raises
        `ToolError` when it cannot be run, `AbortError` when nobody wants it any more.
        """
        if self.chosen:
            first = second = await expand_home(self.chosen, self.operations)
        else:
            first, second = installed_program(), PROGRAM
        shell = ["sh", "-c", _SCRIPTS[wanted], "sh", first, second]
        command = Command([*shell, *_OPTIONS, *arguments], self.folder, {"RIPGREP_CONFIG_PATH": ""})
        stop = stop or AbortController()
        stop_listening = self.signal.add_callback(stop.abort)
        try:
            exit_ = await self.operations.run(command, on_output, stop.signal)
        except OSError as error:
            raise ToolError(f"Cannot search {self.folder}: {error.strerror or error}.") from error
        finally:
            stop_listening()
        self.signal.raise_if_aborted()
        if exit_.code in _NOT_FOUND:
            raise no_program(self.chosen)
        return exit_.code is not None


def no_program(chosen: str | None) -> ToolError:
    """What to say when there is no ripgrep."""
    if chosen:
        return ToolError(f"The program that the setting ripgrepPath names cannot be run: {chosen}")
    return ToolError("Searching needs ripgrep (rg), which is not installed where the tools work.")
