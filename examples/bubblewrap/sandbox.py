"""pi-term's tools in a bubblewrap sandbox (Debian: `apt install bubblewrap`).

    python examples/bubblewrap/sandbox.py FOLDER COMMAND

runs a command line there, to see what there is inside.

Every file is touched and every command run inside: they see the system's programs read-only, the working
folder writable, an own /tmp, and nothing else: no home folder, no keys in the environment, no other
processes, and no network unless it is let in. The program itself, its sessions and its calls of the model
stay outside.

What is left in the background lives on, but no later command can signal it: each has a process table of
its own.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from command_operations import CommandOperations

from pi_term.base.abort import AbortController
from pi_term.coding.tools import Command
from pi_term.coding.tools.bash.run import CommandPlace, run_command

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc")
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ", "USER")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What there is inside.

    `scratch` becomes /tmp there. `readable` and `writable` are more files and folders, at the same places;
    those that do not exist are left out.
    """

    folder: Path
    scratch: Path
    readable: Sequence[Path] = ()
    writable: Sequence[Path] = ()
    network: bool = False

    def operations(self) -> CommandOperations:
        """The tools' way into the sandbox."""
        return CommandOperations(self.command)

    def command(self, command: Command) -> list[str]:
        """The bwrap command that runs `command` inside."""
        # bwrap itself gets no more than the command: its environment can be read in there.
        outside = ["env", "-i", *_variables(command), "bwrap"]
        return [*outside, *self._walls(), *self._places(), "--chdir", command.cwd, "--", *command.argv]

    def _walls(self) -> list[str]:
        walls = ["--unshare-all", "--proc", "/proc", "--dev", "/dev"]
        return [*walls, "--share-net"] if self.network else walls

    def _places(self) -> list[str]:
        binds = ["--bind", str(self.scratch), "/tmp"]
        for option, paths in (
            ("--ro-bind-try", [*map(Path, _SYSTEM), *self.readable]),
            ("--bind-try", [*self.writable, self.folder]),
        ):
            for path in paths:
                binds += [option, str(path), str(path)]
        return binds


def _variables(command: Command) -> list[str]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    given = {**kept, "HOME": "/tmp", **command.env, "PWD": command.cwd}
    return [f"{name}={value}" for name, value in given.items()]


async def main(folder: Path, command: str) -> int:
    """Run `command` in a sandbox around `folder`; gives its exit code."""
    with tempfile.TemporaryDirectory() as scratch:
        operations = Sandbox(folder, Path(scratch)).operations()
        place = CommandPlace(folder, Path(tempfile.gettempdir()), operations=operations)
        end = await run_command(command, place, AbortController().signal)
    print(end.output.text(), end="")
    return end.exit_code or 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]).resolve(), sys.argv[2])))
