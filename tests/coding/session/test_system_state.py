"""Declaring prompt and tools once, and patching them afterwards."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.messages import SystemMessage, TextContent
from pi_term.ai.tools import Tool
from pi_term.coding.session import SystemState, diff_system, replay_system


def test_the_first_declaration_holds_everything() -> None:
    wanted = SystemState(sections={"preamble": "p", "cwd": "/w"}, tools={"read": Tool("read", "d")})
    message = diff_system(SystemState(), wanted)
    assert message is not None
    assert message.to_json() | {"timestamp": 0} == {
        "role": "system",
        "content": "",
        "sections": {"preamble": "p", "cwd": "/w"},
        "toolsAdded": [{"name": "read", "description": "d", "parameters": {}}],
        "timestamp": 0,
    }


def test_later_ones_hold_the_difference() -> None:
    current = SystemState(
        sections={"preamble": "p", "skills": "s", "rules": "r"},
        tools={"read": Tool("read"), "bash": Tool("bash")},
    )
    wanted = SystemState(
        sections={"preamble": "p", "rules": "R", "cwd": "/w"},
        tools={"bash": Tool("bash"), "edit": Tool("edit")},
    )
    message = diff_system(current, wanted)
    assert message is not None
    assert message.sections == {"rules": "R", "cwd": "/w", "skills": None}
    assert message.tools_added == [Tool("edit")]
    assert message.tools_removed == [{"name": "read"}]


def test_nothing_changed_says_nothing() -> None:
    state = SystemState(sections={"a": "1", "b": "2"}, tools={"read": Tool("read")})
    reordered = SystemState(sections={"b": "2", "a": "1"}, tools={"read": Tool("read")})
    assert diff_system(state, reordered) is None
    assert diff_system(SystemState(), SystemState()) is None


def test_later_text_is_added_to_the_prompt() -> None:
    state = replay_system(
        [
            SystemMessage(content="Be brief.", sections={"a": "A"}),
            SystemMessage(content=[TextContent("Be kind.")]),
        ]
    )
    assert state.prompt() == "Be brief.\n\nBe kind.\n\nA"


_states = st.builds(
    SystemState,
    content=st.just(""),
    sections=st.dictionaries(st.sampled_from("abcde"), st.text(max_size=3), max_size=4),
    tools=st.dictionaries(st.sampled_from(["read", "bash", "edit"]), st.text(max_size=2)).map(
        lambda found: {name: Tool(name, text) for name, text in found.items()}
    ),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(_states, max_size=5))
def test_replaying_the_differences_leads_to_the_last_state(states: list[SystemState]) -> None:
    messages: list[SystemMessage] = []
    for wanted in states:
        message = diff_system(replay_system(messages), wanted)
        if message is not None:
            messages.append(SystemMessage.from_json(message.to_json()))
        reached = replay_system(messages)
        assert (reached.sections, reached.tools) == (wanted.sections, wanted.tools)
        assert diff_system(reached, wanted) is None
    final = replay_system(messages)
    again = replay_system([final.message()])
    assert (again.sections, again.tools) == (final.sections, final.tools)
