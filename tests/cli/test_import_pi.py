"""`pi-term import-pi`: where it looks, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.cli.main import main

SETTINGS = '{"theme": "light", "packages": ["npm:x"]}'


@pytest.fixture
def pi(clean_environment: Path) -> Path:
    """Pi's folder in its usual place."""
    folder = clean_environment / ".pi" / "agent"
    (folder / "prompts").mkdir(parents=True)
    (folder / "settings.json").write_text(SETTINGS)
    (folder / "prompts" / "review.md").write_text("Review.")
    return folder


def test_the_usual_folder_is_taken_over(
    pi: Path, clean_environment: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["import-pi"]) == 0
    out = capfd.readouterr().out
    assert str(pi) in out
    assert "settings  1 taken over (theme)" in out
    assert "left out: packages" in out
    assert "prompts   1 taken over (review.md)" in out
    assert "skills    nothing to take over" in out
    assert (clean_environment / "pi-term" / "prompts" / "review.md").read_text() == "Review."
    assert main(["import-pi"]) == 0
    assert "settings  1 there already" in capfd.readouterr().out


def test_pis_own_variable_and_a_folder_that_is_named_count(
    pi: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    moved = pi.rename(tmp_path / "elsewhere")
    assert main(["import-pi"]) == 1
    assert "There is no folder of Pi's at" in capfd.readouterr().err
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(moved))
    assert main(["import-pi"]) == 0
    monkeypatch.delenv("PI_CODING_AGENT_DIR")
    assert main(["import-pi", str(moved)]) == 0
    assert "1 there already" in capfd.readouterr().out


@pytest.mark.parametrize("words", [["a", "b"], ["--force"]])
def test_anything_else_is_refused(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["import-pi", *words]) == 1
    assert "import-pi takes one folder." in capfd.readouterr().err


def test_the_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["import-pi", "--help"]) == 0
    assert "~/.pi/agent" in capfd.readouterr().out
