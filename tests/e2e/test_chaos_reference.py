"""Long conversations with an independent mock server that fails in many ways, cut short."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.node

SCRIPT = Path(__file__).parent.parent.parent / "benchmarks" / "chaos.py"


def test_a_server_that_fails_at_a_third_of_the_requests_loses_no_turn() -> None:
    if "AIMOCK_BIN" not in os.environ:
        pytest.skip("AIMOCK_BIN is not set: the reference installation is missing")
    path = os.pathsep.join([os.environ["NODE_DIR"], os.environ["PATH"]])
    run = subprocess.run(
        [sys.executable, str(SCRIPT), "--turns", "7"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("nothing lost") == 4
