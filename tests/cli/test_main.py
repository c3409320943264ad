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
from pi_term.ai.messages import UserMessage
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
        (["-p", "--no-session", "--session", "x", "y"], "exclude each other"),
        (["-p", "--resume", "x"], "asks at the screen"),
        (["-p", "--demo", "@missing.txt", "x"], "missing.txt"),
        (["--mode", "rpc", "@a.txt"], "not supported"),
        (["--export", "missing.jsonl"], "no session file"),
        (["--extension", "x.py"], "no extensions yet"),
        (["install", "x"], "no such command yet"),
        (["completions", "tcsh"], "bash, zsh, fish"),
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


def test_files_go_before_the_first_message(
    script: ScriptedModel, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.replies = [[Say("one")], [Say("two")], [Say("three")]]
    (work / "a.txt").write_text("text of a\n")
    monkeypatch.chdir(work)
    told = f'<file name="{work}/a.txt">\ntext of a\n\n</file>\n'
    give_stdin(monkeypatch, "piped\n")
    assert main(["-p", "explain", "@a.txt", "and then"]) == 0
    assert prompts(script) == [f"piped{told}explain", "and then"]
    give_stdin(monkeypatch, "")
    assert main(["-p", "@a.txt"]) == 0
    assert prompts(script) == [told]


def test_an_image_goes_with_the_first_message(
    script: ScriptedModel, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    Image.new("RGB", (4, 3)).save(work / "pic.png")
    monkeypatch.chdir(work)
    give_stdin(monkeypatch, "")
    assert main(["-p", "@pic.png", "what is it?"]) == 0
    message = script.contexts[-1].messages[-1]
    assert isinstance(message, UserMessage)
    assert [type(part).__name__ for part in message.content] == ["TextContent", "ImageContent"]


def test_templates_and_skills_are_called(
    script: ScriptedModel, clean_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = clean_environment / "pi-term"
    (home / "prompts").mkdir()
    (home / "prompts" / "review.md").write_text("Review: $@")
    script.replies = [[Say("one")], [Say("two")], [Say("three")]]
    give_stdin(monkeypatch, "")
    assert main(["-p", "/review it doesn't", "/unknown x"]) == 0
    assert prompts(script) == ["Review: it doesn't", "/unknown x"]
    give_stdin(monkeypatch, "the diff\n")
    assert main(["-p", "/review speed"]) == 0
    assert prompts(script) == ["the diffReview: speed"]


def test_a_session_of_ones_own_id_and_a_fork_of_it(
    script: ScriptedModel, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    script.replies = [[Say(text)] for text in ("one", "two", "three")]
    give_stdin(monkeypatch, "")
    place = ["--session-dir", str(tmp_path / "kept")]
    assert main(["-p", *place, "--session-id", "my.own-id", "--name", " My  work ", "first"]) == 0
    assert "my.own-id" in capfd.readouterr().err
    assert main(["-p", *place, "--session-id", "my.own-id", "second"]) == 0
    assert capfd.readouterr().err == ""
    assert prompts(script) == ["first", "second"]
    (file,) = (tmp_path / "kept").glob("*_my.own-id.jsonl")
    first = [json.loads(line) for line in file.read_text().splitlines()]
    assert (first[1]["type"], first[1]["name"]) == ("session_info", "My work")

    assert main(["-p", *place, "--fork", "my.own", "--session-id", "copy", "third"]) == 0
    assert prompts(script) == ["first", "second", "third"]
    (copy,) = (tmp_path / "kept").glob("*_copy.jsonl")
    assert json.loads(copy.read_text().splitlines()[0])["parentSession"] == str(file)
    assert [json.loads(line) for line in file.read_text().splitlines()] == first  # it stays as it was
    assert main(["-p", *place, "--fork", "my.own", "--session-id", "copy", "again"]) == 1
    assert "already" in capfd.readouterr().err


def test_tools_are_chosen(script: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, "")
    asked: dict[str, list[str]] = {}
    for options in ("", "-t read,ls", "-t +grep,-write", "-xt b*", "-nt", "-nt -t read", "-nbt"):
        script.replies = [[Say("ok")]]
        assert main(["-p", *options.split(), "x"]) == 0
        asked[options] = [tool.name for tool in script.contexts[-1].tools]
    assert asked == {
        "": ["read", "bash", "edit", "write"],
        "-t read,ls": ["read", "ls"],
        "-t +grep,-write": ["read", "bash", "edit", "grep"],
        "-xt b*": ["read", "edit", "write"],
        "-nt": [],
        "-nt -t read": ["read"],
        "-nbt": [],
    }


def test_a_tool_that_there_is_not_is_told(
    script: ScriptedModel, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, "")
    assert main(["-p", "-t", "read,raed", "x"]) == 0
    err = capfd.readouterr().err
    assert "no tool raed" in err
    assert one_line(err)


def test_a_session_is_exported(
    script: ScriptedModel, work: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(work)
    give_stdin(monkeypatch, "")
    assert main(["-p", "--session-dir", "kept", "--session-id", "s", "hello there"]) == 0
    (file,) = (work / "kept").glob("*.jsonl")
    assert main(["--export", str(file), "page.html"]) == 0
    assert capfd.readouterr().out.endswith(f"{work}/page.html\n")
    assert "hello there" in (work / "page.html").read_text()


def test_json_mode_tells_what_happens(shell: Shell) -> None:
    done = shell.run("--demo", "--no-session", "--mode", "json", "run echo hi")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert [lines[0]["type"], lines[-1]["type"]] == ["session", "agent_settled"]


def test_rpc_mode_answers(shell: Shell) -> None:
    done = shell.line(
        """echo '{"id": "1", "type": "get_state"}' | $P --demo --no-session --mode rpc --no-themes"""
    )
    answer = json.loads(done.stdout.splitlines()[0])
    assert (answer["id"], answer["success"]) == ("1", True)
    assert done.returncode == 0


def test_skipped_project_files_are_named_and_do_nothing(shell: Shell, work: Path) -> None:
    """B-071: in every mode without a person to ask."""
    (work / ".pi" / "prompts").mkdir(parents=True)
    (work / ".pi" / "settings.json").write_text('{"shellCommandPrefix": "touch marker;"}')
    (work / ".pi" / "prompts" / "hi.md").write_text("TEMPLATE")
    for mode in ("-p", "--mode=json"):
        done = shell.run("--demo", "--no-session", mode, "run echo fine")
        assert done.returncode == 0
        assert ".pi/settings.json, .pi/prompts" in done.stderr
        assert one_line(done.stderr)
    done = shell.line("$P --demo --no-session --mode rpc < /dev/null")
    assert ".pi/settings.json" in done.stderr
    assert not (work / "marker").exists()
    assert shell.run("--demo", "--no-session", "-p", "-na", "run echo fine").stderr == ""
    assert shell.run("--demo", "--no-session", "-p", "-a", "run echo fine").stderr == ""
    assert (work / "marker").exists()


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


@pytest.mark.parametrize("argv", ["--help", "--demo -p think", "--demo --mode json think"])
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
    assert shell.line(f"$P {argv} <&- 2>&-").returncode == 0


@pytest.mark.parametrize("argv", ["--version", "--demo -p think", "--demo --mode json think"])
def test_an_answer_for_which_there_is_no_output_is_a_failure(shell: Shell, argv: str) -> None:
    done = shell.line(f"$P {argv} >&-")
    assert (done.returncode, done.stderr) == (1, "pi-term: The standard output is closed.\n")
    assert shell.line(f"$P {argv} <&- >&- 2>&-").returncode == 1


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
