"""Whatever a model, its provider and its user do: nothing is lost, and every prompt settles once."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.context import Context
from pi_term.ai.faults import Fault, FaultKind
from pi_term.ai.messages import AssistantMessage, Usage, text_of
from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import AgentSettled, SessionEvent
from pi_term.coding.session import MessageEntry, SessionFile, build_context
from pi_term.testing.scripted import Call, Fail, Part, Reply, Say, ScriptedModel, until
from pi_term.testing.sessions import scripted_session, watch

SETTINGS = {
    "retry.baseDelayMs": 1,
    "retry.maxRetries": 2,
    "compaction.reserveTokens": 20_000,
    "compaction.keepRecentTokens": 500,
}


def failure(kind: FaultKind) -> Reply:
    return Reply([Say("so far "), Fail(kind, Fault(kind, kind))])


REPLIES: dict[str, Reply] = {
    "answer": Reply([Say("word " * 400)]),
    "call": Reply([Call("bash", {"command": "true"})]),
    "calls": Reply([Call("bash", {"command": "true"}), Call("read", {"path": "missing"})]),
    "transient": failure("transient"),
    "overflow": failure("overflow"),
    "auth": failure("auth"),
    "cut": Reply([Say("cut")], stop="length", usage=Usage(input=5, output=5, total_tokens=10)),
    "full": Reply([Call("bash", {"command": "true"})], usage=Usage(input=95_000, total_tokens=95_000)),
}
ACTIONS = (
    "submit",
    "follow up",
    "abort",
    "retry off",
    "compact",
    "shell",
    "settle",
    "yield",
    "pause",
    "go back",
)


class Bench:
    """One session, and what was said in it."""

    def __init__(self, session: AgentSession) -> None:
        self.session = session
        self.sent: list[str] = []
        self.taken: list[str] = []
        self.begun = 0
        self.background: list[asyncio.Future[Any]] = []
        self.events = watch(session)

    async def act(self, action: str) -> None:
        session = self.session
        match action:
            case "submit" | "follow up":
                text = f"prompt {len(self.sent)}"
                self.sent.append(text)
                session.submit(text, follow_up=action == "follow up")
            case "abort":
                session.abort()
                self.taken += session.take_queued()
            case "retry off":
                session.runs.abort_retry()
            case "compact":
                self.background.append(asyncio.ensure_future(session.compact()))
            case "shell":
                self.background.append(asyncio.ensure_future(session.run_shell("echo hi")))
            case "settle":
                await session.wait_settled()
            case "pause":
                await asyncio.sleep(0.01)
            case "go back":
                users = [entry for entry in session.file.tree.branch() if entry.role == "user"]
                if users and not session.busy:
                    await session.navigator.go_to(users[-1].id)
            case _:
                await asyncio.sleep(0)

    async def finish(self) -> None:
        await asyncio.gather(*self.background, return_exceptions=True)
        await asyncio.wait_for(self.session.wait_settled(), 60)
        await self.session.hub.drain()
        for work in self.background:
            error = work.exception()
            assert error is None or isinstance(error, PiTermError | AbortError), error


def waiting(session: AgentSession) -> list[str]:
    return [text_of(each.message.content) for each in (*session.agent.steering, *session.agent.follow_ups)]


def check_file(session: AgentSession) -> SessionFile:
    assert session.file.path is not None
    assert session.file.unwritten == 0
    stored = SessionFile.open(session.file.path)
    assert stored.diagnostics == []
    assert [entry.id for entry in stored.tree.entries] == [entry.id for entry in session.file.tree.entries]
    return stored


def check_calls(stored: SessionFile) -> None:
    """Every call has exactly one result, behind it."""
    calls: Counter[str] = Counter()
    results: Counter[str] = Counter()
    for entry in stored.tree.entries:
        record = entry.record()
        message = record.message if isinstance(record, MessageEntry) else None
        if isinstance(message, AssistantMessage) and message.stop_reason not in ("error", "aborted"):
            calls.update(call.id for call in message.tool_calls)
        if message is not None and message.role == "toolResult":
            results[message.tool_call_id] += 1  # type: ignore[attr-defined]
    assert calls == results


async def run(replies: Sequence[str], actions: Sequence[str], folder: Path) -> None:
    script = list(replies)

    def answer(context: Context) -> Sequence[Part] | Reply:
        if "<conversation>" in str(context.messages) and not context.tools:
            return [Say("## Goal\nsummary")]
        return REPLIES[script.pop(0)] if script else [Say("done")]

    with ScriptedModel(answer=answer, context_window=100_000, max_tokens=1_000) as model:
        session = await scripted_session(model, folder, settings=SETTINGS)
        bench = Bench(session)
        await session.prompt("prompt first")
        for action in actions:
            await bench.act(action)
        await bench.finish()
        check(bench)
        await session.aclose()


def check(bench: Bench) -> None:
    session = bench.session
    stored = check_file(session)
    said = [
        text_of(entry.data["message"]["content"][0]["text"])
        for entry in stored.tree.entries
        if entry.role == "user"
    ]
    everything = [*said, *bench.taken, *waiting(session)]
    assert Counter(everything) == Counter(["prompt first", *bench.sent])
    check_calls(stored)
    there = [message.to_json() for message in build_context(session.file.tree).messages]
    if session.agent.state.messages:  # else they are decoded with the next prompt
        assert [message.to_json() for message in session.agent.state.messages] == there
    starts = sum(event.type == "agent_start" for event in bench.events)
    settled = [event for event in bench.events if isinstance(event, AgentSettled)]
    assert 1 <= len(settled) <= max(1, starts + len(bench.taken) + len(bench.sent))
    assert isinstance(bench.events[-1], AgentSettled) or bench.events[-1].type not in (
        "agent_start",
        "turn_start",
    )
    assert not session.busy
    stored.close()


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(sorted(REPLIES)), max_size=12), st.lists(st.sampled_from(ACTIONS), max_size=12)
)
def test_nothing_is_lost_and_everything_settles(replies: list[str], actions: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(replies, actions, Path(folder)))


@pytest.mark.parametrize("waits", [False, True], ids=["submit", "prompt"])
async def test_a_listener_may_send_the_next_prompt_and_all_hear_things_in_order(
    tmp_path: Path, waits: bool
) -> None:
    with ScriptedModel(answer=lambda context: [Say("answer")]) as script:
        session = await scripted_session(script, tmp_path)
        first, second = watch(session), list[SessionEvent]()
        left = 2

        async def go_on(event: SessionEvent) -> None:
            nonlocal left
            if isinstance(event, AgentSettled) and left:
                left -= 1
                if waits:
                    await session.prompt(f"and {left}")
                else:
                    session.submit(f"and {left}")

        async def hear(event: SessionEvent) -> None:
            second.append(event)

        session.subscribe(go_on)
        session.subscribe(hear)
        await session.prompt("go")
        await until(lambda: [type(each) for each in first].count(AgentSettled) == 3)
        await session.wait_settled()
        await session.hub.drain()
        await session.aclose()
    assert second == first
    kinds = [each.type for each in first if each.type in ("agent_start", "agent_settled")]
    assert kinds == ["agent_start", "agent_settled"] * 3
