"""Whatever a session went through, each provider takes what it is sent."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.fit import fit_history
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
from pi_term.ai.models import THINKING_LEVELS, Model
from pi_term.ai.tools import Tool
from pi_term.ai.wire import anthropic_payload, google_payload, openai_payload, responses_payload
from pi_term.ai.wire.compat import anthropic_compat, openai_compat, responses_compat

_spec = importlib.util.spec_from_file_location("rules", Path(__file__).with_name("rules.py"))
assert _spec is not None
assert _spec.loader is not None
rules = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(rules)

BOTH = ("text", "image")
CHAT = Model("chat", "oai", "openai-completions", input=BOTH)
BLIND = Model("blind", "oai", "openai-completions")
THINK = Model("think", "oai", "openai-completions", reasoning=True, input=BOTH)
RESP = Model("resp", "oair", "openai-responses", reasoning=True, input=BOTH)
CLAUDE = Model("claude", "ant", "anthropic-messages", reasoning=True, input=BOTH, max_tokens=32_000)
ADAPTIVE = replace(CLAUDE, id="adaptive", compat={"forceAdaptiveThinking": True})
GEMINI = Model("gemini-2.5-flash", "gem", "google-generative-ai", reasoning=True, input=BOTH)
GEMINI_3 = replace(GEMINI, id="gemini-3-flash")
MISTRAL = Model("devstral", "mistral", "openai-completions", base_url="https://api.mistral.ai/v1", input=BOTH)
MODELS = [CHAT, BLIND, MISTRAL, THINK, RESP, CLAUDE, ADAPTIVE, GEMINI, GEMINI_3]
READ = Tool("read", "Reads.", {"type": "object", "properties": {"path": {"type": "string"}}})

_SIGNED_ITEM = json.dumps({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "AAAA"})
_OTHER_ITEM = _SIGNED_ITEM.replace("rs_1", "rs_2")
_BARE_ITEM = json.dumps(
    {"type": "reasoning", "id": "rs_3", "summary": [{"type": "summary_text", "text": "x"}]}
)
_SIGNATURES = st.sampled_from(
    [None, "", "sig", "c2ln", "reasoning_content", _SIGNED_ITEM, _OTHER_ITEM, _BARE_ITEM, "{bad", "[1]"]
)
_TEXT_SIGNATURES = st.sampled_from(
    [None, '{"v":1,"id":"msg_1"}', '{"v":1,"id":"msg_2","phase":"commentary"}', "msg_3", "x" * 90, "c2ln"]
)
_IDS = st.sampled_from(["c1", "c2", "call_0", "a|b", "a|c", "x" * 90, "", "ü:1", "functions.read:0"])
_NAMES = st.sampled_from(["read", "no such", "", "1st", "-x", "ü", "n" * 90])
_TEXTS = st.sampled_from(["", " \n", "text", "more\ud800text", "\u00a0"])
_IMAGES = st.sampled_from(
    [
        ImageContent("AAAA", "image/png"),
        ImageContent("AAAA", "image/gif"),
        ImageContent("AAAA", "image/bmp"),
        ImageContent("", "image/png"),
    ]
)
_USER_PARTS = st.lists(st.builds(TextContent, _TEXTS) | _IMAGES, max_size=3)
_REPLY_PARTS = st.lists(
    st.builds(TextContent, _TEXTS, _TEXT_SIGNATURES)
    | st.builds(ThinkingContent, _TEXTS, _SIGNATURES, st.sampled_from([None, True]))
    | st.builds(ToolCall, _IDS, _NAMES, st.sampled_from([{}, {"path": "a"}]), st.none() | st.just("c2ln")),
    max_size=4,
)
_STOPS = st.sampled_from(["stop", "toolUse", "toolUse", "length", "error", "aborted", "pending"])


def reply(parts: list[Any], by: Model, stop: str) -> AssistantMessage:
    return AssistantMessage(
        parts,
        api=by.api,
        provider=by.provider,
        model=by.id,
        stop_reason=stop,  # type: ignore[arg-type]
        # A server that was asked to think and did not is none that insists on thoughts.
        thinking_level="off",
    )


_HISTORIES = st.lists(
    st.builds(UserMessage, _TEXTS | _USER_PARTS)
    | st.builds(reply, _REPLY_PARTS, st.sampled_from(MODELS), _STOPS)
    | st.builds(
        lambda call_id, parts, bad: ToolResultMessage(call_id, "read", parts, is_error=bad),
        _IDS,
        _USER_PARTS,
        st.booleans(),
    )
    | st.just(SystemMessage("x")),
    max_size=14,
)


def payload_for(model: Model, history: list[Message], options: StreamOptions) -> dict[str, Any]:
    fitted = fit_history(
        history,
        model,
        block_images=options.block_images,
        cross_model_thinking=options.cross_model_thinking,
    )
    context = Context("Be brief.", history, [READ])
    match model.api:
        case "openai-completions":
            return openai_payload.build_payload(model, context, options, openai_compat(model), fitted)
        case "openai-responses":
            return responses_payload.build_payload(model, context, options, responses_compat(model), fitted)
        case "anthropic-messages":
            return anthropic_payload.build_payload(model, context, options, anthropic_compat(model), fitted)
    return google_payload.build_payload(model, context, options, fitted)


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "openai-completions": rules.completions,
    "openai-responses": rules.responses,
    "anthropic-messages": rules.anthropic,
}


def check(model: Model, payload: dict[str, Any]) -> None:
    if model.api == "google-generative-ai":
        rules.google(payload, modern=model is GEMINI_3)
    else:
        CHECKS[model.api](payload)
    if model is MISTRAL:
        rules.mistral(payload)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
@settings(max_examples=120)
@given(
    history=_HISTORIES,
    level=st.sampled_from(THINKING_LEVELS),
    retention=st.sampled_from(["none", "short", "long"]),
    block=st.booleans(),
    thinking=st.sampled_from(["drop", "text"]),
)
def test_any_history_is_taken(
    model: Model, history: list[Message], level: Any, retention: Any, block: bool, thinking: str
) -> None:
    options = StreamOptions(
        thinking=level,
        session_id="s",
        cache_retention=retention,
        block_images=block,
        cross_model_thinking=thinking,
    )
    before = [message.to_json() for message in history]
    check(model, payload_for(model, history, options))
    assert [message.to_json() for message in history] == before


GOOD: list[Message] = [
    UserMessage("look"),
    reply(
        [ThinkingContent("hm", "c2ln"), ToolCall("c1", "read", {"path": "a"}, "c2ln")], GEMINI_3, "toolUse"
    ),
    ToolResultMessage("c1", "read", [TextContent("aaa")]),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_the_checks_see_a_call_that_lost_its_result(model: Model) -> None:
    payload = payload_for(model, GOOD, StreamOptions(thinking="low"))
    check(model, payload)
    key = {"openai-responses": "input", "google-generative-ai": "contents"}.get(model.api, "messages")
    payload[key].pop()
    with pytest.raises(AssertionError):
        check(model, payload)


def test_the_checks_see_an_unsigned_call() -> None:
    payload = payload_for(GEMINI_3, GOOD, StreamOptions())
    for content in payload["contents"]:
        for part in content["parts"]:
            part.pop("thoughtSignature", None)
    with pytest.raises(AssertionError, match="signed"):
        rules.google(payload, modern=True)
