"""What happens as labelled lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pi_term.agent.events import MessageUpdate
from pi_term.ai.events import TextDelta
from pi_term.ai.faults import Fault
from pi_term.ai.messages import AssistantMessage
from pi_term.headless.linear.speech import Speech, call_text, seconds_text
from pi_term.headless.linear.ui import LinearUi, chosen
from pi_term.testing.scripted import Call, Fail, Part, Say, ScriptedModel, Think
from pi_term.testing.sessions import start_scripted


class Listener:
    """Gathers what is said, a text a line."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, label: str, text: str) -> None:
        self.lines.append(f"{label}: {text}" if label else text)


async def told(
    folder: Path, turns: Sequence[Sequence[Part]], prompt: str = "go", *, thinking: bool = True
) -> list[str]:
    """What is said of one prompt."""
    listener = Listener()
    now = iter(range(0, 10_000, 5))
    with ScriptedModel(list(turns)) as script:
        settings = {"retry.baseDelayMs": 1}
        async with await start_scripted(script, folder, settings=settings) as started:
            speech = Speech(started.session, listener.say, thinking=thinking, clock=lambda: next(now))

            async def hear(event: object) -> None:
                speech.show(event)  # type: ignore[arg-type]

            started.session.subscribe(hear)
            await started.session.prompt(prompt)
    return listener.lines


async def test_an_answer_is_said_line_by_line_under_its_label(tmp_path: Path) -> None:
    lines = await told(tmp_path, [[Think("Tea? Coffee."), Say("Coffee:\n\n- water\n- beans")]])
    assert lines[:-1] == [
        "Status: working. Ctrl+C stops.",
        "You: go",
        "Thinking: Tea? Coffee.",
        "Assistant: Coffee:",
        "",
        "- water",
        "- beans",
    ]
    assert lines[-1].startswith("Status: done after 5 seconds, ")


async def test_hidden_thinking_is_not_said(tmp_path: Path) -> None:
    lines = await told(tmp_path, [[Think("secret"), Say("Tea.")]], thinking=False)
    assert not any("secret" in line for line in lines)


async def test_tools_are_said_with_what_they_were_called_with_and_their_last_lines(tmp_path: Path) -> None:
    turns = [[Call("bash", {"command": "seq 30"})], [Call("read", {"path": "none.txt"})], [Say("Done.")]]
    lines = await told(tmp_path, turns)
    assert "Tool bash: seq 30" in lines
    at = next(at for at, line in enumerate(lines) if re.fullmatch(r"Tool bash: ok.*, 30 lines\.", line))
    assert lines[at + 1] == "18 earlier lines are left out, /output says all."
    assert lines[at + 2].splitlines() == [str(number) for number in range(19, 31)]
    assert any(line.startswith("Tool read: failed") for line in lines)


async def test_failures_and_new_tries_are_said(tmp_path: Path) -> None:
    busy = Fail("529 overloaded", Fault("transient", "529 overloaded"))
    lines = await told(tmp_path, [[Say("Half an"), busy], [Say("Whole.")]])
    assert any(line.startswith("Status: trying again in 0 seconds, 1 of 3: 529 overl") for line in lines)
    assert "Assistant: Whole." in lines
    lines = await told(tmp_path, [[Fail("401 no key", Fault("auth", "401 no key"))]])
    assert any(line.startswith("Error: 401 no key") for line in lines)


def test_a_line_is_said_when_it_is_whole() -> None:
    listener = Listener()
    speech = Speech(None, listener.say, thinking=True)  # type: ignore[arg-type]
    for delta in ("\n", "one li", "ne\ntwo", " lines"):
        speech.show(MessageUpdate(AssistantMessage(), TextDelta(0, AssistantMessage(), delta)))
    assert listener.lines == ["Assistant: one line"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 seconds"), (1, "1 second"), (60, "1 minute"), (125.4, "2 minutes 5 seconds")],
)
def test_times(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_a_call_is_one_line() -> None:
    assert call_text({"timeout": 3, "command": "make\n\x1b[31mall"}) == "make all"
    assert call_text({"a": 1, "b": [2]}) == "a 1, b [2]"
    assert len(call_text({"command": "x" * 5000})) == 200


# --- questions


class Answers:
    def __init__(self, *lines: str | None) -> None:
        self.lines = list(lines)

    async def answer(self) -> str | None:
        return self.lines.pop(0)


async def test_questions_are_answered_by_number_or_word() -> None:
    ui, listener = LinearUi(), Listener()
    assert await ui.select("Early?", ["a"]) is None
    ui.connect(listener.say, Answers("2", "", "y", "no", "Ada", None))
    assert await ui.select("Which?", ["one", "two"]) == "two"
    assert listener.lines[0].splitlines()[:3] == ["Question: Which?", "1. one", "2. two"]
    assert await ui.select("Which?", ["one", "two"]) is None
    assert await ui.confirm("Sure?", "It is gone then.") is True
    assert await ui.confirm("Sure?", "") is False
    assert await ui.input("Name?", "as on your passport") == "Ada"
    assert await ui.editor("Text?", "what there was") is None


@pytest.mark.parametrize(
    ("answer", "place"), [("1", 0), (" 2 ", 1), ("4", None), ("0", None), ("TW", 1), ("t", None), ("", None)]
)
def test_what_is_meant(answer: str, place: int | None) -> None:
    assert chosen(answer, ["one", "two", "three"]) == place
