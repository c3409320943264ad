from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.messages import (
    AssistantMessage,
    Cost,
    ImageContent,
    StopReason,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pi_term.coding.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
)
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionFile,
    UsageEntry,
)
from pi_term.coding.stats import SessionStats, stored_context_tokens
from pi_term.coding.tokens import IMAGE_TOKENS, estimate_chars, known_tokens


def answer(total: int = 0, text: str = "", stop: StopReason = "stop") -> AssistantMessage:
    usage = Usage(input=total, total_tokens=total)
    return AssistantMessage([TextContent(text)], usage=usage, stop_reason=stop)


def user(chars: int) -> UserMessage:
    return UserMessage("x" * chars)


def session_of(*messages: Any) -> SessionFile:
    session = SessionFile.in_memory("/w")
    for message in messages:
        session.add(MessageEntry(message))
    return session


# --- what was used


def test_usage_adds_up() -> None:
    stats = SessionStats()
    stats.add(Usage(1, 2, 3, 4, 10, cost=Cost(total=0.5)))
    stats.add(Usage(10, 20, 30, 40, 100, cost=Cost(total=0.25)))
    assert stats == SessionStats(11, 22, 33, 44, 0.75)


def test_merging_is_adding_what_the_other_counted() -> None:
    one, other = SessionStats(1, 2, 3, 4, 0.5), SessionStats(10, 20, 30, 40, 0.25)
    one.merge(other)
    assert one == SessionStats(11, 22, 33, 44, 0.75)
    assert other == SessionStats(10, 20, 30, 40, 0.25)


def counted(session: SessionFile) -> SessionStats:
    stats = SessionStats()
    for entry in session.tree.entries:
        stats.add_stored(entry)
    return stats


def test_what_is_stored_counts_on_all_branches_with_what_tools_used() -> None:
    session = SessionFile.in_memory("/w")
    first = session.add(MessageEntry(user(1)))
    session.add(MessageEntry(answer(1)))
    session.tree.leaf = session.tree.get(first.id)
    session.add(MessageEntry(answer(2, stop="error")))
    session.add(CompactionEntry("s", "x", usage=Usage(input=4)))
    session.add(BranchSummaryEntry("x", "s", usage=Usage(input=8)))
    session.add(UsageEntry("title", usage=Usage(input=16)))
    session.add(CompactionEntry("s", "x"))
    session.add(MessageEntry(ToolResultMessage("c", "read", usage=Usage(input=1000))))
    stats = counted(session)
    assert stats.input == 1 + 2 + 4 + 8 + 16 + 1000
    assert (stats.user_messages, stats.assistant_messages, stats.tool_results, stats.messages) == (1, 2, 1, 4)


