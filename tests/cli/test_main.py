"""The command as a shell sees it: exit codes, two streams, and no traceback whatever happens."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_term import __version__
from pi_term.cli import main as main_module
from pi_term.cli.main import main
from pi_term.testing import Say, ScriptedModel, TerminalProgram

PROGRAM = [sys.executable, "-m", "pi_term.cli.main"]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


class Shell:
    """Runs the program in a folder; no run may show a traceback."""

    def __init__(self, work: Path) -> None:
        self.work = work

    def run(self, *args: str | bytes, **more: Any) -> subprocess.CompletedProcess[str]:
        return self._checked([*PROGRAM, *args], **more)

    def line(self, command: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """A line of shell in which `$P` is the program."""
        return self._checked(
            ["bash", "-o", "pipefail", "-c", command], env={**os.environ, "P": " ".join(PROGRAM)}, **more
        )

    def _checked(self, argv: list[Any], **more: Any) -> subprocess.CompletedProcess[str]:
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **more}
        done = subprocess.run(
            argv, cwd=self.work, stderr=subprocess.PIPE, encoding="utf-8", timeout=120, check=False, **given
        )
        for mark in ("Traceback", "Exception ignored", "Error:"):
            assert mark not in done.stderr, done.stderr
        return done


@pytest.fixture
def shell(work: Path) -> Shell:
    return Shell(work)


@pytest.fixture
def script(clean_environment: Path) -> Iterator[ScriptedModel]:
    """A scripted model that the program finds in its models.json, with a standard input that is closed."""
    home = clean_environment / "pi-term"
    home.mkdir()
    with ScriptedModel([[Say("The answer.")]]) as script:
        script.install(home)
        yield script


def give_stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def one_line(text: str) -> bool:
    return text.startswith("pi-term: ") and text.endswith("\n") and text.count("\n") == 1


# --- what needs no model


@pytest.mark.parametrize("option", ["--version", "-v"])
def test_the_version(option: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([option]) == 0
    assert capfd.readouterr() == (f"{__version__}\n", "")


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_help(option: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([option, "--list-models", "and more"]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("pi-term: ")
    assert "--list-models" in out
    assert max(map(len, out.splitlines())) <= 120
    assert err == ""


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--unknown"], "Unknown option --unknown"),
        (["--hlep"], "Did you mean --help?"),
        (["-p", "--thinking", "hard", "--demo", "x"], "'hard' is no thinking level"),
        (["-p", "--demo", "--model", "nothing-like-it", "x"], "was not found"),
        (["-p", "--demo", "--session", "0123", "x"], "No session found"),
        (["-p", "--demo"], "There is no prompt."),
        (["-p", "--demo", "", " \n"], "There is no prompt."),
        (["-p", "--no-session", "-c", "x"], "cannot open a session"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_1(
    argv: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, "")
    assert main(argv) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert said in err
    assert one_line(err)


def test_a_complaint_repeats_no_control_codes(shell: Shell) -> None:
    done = shell.run("--x\x1b]0;title\x07\x1b[2Jy")
    assert done.returncode == 1
    assert "--xy" in done.stderr
    assert one_line(done.stderr)
    assert "\x1b" not in done.stderr


def test_without_a_model_there_is_advice(shell: Shell) -> None:
    done = shell.run("-p", "hello")
    assert (done.returncode, done.stdout) == (1, "")
    assert "--demo" in done.stderr
    assert one_line(done.stderr)


def test_the_list_of_models(shell: Shell, clean_environment: Path) -> None:
    home = clean_environment / "pi-term"
    done = shell.run("--list-models")
    assert done.returncode == 0
    assert str(home / "models.json") in done.stdout
    home.mkdir()
    models = [{"id": "tiny", "contextWindow": 8000}, {"id": "big\x1b[2J", "reasoning": True}]
    provider = {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "apiKey": "k", "models": models}
    (home / "models.json").write_text(json.dumps({"providers": {"mine": provider}}))
    done = shell.run("--list-models")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["mine/tiny", "mine/big"]
    assert "8,000" in done.stdout.splitlines()[0]
    assert "thinks" in done.stdout.splitlines()[1]
    assert "\x1b" not in done.stdout
    assert "demo/demo" in shell.run("--list-models", "--demo").stdout


def test_a_folder_that_is_gone_is_told(shell: Shell) -> None:
    done = shell.line("mkdir gone; cd gone; rmdir ../gone; $P --demo -p hi")
    assert done.returncode == 1
    assert "does not exist any more" in done.stderr


# --- prompts


@pytest.mark.parametrize("argv", [["-p", "think"], ["think", "--print"], ["think"]])
def test_print_mode_answers(shell: Shell, argv: list[str]) -> None:
    """Also without `-p`, where there is no terminal."""
    done = shell.run("--demo", *argv)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Done thinking.\n", "")


@pytest.mark.parametrize(
    ("argv", "prompt"),
    [
        (["-p", "--- title: x ---\nand\nmore"], "--- title: x ---\nand\nmore"),
        (["-p", "--", "--help"], "--help"),
        (["-p", "--", "-c"], "-c"),
        (["--print", "-", "--"], "-"),
        (["-p", "  spaces stay  "], "  spaces stay  "),
        (["-p", "日本 [/bold] é"], "日本 [/bold] é"),
    ],
)
def test_a_prompt_reaches_the_model_unchanged(
    script: ScriptedModel,
    argv: list[str],
    prompt: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """B-090."""
    give_stdin(monkeypatch, "")
    assert main([*argv[:1], "--model", script.model.key, *argv[1:]]) == 0
    assert capfd.readouterr() == ("The answer.\n", "")
    assert prompts(script) == [prompt]


def prompts(script: ScriptedModel) -> list[str]:
    """The texts of the user's messages in the last request."""
    users = [message for message in script.contexts[-1].messages if message.role == "user"]
    return [part.text for message in users for part in message.content]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("piped", "messages", "sent"),
    [
        ("\n  the log\n\n", ["what is it? "], ["the logwhat is it? "]),
        ("the log\n", [], ["the log"]),
        ("the log\n", [""], ["the log"]),
        ("", ["hello"], ["hello"]),
        (" \n", ["hello"], ["hello"]),
        ("the log: ", ["one", "two"], ["the log:one", "two"]),
        ("--help -c\n", ["--", "-v"], ["--help -c-v"]),
    ],
)
def test_a_piped_input_goes_before_the_first_message(
    script: ScriptedModel,
    piped: str,
    messages: list[str],
    sent: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    script.replies = [[Say("one")], [Say("two")]]
    give_stdin(monkeypatch, piped)
    assert main(["-p", *messages]) == 0
    assert prompts(script) == sent
    assert capfd.readouterr().out == ("two\n" if len(sent) == 2 else "one\n")


@pytest.mark.parametrize("argv", ["-p think", "think"])
def test_a_closed_input_is_not_waited_for(shell: Shell, argv: str) -> None:
    """B-090."""
    done = shell.line(f"$P --demo {argv} <&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Done thinking.\n", "")


@pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
def test_bytes_that_are_no_text_become_replacement_characters(shell: Shell, locale: str) -> None:
    done = shell.line(rf"export LC_ALL={locale}; printf 'a\xff\xfeb' | $P --demo -p")
    assert done.returncode == 0
    assert "“a��b”" in done.stdout


def test_an_argument_that_is_no_text_is_a_prompt_all_the_same(shell: Shell) -> None:
    done = shell.run("--demo", "-p", b"caf\xe9 x")
    assert done.returncode == 0
    assert "“caf" in done.stdout


def test_options_of_this_run_count(
    script: ScriptedModel, work: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script.replies = [[Say("one")], [Say("two")], [Say("three")]]
    monkeypatch.chdir(work)
    give_stdin(monkeypatch, "")
    assert main(["-p", "--session-dir", str(tmp_path / "kept"), "first"]) == 0
    (file,) = (tmp_path / "kept").glob("*.jsonl")
    assert main(["-p", "-c", "--session-dir", str(tmp_path / "kept"), "second"]) == 0
    assert prompts(script) == ["first", "second"]
    assert main(["-p", "--no-session", "third"]) == 0
    assert prompts(script) == ["third"]
    assert list((tmp_path / "kept").glob("*.jsonl")) == [file]
    assert not list(Path(os.environ["PI_TERM_HOME"]).glob("sessions/*/*"))


def test_what_is_wrong_with_a_file_is_told_beside_the_answer(shell: Shell, clean_environment: Path) -> None:
    home = clean_environment / "pi-term"
    home.mkdir()
    (home / "settings.json").write_text('{"theme": 7}')
    done = shell.run("--demo", "-p", "think")
    assert (done.returncode, done.stdout) == (0, "Done thinking.\n")
    assert "settings.json" in done.stderr


def test_a_session_that_cannot_be_kept_is_told_beside_the_answer(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = shell.run("--demo", "-p", "--session-dir", str(tmp_path / "file" / "sessions"), "think")
    assert (done.returncode, done.stdout) == (0, "Done thinking.\n")
    assert "Cannot write the session file" in done.stderr
    assert one_line(done.stderr)


def test_a_failed_answer_is_exit_code_1(shell: Shell, clean_environment: Path) -> None:
    home = clean_environment / "pi-term"
    home.mkdir()
    provider = {
        "baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "apiKey": "k", "models": [{"id": "m"}]
    }  # fmt: skip
    (home / "models.json").write_text(json.dumps({"providers": {"mine": provider}}))
    done = shell.run("-p", "hello")
    assert (done.returncode, done.stdout) == (1, "")
    assert one_line(done.stderr)


# --- outputs that do not work


@pytest.mark.parametrize("argv", ["--help", "--version", "--demo --list-models", "--demo -p think"])
def test_a_broken_pipe_ends_quietly(shell: Shell, argv: str) -> None:
    """B-089."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = shell.run(*argv.split(), stdout=write)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("argv", ["--help", "--demo -p think"])
def test_a_full_disk_is_one_line(shell: Shell, argv: str) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    done = shell.line(f"$P {argv} >/dev/full")
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert one_line(done.stderr)


@pytest.mark.parametrize("argv", ["--version", "--help", "--demo -p think"])
def test_closed_streams_do_no_harm(shell: Shell, argv: str) -> None:
    assert shell.line(f"$P {argv} 2>&-").stdout
    assert shell.line(f"$P {argv} <&- >&- 2>&-").returncode == 0


def test_a_closed_error_stream_hides_complaints_and_nothing_else(
    shell: Shell, clean_environment: Path
) -> None:
    assert shell.line("$P --unknown 2>&-").returncode == 1
    home = clean_environment / "pi-term"
    home.mkdir()
    (home / "settings.json").write_text('{"theme": 7}')
    done = shell.line("$P --demo -p think 2>&-")
    assert (done.returncode, done.stdout) == (0, "Done thinking.\n")


def test_a_small_alphabet_gets_replacements(shell: Shell) -> None:
    done = shell.line("export PYTHONIOENCODING=ascii; $P --demo -p 'run echo 日本'")
    assert done.returncode == 0
    assert "??" in done.stdout


# --- what nobody expected


def test_an_unexpected_error_is_one_line_and_a_report(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], clean_environment: Path
) -> None:
    def break_down(args: object) -> int:
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr(main_module, "_run", break_down)
    assert main([]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert one_line(err)
    assert "ZeroDivisionError: by zero" in err
    (report,) = (clean_environment / "pi-term" / "crashes").iterdir()
    assert str(report) in err
    assert "in break_down" in report.read_text()
    assert "by\nzero" not in report.read_text()


def test_where_no_report_can_be_written_the_error_is_told_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PI_TERM_HOME", str(tmp_path / "file" / "home"))
    monkeypatch.setattr(main_module, "_run", lambda args: 1 // 0)
    assert main([]) == 1
    assert one_line(capfd.readouterr().err)


def test_a_home_that_cannot_be_written_is_told(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = shell.line(f"export PI_TERM_HOME={tmp_path}/file/home; $P --debug --demo -p hello")
    assert done.returncode == 1
    assert one_line(done.stderr)


def test_an_interrupt_while_the_input_is_read_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nobody has typed the end of the input yet: there is no run that could be aborted."""

    class Interrupted(io.StringIO):
        def read(self, size: int | None = -1) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    try:
        assert main(["-p", "--demo"]) == 130
    except KeyboardInterrupt:
        pytest.fail("the interrupt came through")
    assert capfd.readouterr() == ("", "")


# --- on a terminal


def on_terminal(work: Path, *args: str) -> TerminalProgram:
    return TerminalProgram([*PROGRAM, *args], cwd=work, env=dict(os.environ))


def test_with_a_terminal_and_print_the_answer_is_printed(work: Path) -> None:
    with on_terminal(work, "--demo", "-p", "think") as terminal:
        assert terminal.wait_exit() == 0
        assert terminal.text().strip() == "Done thinking."
        assert b"\x1b" not in terminal.output


def test_control_codes_in_an_answer_do_not_reach_the_terminal(work: Path) -> None:
    """B-052."""
    (work / "evil.txt").write_text("a\x1b]0;title\x07\x1b[2J\x9d0;x\x9cb\n")
    with on_terminal(work, "--demo", "-p", "read evil.txt") as terminal:
        assert terminal.wait_exit() == 0
        assert b"\x1b" not in terminal.output
        assert "ab" in terminal.text()
