from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.faults import ProviderError
from pi_term.ai.messages import AssistantMessage, Message, TextContent, ThinkingContent, ToolCall, UserMessage
from pi_term.ai.models import Model, ModelCost
from pi_term.ai.wire.compat import responses_compat
from pi_term.ai.wire.openai_responses import ItemDecoder
from pi_term.ai.wire.responses_payload import build_payload

MODEL = Model("m", "oair", "openai-responses", reasoning=True, cost=ModelCost(1, 2, 0.1, 0), max_tokens=4096)
RECORDED = Path(__file__).with_name("recorded").joinpath("openai-responses.sse").read_bytes()


def sse(*events: dict[str, Any]) -> bytes:
    return b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events)


def decode(tools: Any, *events: dict[str, Any]) -> AssistantMessage:
    message: AssistantMessage = tools.decode(lambda writer: ItemDecoder(writer, MODEL), [sse(*events)])[0]
    return message


def completed(status: str = "completed", **more: Any) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": {"id": "r1", "status": status, **more}}


@settings(max_examples=40)
@given(places=st.lists(st.integers(0, 20_000), max_size=20))
def test_any_cutting_of_the_stream_gives_the_same_message(tools: Any, places: list[int]) -> None:
    message, events = tools.decode(lambda writer: ItemDecoder(writer, MODEL), tools.cut(RECORDED, places))
    thought, text, call = message.content
    assert thought.thinking == "**Looking**\n\nThe user wants it.\n\nI will write."
    assert json.loads(thought.thinking_signature)["encrypted_content"] == "gAAAAABor0Awk"
    assert text.text == "Okay, let’s look: 🔍"
    assert json.loads(text.text_signature) == {
        "v": 1,
        "id": "msg_68af40337e58819392e935fb404414d0",
        "phase": "commentary",
    }
    assert call.id == "call_DdmO9pD3xa9XTPNJ32zg2hcA|fc_68af4034a1"
    assert call.arguments == {"path": "aä.txt", "content": "x\ny"}
    assert (message.stop_reason, message.raw_stop_reason) == ("toolUse", "completed")
    assert message.response_id == "resp_68af4030592c81938ec0a5fbab4a3e9f"
    assert message.response_model == "gpt-5.1-2025-11-13"
    kinds = [event.type for event in events]
    assert kinds[0] == "start"
    ends = ["thinking_end", "text_end", "toolcall_end"]
    assert [kind for kind in kinds if kind.endswith("_end")] == ends


def test_reasoning_and_cached_tokens_count_once(tools: Any) -> None:
    usage = decode(
        tools,
        completed(
            usage={
                "input_tokens": 1000,
                "input_tokens_details": {"cached_tokens": 700, "cache_write_tokens": 100},
                "output_tokens": 500,
                "output_tokens_details": {"reasoning_tokens": 300},
            }
        ),
    ).usage
    assert (usage.input, usage.cache_read, usage.cache_write) == (200, 700, 100)
    assert (usage.output, usage.reasoning, usage.total_tokens) == (500, 300, 1500)
    assert usage.cost.total == pytest.approx((200 * 1 + 500 * 2 + 700 * 0.1) / 1e6)


def test_a_limit_and_a_filter_are_told_apart(tools: Any) -> None:
    cut = decode(tools, completed("incomplete", incomplete_details={"reason": "max_output_tokens"}))
    assert (cut.stop_reason, cut.raw_stop_reason) == ("length", "incomplete: max_output_tokens")
    with pytest.raises(ProviderError) as caught:
        decode(tools, completed("incomplete", incomplete_details={"reason": "content_filter"}))
    assert caught.value.fault.kind == "bad_request"


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"type": "error", "code": "server_error", "message": "oops", "param": None}, "transient"),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": "bad"}}, "bad_request"),
        (completed("failed", error={"code": "rate_limit_exceeded", "message": "slow"}), "transient"),
        (completed("failed", error={"code": "context_length_exceeded", "message": "x"}), "overflow"),
        (completed("failed", error={"code": "insufficient_quota", "message": "x"}), "quota"),
    ],
)
def test_errors_inside_the_stream(tools: Any, event: dict[str, Any], kind: str) -> None:
    with pytest.raises(ProviderError) as caught:
        decode(tools, event)
    assert caught.value.fault.kind == kind


def test_without_its_last_event_an_answer_is_torn(tools: Any) -> None:
    item = {"type": "message", "id": "msg_1"}
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "half"},
    ]
    with pytest.raises(ProviderError, match="incomplete") as caught:
        decode(tools, *events)
    assert caught.value.fault.retryable


def test_servers_that_tell_only_the_beginning_or_the_end(tools: Any) -> None:
    message = {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "hello"}]}
    call = {"type": "function_call", "id": "fc", "call_id": "c", "name": "read", "arguments": '{"a":1}'}
    whole = decode(tools, completed(output=[message, call]))
    assert (whole.text, whole.tool_calls[0].arguments) == ("hello", {"a": 1})
    done = [
        {"type": "response.output_item.done", "output_index": n, "item": i}
        for n, i in enumerate((message, call))
    ]
    late = decode(tools, *done, completed())
    assert (late.text, late.tool_calls[0].arguments) == ("hello", {"a": 1})
    bare = decode(tools, {"type": "response.output_text.delta", "item_id": "x", "delta": "hi"}, completed())
    assert bare.text == "hi"