def test_messages_count_the_same_stored_and_as_they_come() -> None:
    messages = [
        SystemMessage("s"),
        user(3),
        AssistantMessage([ToolCall("a", "read"), ToolCall("b", "bash")], usage=Usage(input=2)),
        ToolResultMessage("a", "read", usage=Usage(output=5)),
        BashExecutionMessage("ls"),
    ]
    live = SessionStats()
    for message in messages:
        live.add_message(message)
    assert live == counted(session_of(*messages))
    assert (live.tool_calls, live.messages, live.input, live.output) == (2, 5, 2, 5)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        7,
        "much",
        [],
        {"input": "12", "totalTokens": "12"},
        {"cost": 3},
        {"cost": {"total": "x"}},
        {"output": []},
    ],
)
def test_usage_of_unknown_shape_counts_nothing_and_stops_nothing(tmp_path: Path, usage: object) -> None:
    path = tmp_path / "s.jsonl"
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-02T03:04:05.678Z", "cwd": "/w"}
    ]
    for number, each in enumerate((usage, {"input": 5, "totalTokens": 5})):
        message = {"role": "assistant", "content": [], "usage": each, "stopReason": "stop", "timestamp": 1}
        parent = f"e{number - 1}" if number else None
        lines.append(
            {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": "t", "message": message}
        )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    session = SessionFile.open(path)
    assert counted(session).input == 5
    assert stored_context_tokens(session.tree) == 5
    session.tree.leaf = session.tree.get("e0")
    assert stored_context_tokens(session.tree) is None
    session.close()


# --- how full the context is


def test_nothing_is_known_before_the_first_answer() -> None:
    assert known_tokens(reversed([])) is None
    assert known_tokens(reversed([user(100)])) is None
    assert stored_context_tokens(session_of().tree) is None
    assert stored_context_tokens(session_of(user(100)).tree) is None


def test_the_last_answer_counts_what_came_before_and_the_rest_is_estimated() -> None:
    messages = [user(9999), answer(50), user(9999), answer(100, text="y" * 9999), user(40), user(400)]
    assert known_tokens(reversed(messages)) == 100 + 110
    assert stored_context_tokens(session_of(*messages).tree) == 100 + 110


@pytest.mark.parametrize(
    "broken", [answer(7, "z" * 40, "error"), answer(7, "z" * 40, "aborted"), answer(0, "z" * 40)]
)
def test_an_answer_without_a_count_of_its_own_is_estimated(broken: AssistantMessage) -> None:
    messages = [user(1), answer(100), user(8), broken]
    assert known_tokens(reversed(messages)) == 112
    assert stored_context_tokens(session_of(*messages).tree) == 112


def test_after_a_compaction_nothing_is_known_until_the_next_answer() -> None:
    session = session_of(user(1), answer(90_000))
    session.add(CompactionEntry("short", "x"))
    session.add(MessageEntry(user(8)))
    assert stored_context_tokens(session.tree) is None
    session.add(MessageEntry(answer(500)))
    assert stored_context_tokens(session.tree) == 500


def test_only_the_branch_counts() -> None:
    session = session_of(user(1), answer(10))
    fork = session.tree.leaf
    assert fork is not None
    session.add(MessageEntry(answer(9999)))
    session.tree.leaf = session.tree.get(fork.id)
    assert stored_context_tokens(session.tree) == 10


def test_what_extensions_and_summaries_add_to_a_stored_context_is_estimated() -> None:
    session = session_of(answer(10))
    session.add(CustomMessageEntry("note", "n" * 400))
    session.add(BranchSummaryEntry("x", "s" * 800))
    session.add(ModelChangeEntry("p" * 4000, "m"))
    assert stored_context_tokens(session.tree) == 10 + 300


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.builds(user, st.integers(0, 50)),
            st.builds(answer, st.integers(0, 99), st.text(max_size=9), st.sampled_from(["stop", "error"])),
        ),
        max_size=12,
    )
)
def test_a_session_is_as_full_on_disk_as_in_memory(messages: list[Any]) -> None:
    assert stored_context_tokens(session_of(*messages).tree) == known_tokens(reversed(messages))


def test_a_long_session_whose_server_counts_nothing_is_not_read_to_its_root() -> None:
    session = session_of(*(user(1) for _ in range(5000)))
    decoded: list[str] = []
    real = session.tree.lines.decode
    session.tree.lines.decode = lambda entry: decoded.append(entry.id) or real(entry)  # type: ignore[method-assign, func-returns-value]
    assert stored_context_tokens(session.tree) is None
    assert len(decoded) < 1000


# --- sizes


@pytest.mark.parametrize(
    ("message", "chars"),
    [
        (UserMessage("four"), 4),
        (UserMessage([TextContent("four"), TextContent("five5")]), 9),
        (UserMessage([ImageContent("A" * 100_000, "image/png")]), 4 * IMAGE_TOKENS),
        (AssistantMessage([ThinkingContent("hmm"), TextContent("ok")]), 5),
        (AssistantMessage([ToolCall("id", "read", {"path": "x"})]), 4 + len('{"path":"x"}')),
        (ToolResultMessage("c", "read", [TextContent("12345")], details={"big": "x" * 99}), 5),
        (SystemMessage("ab", {"rules": "cde", "gone": None}), 5),
        (BashExecutionMessage("ls", "a\nb"), 5),
        (BashExecutionMessage("ls", "a\nb", exclude_from_context=True), 0),
        (CustomMessage("kind", "text"), 4),
        (BranchSummaryMessage("12345678"), 8),
        (CompactionSummaryMessage("123456789"), 9),
        (object(), 0),
    ],
)
def test_the_size_of_a_message(message: object, chars: int) -> None:
    assert estimate_chars(message) == chars
