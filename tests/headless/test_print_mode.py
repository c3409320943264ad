from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.events import AgentEnd, AgentStart, ToolExecutionStart
from pi_term.ai.scripted import Part
from pi_term.coding import conversation
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import SessionEvent
from pi_term.coding.session import SessionContext, SessionFile, SessionTree, build_context
from pi_term.headless import run_print_mode
from pi_term.testing import Call, Fail, Reply, Say, ScriptedModel, Think, Wait, scripted_session

PROGRAM = [sys.executable, "-m", "pi_term.cli.main"]
TOOLS_RUN = [Call("bash", {"command": "echo hi"})]


@dataclass
class Printer:
    """Print mode on a scripted model, and what it wrote."""

    script: ScriptedModel
    session: AgentSession
    out: io.StringIO = field(default_factory=io.StringIO)
    err: io.StringIO = field(default_factory=io.StringIO)

    async def run(self, *prompts: str) -> int:
        async with asyncio.timeout(60):
            return await run_print_mode(self.session, prompts or ["go"], out=self.out, err=self.err)

    @property
    def printed(self) -> str:
        return self.out.getvalue()

    @property
    def complained(self) -> str:
        return self.err.getvalue()

    def during(self, kind: type[Any], act: Callable[[], object]) -> None:
        """Do something once, when an event of this kind comes."""
        left = [act]

        async def listen(event: SessionEvent) -> None:
            if isinstance(event, kind) and left:
                left.pop()()

        self.session.subscribe(listen)


@pytest.fixture
async def printer(tmp_path: Path) -> AsyncIterator[Printer]:
    with ScriptedModel() as script:
        session = await scripted_session(script, tmp_path)
        yield Printer(script, session)
        await session.aclose()


@pytest.fixture(autouse=True)
def signals_act() -> Iterator[None]:
    """However the tests were started: in the background, shells make processes ignore SIGINT."""
    usual = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, action) for number, action in usual.items()}
    yield
    for number, action in before.items():
        signal.signal(number, action)


# --- what comes out, and where


async def test_a_whole_answer_is_printed_alone(printer: Printer) -> None:
    printer.script.replies = [[Think("hm"), Say("The answer.")]]
    assert await printer.run() == 0
    assert (printer.printed, printer.complained) == ("The answer.\n", "")


async def test_only_the_final_answer_is_printed(printer: Printer) -> None:
    printer.script.replies = [[Say("Let me look."), *TOOLS_RUN], [Say("It says hi.")]]
    assert await printer.run() == 0
    assert printer.printed == "It says hi.\n"


async def test_an_answer_that_ends_its_line_gets_no_second_end(printer: Printer) -> None:
    printer.script.replies = [[Say("line\n")]]
    await printer.run()
    assert printer.printed == "line\n"


async def test_text_blocks_do_not_run_into_each_other(printer: Printer) -> None:
    printer.script.replies = [[Say("first"), Think("hm"), Say("second")]]
    await printer.run()
    assert printer.printed == "first\nsecond\n"


async def test_an_answer_without_text_prints_nothing(printer: Printer) -> None:
    printer.script.replies = [[Think("hm"), Say("")]]
    assert await printer.run() == 0
    assert printer.printed == ""


async def test_a_pipe_gets_the_answer_letter_for_letter(printer: Printer) -> None:
    text = "\x1b[31mred\x1b[0m \x07 [/bold] 日本\r\n"
    printer.script.replies = [[Say(text)]]
    await printer.run()
    assert printer.printed == text


