"""`pi-term import-pi [DIR]`: taking over what somebody has in Pi."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.base.sanitize import sanitize_line
from pi_term.coding.pi_import import import_pi, pi_folder

HELP = """\
usage: pi-term import-pi [DIR]

Copies sessions, settings, models, keys, themes, prompts and skills from a folder of Pi's
(PI_CODING_AGENT_DIR, or ~/.pi/agent). Nothing that is here already is changed, and nothing
there. It may be done again."""


def run_import(argv: Sequence[str], paths: AppPaths) -> int:
    """Run the sub-command; returns the exit code. Raises `PiTermError`."""
    if set(argv) & {"--help", "-h"}:
        sys.stdout.write(f"{HELP}\n")
        return 0
    if len(argv) > 1 or any(word.startswith("-") for word in argv):
        raise PiTermError("usage", "import-pi takes one folder.", "See pi-term import-pi --help.")
    folder = Path(os.path.abspath(os.path.expanduser(argv[0]))) if argv else pi_folder(os.environ)
    report = asyncio.run(import_pi(folder, paths))
    sys.stdout.write(f"From {sanitize_line(str(folder))}:\n{report.text()}\n")
    return 0
