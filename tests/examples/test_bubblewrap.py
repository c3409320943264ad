from __future__ import annotations

import ast
import os
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


PROGRAM = """
import os, sys
from pathlib import Path
from pi_term.ai.messages import text_of
from pi_term.testing import Call, Say, ScriptedModel
sys.path.insert(0, sys.argv[1])
from start import start

replies = [[Call("bash", {"command": command})] for command in sys.argv[2:]]
with ScriptedModel([*replies, [Say("done")]]) as script:
    script.install(Path(os.environ["PI_TERM_HOME"]))
    code = start(["--model", script.model.key, "-p", "go"])
for message in script.contexts[-1].messages:
    if message.role == "toolResult":
        print(text_of(message.content).splitlines(), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_the_whole_program_with_its_tools_in_the_sandbox(tmp_path: Path) -> None:
    work, secret, home = tmp_path / "work", tmp_path / "secret", Path(os.environ["PI_TERM_HOME"])
    work.mkdir()
    home.mkdir()
    secret.write_text("outside\n")
    look = f"cat {secret}; env | grep -c KEY; head -1 /var/tmp/pi-term-*/pi-term-bash-*.log"
    command = [sys.executable, "-c", PROGRAM, str(EXAMPLE.parent), "seq 5000", look]
    env = {**os.environ, "SOME_KEY": "secret"}
    done = subprocess.run(
        command, cwd=work, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    if "bwrap: " in done.stderr:
        pytest.skip(f"bubblewrap does not run here: {done.stderr}")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    said = [ast.literal_eval(line) for line in done.stderr.splitlines()]
    assert said[1][0] == f"cat: {secret}: No such file or directory"
    assert said[1][1:3] == ["0", "1"]  # no keys; the full output is there to be read
