"""The demo model at work: a real session, real tools, real files."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_term.agent.events import MessageEnd, ToolExecutionStart
from pi_term.ai import demo
from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.demo import requests, sample, tour
from pi_term.ai.demo.history import episodes
from pi_term.ai.demo.requests import answer
from pi_term.ai.messages import AssistantMessage, ToolCall, ToolResultMessage, UserMessage, text_of
from pi_term.ai.models import Model
from pi_term.ai.scripted import Call, Say
from pi_term.base.paths import AppPaths
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import SessionEvent
from pi_term.coding.startup import StartRequest, start_session
from pi_term.coding.ui_bridge import NullUi
from pi_term.testing import until


@pytest.fixture(autouse=True)
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PIECE_DELAY", 0.0)
    monkeypatch.setattr(tour, "CHECK_SECONDS", 0.001)


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[AgentSession]:
    home = tmp_path / "home"
    work = tmp_path / "work"
    work.mkdir()
    request = StartRequest(cwd=work, demo=True, in_memory=True)
    started = await start_session(request, AppPaths(home, home, home, home), NullUi())
    yield started.session
    await started.aclose()


def conversation(session: AgentSession) -> list[str]:
    """Who spoke, and what for: `user: …`, `assistant: …`, `call: tool`, `result: tool`."""
    lines: list[str] = []
    for message in session.agent.state.messages:
        match message:
            case UserMessage():
                lines.append(f"user: {text_of(message.content)}")
            case AssistantMessage():
                lines.append(f"assistant: {message.text}")
                lines += [f"call: {call.name}" for call in message.tool_calls]
            case ToolResultMessage():
                lines.append(f"result: {message.tool_name}{' failed' if message.is_error else ''}")
    return lines


def last_answer(session: AgentSession) -> str:
    message = session.agent.state.messages[-1]
    assert isinstance(message, AssistantMessage)
    assert message.stop_reason == "stop"
    return message.text


def during(session: AgentSession, tool: str, act: object) -> None:
    """Do something once, when `tool` begins to run."""
    left = [act]

    async def listen(event: SessionEvent) -> None:
        if isinstance(event, ToolExecutionStart) and event.tool_name == tool and left:
            left.pop()()  # type: ignore[operator]

    session.subscribe(listen)


# --- the tour


async def test_the_tour_writes_reads_edits_and_runs_real_files(session: AgentSession) -> None:
    await session.prompt("tour")
    happened = [line for line in conversation(session) if line.startswith(("call", "result"))]
    assert happened == [
        "call: write", "call: write", "result: write", "result: write",
        "call: read", "result: read",
        "call: edit", "result: edit",
        "call: bash", "result: bash",
    ]  # fmt: skip
    folder = session.harness.cwd / tour.FOLDER
    assert 'f"Hello, {name}!"' in (folder / "greet.py").read_text()
    results = [m for m in session.agent.state.messages if isinstance(m, ToolResultMessage)]
    assert "def greet" in text_of(results[2].content)
    assert text_of(results[-1].content).splitlines() == [
        "check 1: Hello, Ada!",
        "check 2: Hello, Grace!",
        "check 3: Hello, Alan!",
        "check 4: Hello, Edsger!",
        "all checks passed",
    ]
    assert last_answer(session) == tour.FAREWELL


async def test_the_tour_can_be_taken_twice(session: AgentSession) -> None:
    await session.prompt("tour")
    await session.prompt("Tour!")
    assert conversation(session).count("result: bash") == 2
    assert last_answer(session) == tour.FAREWELL


async def test_a_steering_message_is_answered_in_the_next_turn(session: AgentSession) -> None:
    during(session, "bash", lambda: session.submit("is it still\nrunning?"))
    await session.prompt("tour")
    assert conversation(session)[-3:-1] == ["result: bash", "user: is it still\nrunning?"]
    said = last_answer(session)
    assert said.startswith("You steered me: “is it still running?”")
    assert said.endswith(tour.FAREWELL)


async def test_the_tour_goes_on_after_steering_in_the_middle(session: AgentSession) -> None:
    during(session, "write", lambda: session.submit("faster"))
    await session.prompt("tour")
    lines = conversation(session)
    steered = lines.index("user: faster")
    assert lines[steered + 1].startswith("assistant: You steered me: “faster”")
    assert lines[steered + 2] == "call: read"
    assert last_answer(session) == tour.FAREWELL


async def test_several_steering_messages_are_each_answered_once(session: AgentSession) -> None:
    session.agent.steering.mode = "all"

    def steer() -> None:
        session.submit("one")
        session.submit("two")

    during(session, "read", steer)
    await session.prompt("tour")
    said = "\n".join(conversation(session))
    assert said.count("You steered me: “one”") == said.count("You steered me: “two”") == 1


async def test_a_follow_up_comes_after_the_end_and_gets_an_answer_of_its_own(session: AgentSession) -> None:
    during(session, "bash", lambda: session.submit("read pi-term-demo/greet.py", follow_up=True))
    await session.prompt("tour")
    lines = conversation(session)
    asked = lines.index("user: read pi-term-demo/greet.py")
    assert lines[asked - 1] == f"assistant: {tour.FAREWELL}"
    assert lines[asked + 2 : asked + 4] == ["call: read", "result: read"]
    assert 'return f"Hello, {name}!"' in last_answer(session)


async def test_the_tour_is_over_after_an_abort(session: AgentSession) -> None:
    during(session, "bash", session.abort)
    await session.prompt("tour")
    await session.prompt("hello there")
    assert last_answer(session).startswith("I got “hello there”")


async def test_the_tour_is_over_after_an_abort_in_the_middle_of_a_call(session: AgentSession) -> None:
    """The answer that broke off asks for a tool, but that tool will never run."""

    async def listen(event: SessionEvent) -> None:
        if event.type == "message_update" and event.event.type == "toolcall_delta":  # type: ignore[union-attr]
            session.abort()

    forget = session.subscribe(listen)
    await session.prompt("tour")
    forget()
    broken = session.agent.state.messages[-1]
    assert isinstance(broken, AssistantMessage)
    assert (broken.stop_reason, len(broken.tool_calls)) == ("aborted", 1)
    await session.prompt("hello there")
    assert last_answer(session).startswith("I got “hello there”")


async def test_a_failed_step_ends_the_tour(session: AgentSession) -> None:
    (session.harness.cwd / tour.FOLDER).write_text("a file where the folder should be")
    await session.prompt("tour")
    assert "`write` failed" in last_answer(session)
    assert conversation(session).count("call: read") == 0
    await session.prompt("hello there")
    assert last_answer(session).startswith("I got “hello there”")


async def test_the_tour_finds_a_python_where_none_is_on_the_path(
    session: AgentSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(tour, "which", lambda name: None)
    await session.prompt("tour")
    assert last_answer(session) == tour.FAREWELL


# --- simple requests


async def test_reading_a_file_tells_what_is_in_it(session: AgentSession) -> None:
    (session.harness.cwd / "my notes.txt").write_text("milk\nbread\n")
    await session.prompt("Please read `my notes.txt`")
    assert conversation(session)[1:4] == ["assistant: ", "call: read", "result: read"]
    assert last_answer(session) == "`read` is done:\n\n```\nmilk\nbread\n```\n"


async def test_running_a_command_tells_the_end_of_what_it_printed(session: AgentSession) -> None:
    await session.prompt("run for i in $(seq 30); do echo line $i; done")
    said = last_answer(session)
    assert said.startswith("`bash` is done (30 lines, 10 of them here):")
    assert "line 30" in said
    assert "line 20\n" not in said


@pytest.mark.parametrize(
    ("prompt", "command"),
    [
        ("run echo `date`", "echo `date`"),
        ("run `ls -l`", "ls -l"),
        ("$ ls", "ls"),
        ("RUN a\nb", "a\nb"),
        ("run `a` `b`", "`a` `b`"),
    ],
)
def test_the_command_is_what_was_typed(prompt: str, command: str) -> None:
    parts = answer(Context(messages=[UserMessage(prompt)]))
    assert parts == [Call("bash", {"command": command})]


async def test_writing_and_editing_a_file(session: AgentSession) -> None:
    file = session.harness.cwd / "a.txt"
    await session.prompt("write a.txt: one two")
    assert file.read_text() == "one two\n"
    await session.prompt("edit a.txt: one -> three")
    assert file.read_text() == "three two\n"
    await session.prompt("edit `a.txt`: three  ->")
    assert file.read_text() == " two\n"


@pytest.mark.parametrize(
    ("prompt", "tool"),
    [("read nothing.txt", "read"), ("run exit 3", "bash"), ("edit nothing.txt: a -> b", "edit")],
)
async def test_a_failure_is_told_with_its_reason(session: AgentSession, prompt: str, tool: str) -> None:
    await session.prompt(prompt)
    said = last_answer(session)
    assert said.startswith(f"`{tool}` **failed**")
    assert re.search(r"nothing\.txt|exited with code 3", said)


async def test_a_failed_write_is_told(session: AgentSession) -> None:
    (session.harness.cwd / "folder").mkdir()
    await session.prompt("write folder: x")
    assert last_answer(session).startswith("`write` **failed**")


async def test_a_file_with_fences_stays_inside_the_block(session: AgentSession) -> None:
    (session.harness.cwd / "a.md").write_text("```\ncode\n```\nafter\n")
    await session.prompt("read a.md")
    assert "````\n```\ncode\n```\nafter\n````" in last_answer(session)


async def test_steering_a_simple_request_leaves_no_result_untold(session: AgentSession) -> None:
    during(session, "bash", lambda: session.submit("hello"))
    await session.prompt("run echo finished")
    said = last_answer(session)
    assert "`bash` is done" in said
    assert "finished" in said
    assert "I got “hello”" in said


async def test_requests_that_come_together_are_all_done(session: AgentSession) -> None:
    session.agent.follow_ups.mode = "all"

    def queue() -> None:
        session.submit("run echo second", follow_up=True)
        session.submit("read nothing.txt", follow_up=True)
        session.submit("thanks", follow_up=True)

    during(session, "bash", queue)
    await session.prompt("run echo first")
    lines = conversation(session)
    assert lines.count("call: bash") == 2
    assert lines.count("result: read failed") == 1
    assert sum("I got “thanks”" in line for line in lines) == 1
    said = last_answer(session)
    assert "second" in said
    assert "`read` **failed**" in said


async def test_it_thinks_when_asked_to(session: AgentSession) -> None:
    await session.prompt("Think!")
    message = session.agent.state.messages[-1]
    assert [part.type for part in message.content] == ["thinking", "text"]  # type: ignore[union-attr]


async def test_it_shows_markdown(session: AgentSession) -> None:
    await session.prompt("markdown")
    assert last_answer(session) == sample.SAMPLE


# --- everything else


@pytest.mark.parametrize("text", ["help", "Help!", "write me a poem", "read", "what is 2+2?", "💥" * 200])
async def test_what_it_does_not_understand_gets_the_help(session: AgentSession, text: str) -> None:
    await session.prompt(text)
    said = last_answer(session)
    assert said.endswith(requests.HELP)
    for request in ("tour", "read FILE", "run COMMAND", "write FILE: TEXT", "edit FILE: OLD -> NEW"):
        assert f"`{request}`" in said


def test_a_long_text_is_not_repeated_whole() -> None:
    (part,) = answer(Context(messages=[UserMessage("word " * 1000)]))
    assert isinstance(part, Say)
    assert part.text.startswith("I got “word word")
    assert len(part.text) < len(requests.HELP) + 150


def test_without_a_user_message_it_gives_the_help() -> None:
    assert answer(Context()) == [Say(requests.HELP)]


def test_what_comes_before_the_first_user_message_is_nobodys() -> None:
    stray = AssistantMessage(content=[ToolCall("c", "read", {})], stop_reason="toolUse")
    result = ToolResultMessage(tool_call_id="c", tool_name="read")
    assert answer(Context(messages=[stray, result])) == [Say(requests.HELP)]


def test_a_result_belongs_to_the_message_that_its_call_answered() -> None:
    call = AssistantMessage(content=[ToolCall("c", "read", {})], stop_reason="toolUse")
    result = ToolResultMessage(tool_call_id="c", tool_name="read")
    first, second = episodes(Context(messages=[UserMessage("a"), call, UserMessage("b"), result]))
    assert (first.results, second.results) == ([result], [])


async def test_the_latest_prompt_is_answered_and_not_what_stands_before_it(session: AgentSession) -> None:
    await session.run_shell("echo earlier")
    await session.wait_settled()
    await session.prompt("what is this?")
    assert last_answer(session).startswith("I got “what is this?”, but")
    assert "earlier" not in last_answer(session)


async def test_its_summary_tells_what_was_asked_done_and_failed(session: AgentSession) -> None:
    session.harness.settings.set("compaction.keepRecentTokens", 1)
    (session.harness.cwd / "notes").write_text("green\n")
    await session.prompt("read notes")
    await session.prompt("read missing")
    await session.run_shell("echo mine")
    await session.wait_settled()
    await session.prompt("run echo one; echo two")
    text = (await session.compact("mind the colour")).summary
    goal, rest = text.split("## Constraints & Preferences")
    assert goal.split("\n")[:3] == ["## Goal", "- “read notes”", "- “read missing”"]
    assert "- Asked for with the summary: “mind the colour”" in rest
    assert '- [x] `read(path="notes")`' in rest
    assert '`read(path="missing")` failed' in rest
    assert "echo mine" not in text
    assert "by rule" in text
    assert "missing" not in rest.split("### Done")[1].split("###")[0]


async def test_a_later_summary_goes_on_from_the_one_before(session: AgentSession) -> None:
    session.harness.settings.set("compaction.keepRecentTokens", 1)
    for number in range(2):
        await session.prompt(f"run echo {number}")
        await session.prompt("think")
        text = (await session.compact()).summary
    assert re.findall(r"- “(.+)”", text) == ["run echo 0", "think", "run echo 1", "think"]
    assert re.findall(r"- \[x\] `bash\(command=\"(.+)\"\)`", text) == ["echo 0", "echo 1"]


@pytest.mark.parametrize("prompt", ["hello", "who are you?", "tour", "think", "help"])
async def test_it_says_that_it_is_a_script_or_a_demo(session: AgentSession, prompt: str) -> None:
    """Whatever is asked, nothing it says could be taken for a language model's answer."""
    await session.prompt(prompt)
    said = " ".join(line for line in conversation(session) if line.startswith("assistant"))
    assert "script" in said or prompt == "think"
    assert not re.search(r"\bI am an? (AI|assistant|language model)|as an AI", said)