async def test_nothing_in_an_answer_acts_on_a_terminal(printer: Printer) -> None:
    """B-052."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    printer.out = Terminal()
    printer.script.replies = [[Say("a\x1b]0;title\x07b\x1b[2Jc\n\td")]]
    await printer.run()
    assert printer.printed == "abc\n\td\n"


# --- answers that are not whole


async def test_a_cut_answer_is_printed_and_told(printer: Printer) -> None:
    """B-089."""
    printer.script.replies = [Reply([Say("The first half")], stop="length")]
    assert await printer.run() == 1
    assert printer.printed == "The first half\n"
    assert "cut off" in printer.complained
    assert len(printer.complained.splitlines()) == 1


async def test_a_failed_answer_prints_what_there_is_and_tells_why(printer: Printer) -> None:
    printer.script.replies = [[Say("Half"), Fail("the server is on fire")]]
    assert await printer.run() == 1
    assert printer.printed == "Half\n"
    assert printer.complained == "pi-term: the server is on fire\n"


async def test_a_failure_without_any_answer_prints_nothing(printer: Printer) -> None:
    printer.script.replies = [[Fail("no key \x1b]0;t\x07accepted")]]
    assert await printer.run() == 1
    assert (printer.printed, printer.complained) == ("", "pi-term: no key accepted\n")


async def test_an_aborted_answer_is_told(printer: Printer) -> None:
    printer.script.replies = [[Say("Half"), Wait(asyncio.Event())]]

    async def listen(event: SessionEvent) -> None:
        if event.type == "message_update" and event.event.type == "text_end":  # type: ignore[union-attr]
            printer.session.abort()

    printer.session.subscribe(listen)
    assert await printer.run() == 1
    assert printer.printed == "Half\n"
    assert "borted" in printer.complained


async def test_a_run_that_breaks_off_prints_no_older_answer(printer: Printer) -> None:
    """What is printed is the answer to this prompt, or there is none."""
    printer.script.replies = [[Say("older")], [Say("newer")]]
    await printer.session.prompt("before")

    def refuse() -> Any:
        raise OSError("the prompt cannot be made")

    printer.session.harness.declare = refuse
    assert await printer.run() == 1
    assert printer.printed == ""
    assert "There is no answer." in printer.complained
    assert "the prompt cannot be made" in await errors(printer)


async def test_nor_does_it_print_the_answer_to_the_prompt_before(printer: Printer) -> None:
    declare, calls = printer.session.harness.declare, []

    def refuse_the_second() -> Any:
        calls.append(True)
        if len(calls) > 1:
            raise OSError("the prompt cannot be made")
        return declare()

    printer.session.harness.declare = refuse_the_second
    printer.script.replies = [[Say("one")]]
    assert await printer.run("first", "second") == 1
    assert printer.printed == ""


async def errors(printer: Printer) -> str:
    """What was complained of until the session is closed."""
    await printer.session.aclose()
    return printer.complained


async def test_a_run_that_breaks_off_after_its_tools_is_not_taken_for_whole(printer: Printer) -> None:
    printer.script.replies = [[Say("Let me look."), *TOOLS_RUN], [Say("never said")]]

    async def break_off(*turn: Any) -> bool:
        printer.session.agent.options = None  # type: ignore[assignment]  # a fault of ours
        return False

    printer.session.agent.hooks.should_stop_after_turn = break_off
    assert await printer.run() == 1
    assert "broke off" in printer.complained


async def test_a_session_that_cannot_be_written_is_told_and_the_answer_is_whole(printer: Printer) -> None:
    path = printer.session.file.path
    assert path is not None
    make_folder(path)
    printer.script.replies = [[Say("The answer.")]]
    assert await printer.run() == 0
    assert printer.printed == "The answer.\n"
    assert "Cannot write the session file" in await errors(printer)
    remove_folder(path)


def make_folder(path: Path) -> None:
    path.mkdir(parents=True)


def remove_folder(path: Path) -> None:
    path.rmdir()


# --- several prompts


async def test_prompts_are_one_conversation_and_the_last_answer_is_printed(printer: Printer) -> None:
    printer.script.replies = [[Say("one")], [Say("two")]]
    assert await printer.run("first", "second") == 0
    assert printer.printed == "two\n"
    roles = [message.role for message in printer.script.contexts[-1].messages]
    assert roles == ["user", "assistant", "user"]


@pytest.mark.parametrize("broken", [[Say("half"), Fail("boom")], Reply([Say("half")], stop="length")])
async def test_after_an_answer_that_is_not_whole_no_prompt_follows(
    printer: Printer, broken: list[Part] | Reply
) -> None:
    printer.script.replies = [[Say("one")], broken, [Say("three")]]
    assert await printer.run("first", "second", "third") == 1
    assert len(printer.script.contexts) == 2
    assert printer.printed == "half\n"


async def test_the_session_can_be_resumed(printer: Printer) -> None:
    printer.script.replies = [[*TOOLS_RUN], [Say("done")]]
    await printer.run("go")
    path = printer.session.file.path
    assert path is not None
    opened = SessionFile.open(path)
    assert [entry.role for entry in opened.tree.branch() if entry.role] == [
        "system", "user", "assistant", "toolResult", "assistant",
    ]  # fmt: skip
    opened.close()


# --- signals, within the process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_aborts_the_run_and_names_itself_in_the_exit_code(
    printer: Printer, number: signal.Signals
) -> None:
    printer.during(ToolExecutionStart, lambda: os.kill(os.getpid(), number))
    printer.script.replies = [[Say("Let me see."), Call("bash", {"command": "sleep 60"})], [Say("never")]]
    assert await printer.run("first", "second") == 128 + number
    assert len(printer.script.contexts) <= 2
    assert "Aborted" in printer.complained
    assert "never" not in printer.printed


async def test_a_signal_while_a_long_history_is_read_is_not_lost(
    printer: Printer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to abort yet when it comes."""
    printer.script.replies = [[Say("old")], [Say("one")], [Say("two")]]
    await printer.session.prompt("before")
    assert printer.session.file.path is not None
    await printer.session.switcher.open(SessionFile.open(printer.session.file.path))
    heard, abort = threading.Event(), printer.session.abort
    monkeypatch.setattr(printer.session, "abort", lambda: (heard.set(), abort()))

    def slow(tree: SessionTree, wanted: Callable[[], bool]) -> SessionContext:
        os.kill(os.getpid(), signal.SIGTERM)
        assert heard.wait(30)
        return build_context(tree, wanted=wanted)

    monkeypatch.setattr(conversation, "build_context", slow)
    assert await printer.run("first", "second") == 143
    assert len(printer.script.contexts) == 1
    last = printer.session.file.tree.leaf
    assert last is not None
    assert last.role == "user"  # what was asked stays in the session
    assert printer.printed == ""