def test_unknown_items_and_events_are_passed_over(tools: Any) -> None:
    search = {"type": "web_search_call", "id": "ws_1"}
    message = decode(
        tools,
        {"type": "response.output_item.added", "output_index": 0, "item": search},
        {"type": "response.web_search_call.searching", "output_index": 0},
        {"type": "response.output_item.done", "output_index": 0, "item": search},
        {"type": "keepalive"},
        completed(),
    )
    assert (message.content, message.stop_reason) == ([], "stop")


def test_calls_of_one_id_are_told_apart(tools: Any) -> None:
    call = {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"}
    message = decode(tools, completed(output=[call, call]))
    assert [each.id for each in message.tool_calls] == ["c", "c_2"]


def test_arguments_that_are_cut_off_are_no_arguments(tools: Any) -> None:
    item = {"type": "function_call", "id": "fc", "call_id": "c", "name": "write", "arguments": ""}
    message = decode(
        tools,
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"path":"a'},
        completed("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    )
    (call,) = message.tool_calls
    assert (message.stop_reason, call.arguments, call.invalid_arguments) == ("length", {}, '{"path":"a')


# --- requests -----------------------------------------------------------------------------------------


def payload(*history: Message, target: Model = MODEL, **options: Any) -> dict[str, Any]:
    from pi_term.ai.fit import fit_history

    made = StreamOptions(**options)
    context = Context("Be brief.", history)
    return build_payload(target, context, made, responses_compat(target), fit_history(history, target))


def said(*parts: Any) -> AssistantMessage:
    return AssistantMessage(
        list(parts), api=MODEL.api, provider=MODEL.provider, model=MODEL.id, stop_reason="stop"
    )


def item(number: int, **more: Any) -> str:
    return json.dumps({"type": "reasoning", "id": f"rs_{number}", "summary": [], **more})


def test_an_id_goes_back_only_with_the_reasoning_behind_it() -> None:
    text = TextContent("a", '{"v":1,"id":"msg_own","phase":"final_answer"}')
    kept = said(ThinkingContent("t", item(1, encrypted_content="E")), text)
    lost = said(ThinkingContent("t", item(2)), text)
    items = payload(UserMessage("x"), kept, UserMessage("y"))["input"]
    assert items[2] == {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "E"}
    assert (items[3]["id"], items[3]["phase"]) == ("msg_own", "final_answer")
    items = payload(UserMessage("x"), lost, UserMessage("y"))["input"]
    assert [each.get("type", "input") for each in items] == ["input", "input", "message", "input"]
    assert items[2]["id"] != "msg_own"


@pytest.mark.parametrize(
    ("retention", "compat", "sent"),
    [
        ("none", {}, {}),
        ("short", {}, {"prompt_cache_key": "s1"}),
        ("long", {}, {"prompt_cache_key": "s1", "prompt_cache_retention": "24h"}),
        ("long", {"supportsLongCacheRetention": False}, {"prompt_cache_key": "s1"}),
        ("short", {"promptCacheKeyMode": "disabled"}, {}),
        (
            "long",
            {"supportsExplicitPromptCacheMode": True},
            {"prompt_cache_key": "s1", "prompt_cache_options": {"ttl": "30m"}},
        ),
        ("none", {"supportsExplicitPromptCacheMode": True}, {"prompt_cache_options": {"mode": "explicit"}}),
    ],
)
def test_how_long_prompts_are_kept(retention: Any, compat: dict[str, Any], sent: dict[str, Any]) -> None:
    target = Model("m", "oair", "openai-responses", compat=compat)
    made = payload(UserMessage("x"), target=target, cache_retention=retention, session_id="s1")
    assert {key: value for key, value in made.items() if key.startswith("prompt_cache")} == sent


def test_levels_are_named_as_the_model_wants() -> None:
    levels = {"xhigh": "XX", "minimal": None, "off": None}
    named = Model("m", "o", "openai-responses", reasoning=True, thinking_level_map=levels)
    efforts = {
        level: payload(UserMessage("x"), target=named, thinking=level)["reasoning"]["effort"]
        for level in ("off", "minimal", "medium", "xhigh", "max")
    }
    assert efforts == {"off": "low", "minimal": "low", "medium": "medium", "xhigh": "XX", "max": "XX"}
    off = payload(UserMessage("x"), thinking="off")
    assert off["reasoning"] == {"effort": "none"}
    assert "include" not in off
    plain = payload(UserMessage("x"), target=Model("m", "o", "openai-responses"), thinking="high")
    assert "reasoning" not in plain
    assert plain["input"][0]["role"] == "system"


def test_a_session_id_and_its_call_id() -> None:
    from pi_term.ai.messages import ToolResultMessage

    call = ToolCall("call_1|fc_1", "read", {"path": "a"})
    result = ToolResultMessage("call_1|fc_1", "read", [TextContent("aaa")])
    items = payload(UserMessage("x"), said(call), result)["input"]
    assert [each["call_id"] for each in items[2:]] == ["call_1", "call_1"]
    assert "id" not in items[2]
