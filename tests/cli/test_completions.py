"""Completions: what a shell offers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pi_term.base.errors import PiTermError
from pi_term.cli.completions import HELP, completions
from pi_term.cli.options import OPTIONS

SHELLS = ("bash", "zsh", "fish")
MODELS = """{"providers": {"mine": {
"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "apiKey": "k",
"models": [{"id": "one"}, {"id": "$(touch evil)"}]}}}"""


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_one_of_that_shell(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    script = tmp_path / "script"
    script.write_text(completions([shell]))
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_is_offered(shell: str) -> None:
    script = completions([shell])
    for option in OPTIONS:
        for name in option.names:
            assert (name.lstrip("-") if shell == "fish" else name) in script


def complete(words: list[str], tmp_path: Path) -> list[str]:
    """What bash offers for the last of the words."""
    program = tmp_path / "bin" / "pi-term"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m pi_term "$@"\n')
    program.chmod(0o755)
    typed = " ".join(f"'{word}'" for word in ["pi-term", *words])
    script = f"""{completions(["bash"])}
COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _pi_term; printf '%s\\n' "${{COMPREPLY[@]}}" """
    path = f"{program.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["--thi"], ["--thinking"]),
        (["--thinking", "m"], ["minimal", "medium", "max"]),
        (["--mode", ""], ["text", "json", "rpc"]),
        (["hello", "--no-s"], ["--no-session", "--no-skills"]),
        (["-t", "re"], ["read"]),
        (["a"], ["auth"]),
        (["auth", "log"], ["login", "logout"]),
        (["completions", ""], ["bash", "zsh", "fish"]),
        (["--session", "x"], []),
    ],
)
def test_bash_offers_what_fits(words: list[str], offered: list[str], tmp_path: Path) -> None:
    assert complete(words, tmp_path) == offered


def test_models_are_offered_and_never_run(tmp_path: Path, clean_environment: Path) -> None:
    home = clean_environment / "pi-term"
    home.mkdir()
    (home / "models.json").write_text(MODELS)
    assert complete(["--model", ""], tmp_path) == ["mine/one"]
    assert complete(["--provider", ""], tmp_path) == ["mine"]
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("words", [["tcsh"], ["bash", "zsh"]])
def test_other_shells_are_refused(words: list[str]) -> None:
    with pytest.raises(PiTermError, match="one of bash, zsh, fish"):
        completions(words)


def test_how_to_use_them_is_told() -> None:
    assert completions([]) == completions(["--help"]) == HELP