async def test_a_signal_between_two_prompts_stops_those_that_follow(printer: Printer) -> None:
    printer.during(AgentEnd, lambda: os.kill(os.getpid(), signal.SIGTERM))
    printer.script.replies = [[Say("one")], [Say("two")], [Say("three")]]
    assert await printer.run("first", "second", "third") == 143
    assert len(printer.script.contexts) < 3
    assert "two" not in printer.printed


@pytest.fixture
def ignored_hangup(signals_act: None) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


@pytest.mark.usefixtures("ignored_hangup")
async def test_what_nohup_made_the_process_ignore_stays_ignored(printer: Printer) -> None:
    printer.during(AgentStart, lambda: os.kill(os.getpid(), signal.SIGHUP))
    printer.script.replies = [[Say("The answer.")]]
    assert await printer.run() == 0
    assert printer.printed == "The answer.\n"
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


async def test_afterwards_the_signals_are_the_programs_again(printer: Printer) -> None:
    printer.script.replies = [[Say("one")]]
    await printer.run()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


# --- signals, from outside


@dataclass
class Running:
    """A print run of the installed program that waits in a shell command."""

    process: subprocess.Popen[str]
    home: Path
    mark: Path

    def entries(self) -> list[dict[str, Any]]:
        """All lines of the session file; each must parse."""
        (path,) = self.home.glob("sessions/*/*.jsonl")
        text = path.read_text()
        assert text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def running(tmp_path: Path, clean_environment: Path) -> Iterator[Running]:
    work, mark = tmp_path / "work", tmp_path / "mark"
    work.mkdir()
    command = f"run echo begun; touch {mark}; sleep 60; touch {mark}.end"
    process = subprocess.Popen(
        [*PROGRAM, "--demo", "-p", command, "read nothing"],
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not mark.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield Running(process, clean_environment / "pi-term", mark)
    if process.poll() is None:
        process.kill()
    process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_with_a_whole_file(running: Running, number: signal.Signals) -> None:
    running.process.send_signal(number)
    out, err = running.process.communicate(timeout=60)
    assert running.process.returncode == 128 + number
    assert "Traceback" not in err
    assert err.splitlines()[-1] == "pi-term: Aborted."
    assert "read" not in out
    messages = [entry["message"] for entry in running.entries() if entry["type"] == "message"]
    assert [message["role"] for message in messages][1:4] == ["user", "assistant", "toolResult"]
    call = next(part for part in messages[2]["content"] if part["type"] == "toolCall")
    assert messages[3]["toolCallId"] == call["id"]
    assert messages[3]["isError"]
    assert "begun" in messages[3]["content"][0]["text"]
    assert messages[-1]["stopReason"] == "aborted"


def test_an_interrupted_session_goes_on(running: Running) -> None:
    """B-044: every call has its result, so the next request can be made."""
    running.process.send_signal(signal.SIGTERM)
    running.process.communicate(timeout=60)
    done = subprocess.run(
        [*PROGRAM, "--demo", "-c", "-p", "run echo again"],
        cwd=running.mark.parent / "work",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "again" in done.stdout
    roles = [e["message"]["role"] for e in running.entries() if e["type"] == "message"]
    assert roles.count("user") == 2


def test_a_killed_program_leaves_a_file_that_opens(running: Running) -> None:
    running.process.kill()
    running.process.communicate(timeout=60)
    messages = [entry["message"] for entry in running.entries() if entry["type"] == "message"]
    assert [message["role"] for message in messages][1:] == ["user", "assistant"]
