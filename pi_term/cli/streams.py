"""The three standard streams, which a caller may have closed, cut off or set to a small alphabet."""

from __future__ import annotations

import io
import os
import sys


def mend_streams() -> None:
    """Put the null device where a stream was closed; replace what the streams' encoding cannot say.

    A closed stream would else get the number of the next file that is opened. Writing to an output that was
    closed fails, as it would for any program: what was asked for is not there.
    """
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115 - it stays open like any standard stream
    sys.stdout = sys.stdout or open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def silence_stdout() -> None:
    """Throw away what could not be written: Python would try, and complain, once more at its exit."""
    if sys.stdout is sys.stderr:  # the output belongs to a protocol
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
