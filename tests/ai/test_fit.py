from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.fit import BLOCKED_IMAGE, EMPTY_RESULT, MISSING_RESULT, FittedMessage, fit_history
from pi_term.ai.messages import (
    AssistantMessage,
    ImageContent,
    Message,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_term.ai.models import Model

CLAUDE = Model("claude", "ant", "anthropic-messages", reasoning=True, input=("text", "image"))
CHAT = Model("chat", "oai", "openai-completions", input=("text",))
IMAGE = ImageContent("AAAA", "image/png")


def reply(
    *parts: object, by: Model = CLAUDE, stop: str = "stop", error: str | None = None
) -> AssistantMessage:
    return AssistantMessage(
        list(parts),  # type: ignore[arg-type]
        api=by.api,
        provider=by.provider,
        model=by.id,
        stop_reason=stop,  # type: ignore[arg-type]
        error_message=error,
    )


def result(call_id: str, *parts: object, is_error: bool = False) -> ToolResultMessage:
    return ToolResultMessage(call_id, "read", list(parts), is_error=is_error)  # type: ignore[arg-type]


def call(call_id: str, name: str = "read") -> ToolCall:
    return ToolCall(call_id, name, {"path": "a"})


def fit(history: Sequence[Message], model: Model, **more: Any) -> list[FittedMessage]:
    """What becomes of the history between a first and a last message of the user."""
    return fit_history([UserMessage("begin"), *history, UserMessage("end")], model, **more)[1:-1]


def texts(message: FittedMessage) -> list[str]:
    return [part.text for part in message.content if isinstance(part, TextContent)]


def test_a_failed_or_aborted_reply_is_not_sent_again() -> None:
    history = [
        UserMessage("first"),
        reply(TextContent("half"), call("c1"), stop="aborted"),
        result("c1", TextContent("never")),
        reply(TextContent("half"), stop="error", error="boom"),
        UserMessage("second"),
    ]
    assert [texts(m) for m in fit(history, CLAUDE)] == [["first"], ["second"]]


def test_calls_and_results_before_an_abort_are_sent() -> None:
    history = [
        UserMessage("go"),
        reply(call("c1"), stop="toolUse"),
        result("c1", TextContent("partial output, aborted"), is_error=True),
        reply(stop="aborted"),
        UserMessage("on"),
    ]
    assert [m.role for m in fit(history, CLAUDE)] == ["user", "assistant", "toolResult", "user"]


def test_a_call_without_result_gets_one_that_says_so() -> None:
    history = [
        reply(call("c1"), call("c2"), call("c3"), stop="toolUse"),
        UserMessage("steered"),
        result("c2", TextContent("two")),
    ]
    fitted = fit(history, CLAUDE)
    assert [m.role for m in fitted] == ["assistant", "toolResult", "toolResult", "toolResult", "user"]
    answers = [m for m in fitted if isinstance(m, ToolResultMessage)]
    assert [(m.tool_call_id, texts(m)[0], m.is_error) for m in answers] == [
        ("c1", MISSING_RESULT, True),
        ("c2", "two", False),
        ("c3", MISSING_RESULT, True),
    ]


def test_a_result_without_call_is_dropped() -> None:
    history = [UserMessage("a"), result("ghost", TextContent("boo")), UserMessage("b")]
    assert [m.role for m in fit(history, CLAUDE)] == ["user", "user"]


def test_servers_that_number_calls_anew_each_time_are_told_apart() -> None:
    history: list[Message] = []
    for text in ("one", "two", "three"):
        history += [reply(call("call_0"), by=CHAT, stop="toolUse"), result("call_0", TextContent(text))]
    fitted = fit(history, CHAT)
    answers = [m for m in fitted if isinstance(m, ToolResultMessage)]
    assert [texts(m)[0] for m in answers] == ["one", "two", "three"]
    assert len({m.tool_call_id for m in answers}) == 3
    assert answers[0].tool_call_id == "call_0"


def test_foreign_ids_and_names_take_the_form_that_the_target_wants() -> None:
    long = "x" * 300
    history = [
        reply(
            call("call_7|fc_item"), call(f"{long}1"), call(f"{long}2"), call("a:b c", "read file"), by=CLAUDE
        ),
        result("call_7|fc_item", TextContent("seven")),
    ]
    fitted = fit(history, CHAT)
    calls = fitted[0].tool_calls  # type: ignore[union-attr]
    assert calls[0].id == "call_7_fc_item"
    assert texts(fitted[1]) == ["seven"]
    assert len({each.id for each in calls}) == 4
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", each.id) for each in calls)
    assert calls[3].name == "read_file"


def test_own_thinking_stays_foreign_thinking_goes() -> None:
    own = reply(ThinkingContent("mine", "sig"), TextContent("text", "tsig"), by=CLAUDE)
    foreign = reply(ThinkingContent("theirs", "reasoning"), TextContent("text", "tsig"), by=CHAT)
    fitted = fit([own, foreign], CLAUDE)
    assert fitted[0].content == [ThinkingContent("mine", "sig"), TextContent("text", "tsig")]
    assert fitted[1].content == [TextContent("text")]


def test_foreign_thinking_can_be_kept_as_text_but_never_what_is_redacted() -> None:
    history = [reply(ThinkingContent("open"), ThinkingContent("x", "blob", True), TextContent("t"), by=CHAT)]
    fitted = fit(history, CLAUDE, cross_model_thinking="text")
    assert fitted[0].content == [TextContent("open"), TextContent("t")]


def test_a_reply_that_only_thought_is_left_out() -> None:
    assert fit([reply(ThinkingContent("hm", "sig"))], CLAUDE) == []


def test_blank_text_never_reaches_a_provider() -> None:
    history = [
        UserMessage("   "),
        UserMessage([TextContent(""), TextContent("hello")]),
        reply(TextContent(" \n"), TextContent("")),
        reply(TextContent(" \n"), call("c1"), stop="toolUse"),
        result("c1", TextContent("\r\n")),
    ]
    fitted = fit(history, CLAUDE)
    assert [m.role for m in fitted] == ["user", "assistant", "toolResult"]
    assert texts(fitted[0]) == ["hello"]
    assert texts(fitted[2]) == [EMPTY_RESULT]


def test_a_blind_model_is_told_of_images_once_in_a_row() -> None:
    history = [UserMessage([IMAGE, IMAGE, TextContent("look"), IMAGE])]
    shown = texts(fit(history, CHAT)[0])
    assert len(shown) == 3
    assert "does not support images" in shown[0]
    assert shown[1] == "look"


def test_a_seeing_model_gets_images_unless_they_are_blocked() -> None:
    history = [UserMessage([TextContent("look"), IMAGE])]
    assert fit(history, CLAUDE)[0].content == [TextContent("look"), IMAGE]
    blocked = fit(history, CLAUDE, block_images=True)[0]
    assert texts(blocked) == ["look", BLOCKED_IMAGE]


def test_the_session_keeps_its_messages_as_they_were() -> None:
    message = reply(ThinkingContent("t", "s"), TextContent("  "), call("a|b"), by=CHAT, stop="toolUse")
    before = message.to_json()
    fit([message, result("a|b", IMAGE)], CLAUDE)
    assert message.to_json() == before


def test_the_user_has_the_first_and_the_last_word() -> None:
    roles = [m.role for m in fit_history([reply(TextContent("a"))], CLAUDE)]
    assert roles == ["user", "assistant", "user"]
    assert [m.role for m in fit_history([], CLAUDE)] == ["user"]
    asked = [UserMessage("a"), reply(call("c1"), stop="toolUse"), result("c1", TextContent("x"))]
    assert [m.role for m in fit_history(asked, CLAUDE)] == ["user", "assistant", "toolResult"]


def test_of_the_two_ids_of_a_responses_call_only_its_own_is_sent_back() -> None:
    target = Model("gpt", "oai", "openai-responses")
    history = [reply(call("call_7|fc_1"), by=target, stop="toolUse"), result("call_7|fc_1", TextContent("x"))]
    fitted = fit(history, target)
    assert fitted[0].tool_calls[0].id == fitted[1].tool_call_id == "call_7"  # type: ignore[union-attr]


def test_images_that_the_api_does_not_take_become_words() -> None:
    gemini = Model("gem", "goo", "google-generative-ai", input=("text", "image"))
    moving = ImageContent("AAAA", "image/gif")
    history = [UserMessage([moving, IMAGE, ImageContent("AAAA", "image/bmp"), ImageContent("", "image/png")])]
    assert [part.type for part in fit(history, CLAUDE)[0].content] == ["image", "image", "text"]
    assert [part.type for part in fit(history, gemini)[0].content] == ["text", "image", "text"]


# --- any history fits -------------------------------------------------------------------------------

_MODELS = st.sampled_from(
    [CLAUDE, CHAT, Model("gem", "goo", "google-generative-ai", input=("text", "image"))]
)
_IDS = st.sampled_from(["c1", "c2", "call_0", "a|b", "x" * 90, "", "ü:1"])
_SOME_TEXT = st.sampled_from(["", " \n", "text", "more text"])
_USER_PARTS = st.lists(st.builds(TextContent, _SOME_TEXT) | st.just(IMAGE), max_size=3)
_REPLY_PARTS = st.lists(
    st.builds(TextContent, _SOME_TEXT)
    | st.builds(ThinkingContent, _SOME_TEXT, st.sampled_from([None, "sig"]), st.sampled_from([None, True]))
    | st.builds(ToolCall, _IDS, st.sampled_from(["read", "no such", ""]), st.just({})),
    max_size=4,
)
_STOPS = st.sampled_from(["stop", "toolUse", "length", "error", "aborted", "pending"])
_MESSAGES = st.lists(
    st.builds(UserMessage, _SOME_TEXT | _USER_PARTS)
    | st.builds(lambda parts, by, stop: reply(*parts, by=by, stop=stop), _REPLY_PARTS, _MODELS, _STOPS)
    | st.builds(
        lambda call_id, parts, bad: result(call_id, *parts, is_error=bad), _IDS, _USER_PARTS, st.booleans()
    )
    | st.just(SystemMessage("x")),
    max_size=12,
)


def check(history: Sequence[FittedMessage], model: Model) -> None:
    """The rules that providers have in common."""
    waiting: list[str] = []
    used: set[str] = set()
    for message in history:
        assert message.content
        for part in message.content:
            if isinstance(part, TextContent):
                assert part.text.strip()
            if isinstance(part, ImageContent):
                assert "image" in model.input
        if isinstance(message, ToolResultMessage):
            assert message.tool_call_id == waiting.pop(0)
            continue
        assert not waiting, "a call without a result"
        if isinstance(message, AssistantMessage):
            assert message.stop_reason not in ("error", "aborted", "pending")
            assert not isinstance(message.content[-1], ThinkingContent)
            own = (message.provider, message.model) == (model.provider, model.id)
            assert own or not any(isinstance(part, ThinkingContent) for part in message.content)
            for each in message.tool_calls:
                assert each.id
                assert each.id not in used
                assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", each.name)
                assert own or re.fullmatch(r"[A-Za-z0-9_-]{1,64}", each.id)
                used.add(each.id)
                waiting.append(each.id)
    assert not waiting


@settings(max_examples=150)
@given(history=_MESSAGES, model=_MODELS, block=st.booleans(), thinking=st.sampled_from(["drop", "text"]))
def test_any_history_becomes_one_that_providers_accept(
    history: list[Message], model: Model, block: bool, thinking: str
) -> None:
    fitted = fit_history(history, model, block_images=block, cross_model_thinking=thinking)
    check(fitted, model)
    assert fit_history(fitted, model, block_images=block, cross_model_thinking=thinking) == fitted
