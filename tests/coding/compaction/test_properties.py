"""What holds for every history, however often it is compacted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, SystemMessage, ToolResultMessage
from pi_term.coding.compaction.prepare import Preparation
from pi_term.coding.compaction.summarize import summarize
from pi_term.coding.tokens import estimate_chars
from pi_term.testing import Say, ScriptedModel

MARK = re.compile(r"<(\d+)>")
KINDS = ("user", "answer", "batch", "batch", "shell", "custom", "branch_summary", "system", "orphan")


@dataclass(frozen=True)
class Step:
    kind: str
    size: int
    calls: int = 1
    missing: int = 0


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(KINDS),
        st.sampled_from([0, 5, 40, 200]),
        st.integers(1, 3),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=25,
)
KEEP = st.sampled_from([1, 30, 100, 400])


class Teller:
    """Tells steps to a story; each message has a mark of its own, calls use the same few ids again."""

    def __init__(self, story: Any) -> None:
        self.story = story
        self.count = 0

    def mark(self) -> str:
        self.count += 1
        return f"<{self.count}> "

    def tell(self, step: Step) -> None:
        story = self.story
        match step.kind:
            case "user":
                story.user(self.mark(), step.size)
            case "answer":
                story.answer(self.mark(), tokens=step.size)
            case "batch":
                calls = [story.call(f"call_{number}", n=number) for number in range(step.calls)]
                story.answer(self.mark(), *calls)
                for call in calls[step.missing :]:
                    story.result(call, self.mark(), step.size)
            case "orphan":
                story.result(story.call("nobody"), self.mark(), step.size)
            case "system":
                story.system("x" * step.size)
            case _:
                getattr(story, step.kind)(self.mark())


def marks(messages: Sequence[AgentMessage]) -> list[str]:
    """The marks of messages, in order."""
    found = []
    for message in messages:
        if not isinstance(message, SystemMessage):
            found += MARK.findall(str(message.to_json()))
    return found


def live(story: Any) -> list[AgentMessage]:
    """The messages of the context that are neither a compaction's own nor prompts."""
    context = story.context()
    return [
        message
        for message, source in zip(context.messages, context.sources, strict=True)
        if source.type != "compaction" and not isinstance(message, SystemMessage)
    ]


def called(messages: Sequence[AgentMessage]) -> Iterator[tuple[int, int]]:
    """Each result with the message that asked for it, as indices."""
    caller = None
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.tool_calls:
            caller = index
        elif isinstance(message, ToolResultMessage) and caller is not None:
            asked = messages[caller]
            assert isinstance(asked, AssistantMessage)
            if message.tool_call_id in [call.id for call in asked.tool_calls]:
                yield caller, index


def largest(messages: Sequence[AgentMessage]) -> int:
    """Characters of the largest piece that cannot be cut."""
    inside = {index for first, last in called(messages) for index in range(first + 1, last + 1)}
    sizes = [0]
    for index, message in enumerate(messages):
        if message.role != "toolResult" and index not in inside:
            sizes.append(0)
        sizes[-1] += estimate_chars(message)
    return max(sizes)


def check_cut(before: list[AgentMessage], prepared: Preparation, keep: int) -> None:
    taken = [*prepared.history, *prepared.turn_prefix]
    kept = before[len(taken) :]
    assert marks(taken) + marks(kept) == marks(before)
    assert taken
    if prepared.first_kept is None:
        assert kept == []
        return
    assert kept[0].role != "toolResult"
    assert not [pair for pair in called(before) if pair[0] < len(taken) <= pair[1]]
    size, wanted, piece = sum(map(estimate_chars, kept)), keep * 4, largest(before)
    assert size <= wanted + max(wanted // 2, piece) + wanted // 4
    assert size >= wanted - max(wanted // 2, piece)


@settings(max_examples=150)
@given(st.lists(st.tuples(STEPS, KEEP, st.booleans()), min_size=1, max_size=4))
def test_nothing_is_lost_however_often(kit: Any, rounds: list[tuple[list[Step], int, bool]]) -> None:
    new_story, _ = kit
    story = new_story()
    teller = Teller(story)
    summarised: list[str] = []
    for number, (steps, keep, nothing) in enumerate(rounds):
        for step in steps:
            teller.tell(step)
        before = live(story)
        prepared = story.prepare(keep, keep_nothing=nothing)
        if prepared is not None:
            check_cut(before, prepared, keep)
            assert (prepared.previous_summary is None) == (not summarised)
            summarised += marks([*prepared.history, *prepared.turn_prefix])
            story.compacted(f"summary {number}", keep, keep_nothing=nothing)
        assert summarised + marks(live(story)) == [str(each) for each in range(1, teller.count + 1)]


@settings(max_examples=60)
@given(STEPS, KEEP, st.sampled_from([3_000, 6_000, 100_000]))
def test_the_summary_is_made_of_all_that_is_taken(
    kit: Any, steps: list[Step], keep: int, window: int
) -> None:
    new_story, new_office = kit
    story = new_story()
    teller = Teller(story)
    for step in steps:
        teller.tell(step)
    prepared = story.prepare(keep)
    if prepared is None:
        return
    script = ScriptedModel(answer=lambda context: [Say("s")], context_window=window, max_tokens=500)
    with ExitStack() as stack:
        office = new_office(stack)
        asyncio.run(summarize(prepared, office.desk(script), "ZX-9"))
    told = MARK.findall("".join(office.requests))
    assert told == marks([*prepared.history, *prepared.turn_prefix])
    assert all("ZX-9" in request for request in office.requests)
