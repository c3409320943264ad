"""B-081: standard output holds records of the protocol and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOISE = """
import os, subprocess, sys, warnings
from pi_term.coding import harness

class Noisy(harness.Harness):
    def new_file(self, *args, **more):
        print("a print of an extension")
        sys.stdout.write("without an end")
        os.write(1, b"straight to the descriptor\\n")
        subprocess.run(["echo", "a child's"])
        warnings.warn("a library warns")
        return super().new_file(*args, **more)

from pi_term.coding import startup
startup.Harness = Noisy
from pi_term.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def run(folder: Path, *args: str, commands: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    (folder / "settings.json").write_text('{"theme": 5, "nosuch": 1}')
    return subprocess.run(
        [sys.executable, "-c", NOISE, "--demo", *args],
        input=commands,
        cwd=folder,
        env={"PI_TERM_HOME": str(folder), "HOME": str(folder), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("mode", "commands"),
    [
        (("--mode", "json", "run echo hi"), b""),
        (
            ("--mode", "rpc"),
            b'{"type":"get_state"}\n{"type":"new_session"}\n{"type":"bash","command":"echo x"}\n',
        ),
    ],
)
def test_every_line_is_a_record(tmp_path: Path, mode: tuple[str, ...], commands: bytes) -> None:
    done = run(tmp_path, *mode, commands=commands)

    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(b"\n")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(isinstance(record["type"], str) for record in records)
    for noise in (b"a print", b"without an end", b"straight to", b"a child's", b"a library warns", b"theme"):
        assert noise in done.stderr


def test_neither_mode_loads_what_draws(tmp_path: Path) -> None:
    program = (
        "import sys; from pi_term.cli.main import main; code = main(sys.argv[1:]);"
        "drawn = {'textual', 'rich', 'pygments', 'prompt_toolkit'} & set(sys.modules);"
        "sys.exit(f'{drawn}' if drawn else code)"
    )
    for args in (["--mode", "rpc"], ["--mode", "json", "hi"], ["-p", "hi"]):
        done = subprocess.run(
            [sys.executable, "-c", program, "--demo", *args],
            stdin=subprocess.DEVNULL,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