async def test_words_come_with_the_pause_that_the_model_is_set_to(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    real_sleep = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await real_sleep(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr(demo, "PIECE_DELAY", 0.5)
    context = Context(messages=[UserMessage("think")])
    await demo.stream(Model("demo", "demo", "demo"), context, StreamOptions()).result()
    assert set(pauses) == {0.5}
    pauses.clear()
    await demo.stream(Model("d", "d", "demo", compat={"pieceDelay": 2}), context, StreamOptions()).result()
    assert set(pauses) == {2.0}


async def test_an_abort_stops_it_in_the_middle_of_a_sentence(session: AgentSession) -> None:
    async def listen(event: SessionEvent) -> None:
        if event.type == "message_update":
            session.abort()

    session.subscribe(listen)
    await session.prompt("markdown")
    message = session.agent.state.messages[-1]
    assert isinstance(message, AssistantMessage)
    assert message.stop_reason == "aborted"
    assert len(message.text) < len(sample.SAMPLE)


async def test_its_tokens_are_counted(session: AgentSession) -> None:
    ends: list[AssistantMessage] = []

    async def listen(event: SessionEvent) -> None:
        if isinstance(event, MessageEnd) and isinstance(event.message, AssistantMessage):
            ends.append(event.message)

    session.subscribe(listen)
    await session.prompt("markdown")
    await until(lambda: bool(ends))
    usage = ends[0].usage
    assert usage.output > 100
    assert usage.total_tokens == usage.input + usage.output
    assert usage.cost.total == 0
