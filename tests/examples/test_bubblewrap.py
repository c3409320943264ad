from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "bubblewrap" / "sandbox.py"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_command_in_the_sandbox(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLE), str(tmp_path), "pwd; echo x > new; ls /home 2>&1; exit 3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.stdout.startswith("bwrap: "):
        pytest.skip(f"bubblewrap does not run here: {done.stdout}")
    assert done.stdout.splitlines()[0] == str(tmp_path)
    assert "No such file" in done.stdout
    assert done.returncode == 3
    assert (tmp_path / "new").read_text() == "x\n"
