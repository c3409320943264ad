from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "sdk" / "rpc_client.py"


def test_a_task_in_a_process_of_its_own(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), "run sleep 0.5; echo from the example"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert "[bash {'command': 'sleep 0.5; echo from the example'}]" in done.stdout
    assert "[bash {'command': 'echo steered'}]" in done.stdout
    assert "[2 tool calls," in done.stdout.splitlines()[-1]
    assert done.stderr == ""
