"""The standard streams of a process that speaks a protocol over them."""

from __future__ import annotations

import os
import sys
from functools import cache

_INPUT, _OUTPUT, _ERRORS = 0, 1, 2


@cache
def claim_output() -> int:
    """Keep standard output for the protocol; returns the descriptor to write records to.

    What anything else prints from now on, in this process or a child, goes to standard error. A second
    call returns the same.
    """
    sys.stdout.flush()
    descriptor = os.dup(_OUTPUT)
    os.dup2(_ERRORS, _OUTPUT)
    sys.stdout = sys.stderr
    return descriptor


@cache
def claim_input() -> int:
    """Keep standard input for the protocol; returns the descriptor to read records from.

    Anything else, in this process or a child, finds it empty. A second call returns the same.
    """
    descriptor = os.dup(_INPUT)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, _INPUT)
    os.close(null)
    return descriptor
