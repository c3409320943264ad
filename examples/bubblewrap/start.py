"""pi-term whose tools, and whose user's `!commands`, work in a bubblewrap sandbox.

    cd FOLDER; python examples/bubblewrap/start.py [--network] [pi-term's own options]

The program, its keys, its sessions and its calls of the model are outside; see sandbox.py for what is
inside. The sandbox is around the folder it is started in: a session of another folder finds none of its
files.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from sandbox import Sandbox

from pi_term.cli.main import main


def start(words: list[str]) -> int:
    """Run pi-term; gives its exit code."""
    network = "--network" in words
    words = [word for word in words if word != "--network"]
    with tempfile.TemporaryDirectory(prefix="pi-term-", dir="/var/tmp") as scratch:
        # Full output is written outside and read inside: the folder has the same name on both sides.
        tempfile.tempdir = scratch
        place = Sandbox(Path.cwd(), Path(scratch), [Path(sys.prefix)], [Path(scratch)], network)
        return main(words, place.operations())


if __name__ == "__main__":
    sys.exit(start(sys.argv[1:]))
