"""The messages of a coding session and what a model is told of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.messages import (
    AssistantMessage,
    SystemMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_term.coding.messages import (
    AgentMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    OpaqueMessage,
    agent_message_from_json,
    convert_to_llm,
)


def told(message: AgentMessage) -> str:
    (only,) = convert_to_llm([message])
    assert isinstance(only, UserMessage)
    return text_of(only.content)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (BashExecutionMessage("echo a", "a\n", 0), "Ran `echo a`\n```\na\n\n```"),
        (BashExecutionMessage("true", "", 0), "Ran `true`\n(no output)"),
        (
            BashExecutionMessage("exit 4", "failing\n", 4),
            "Ran `exit 4`\n```\nfailing\n\n```\n\nCommand exited with code 4",
        ),
        (
            BashExecutionMessage("sleep 30", "begun\n", None, cancelled=True),
            "Ran `sleep 30`\n```\nbegun\n\n```\n\n(command cancelled)",
        ),
        (
            BashExecutionMessage("seq 9", "9", 0, truncated=True, full_output_path="/tmp/out"),
            "Ran `seq 9`\n```\n9\n```\n\n[Output truncated. Full output: /tmp/out]",
        ),
    ],
)
def test_a_shell_record_is_told_as_user_text(record: BashExecutionMessage, text: str) -> None:
    assert told(record) == text


def test_output_with_code_fences_does_not_end_the_block() -> None:
    assert told(BashExecutionMessage("cat a.md", "```\ncode\n```", 0)).count("````") == 2


def test_an_excluded_shell_record_is_never_sent() -> None:
    assert convert_to_llm([BashExecutionMessage("env", "SECRET=1", 0, exclude_from_context=True)]) == []


def test_a_custom_message_is_sent_without_its_details() -> None:
    message = CustomMessage("x.note", [TextContent("remember")], display=False, details={"secret": 1})
    (sent,) = convert_to_llm([message])
    assert sent.to_json()["content"] == [{"type": "text", "text": "remember"}]
    assert "secret" not in str(sent.to_json())
    assert told(CustomMessage("x.note", "as a string")) == "as a string"


@pytest.mark.parametrize(
    "message", [BranchSummaryMessage("did this", "e1"), CompactionSummaryMessage("did this", 100)]
)
def test_summaries_stand_in_tags(message: AgentMessage) -> None:
    assert "<summary>\ndid this\n</summary>" in told(message)


def test_messages_for_models_stay_in_their_places() -> None:
    messages: list[AgentMessage] = [
        SystemMessage(sections={"preamble": "p"}),
        UserMessage(content="u"),
        OpaqueMessage(extra={"role": "fromTheFuture"}),
        AssistantMessage(content=[TextContent("a")]),
        ToolResultMessage("c1", "read"),
    ]
    assert convert_to_llm(messages) == [messages[0], messages[1], messages[3], messages[4]]


def test_the_old_name_of_custom_messages_is_understood() -> None:
    old = {"role": "hookMessage", "customType": "x", "content": "c", "display": True, "timestamp": 1}
    message = agent_message_from_json(old)
    assert isinstance(message, CustomMessage)
    assert message.to_json()["role"] == "custom"


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_roles = st.sampled_from(
    [
        "system",
        "user",
        "assistant",
        "toolResult",
        "bashExecution",
        "custom",
        "branchSummary",
        "compactionSummary",
    ]
)


@settings(max_examples=80, deadline=None)
@given(_roles, st.dictionaries(st.from_regex(r"x[a-z]{1,6}", fullmatch=True), _json, max_size=4))
def test_unknown_keys_survive(role: str, unknown: dict[str, Any]) -> None:
    data = {"role": role, "timestamp": 5, **unknown}
    back = agent_message_from_json(data).to_json()
    assert {key: back.get(key) for key in data} == data


@given(st.text(max_size=10).filter(lambda role: role not in {"user", "custom"}), _json)
@settings(max_examples=50, deadline=None)
def test_messages_of_unknown_roles_pass_untouched(role: str, content: Any) -> None:
    data = {"role": f"new-{role}", "content": content, "timestamp": 7}
    message = agent_message_from_json(data)
    assert message.to_json() == data
    assert message.role == f"new-{role}"
    assert convert_to_llm([message]) == []
