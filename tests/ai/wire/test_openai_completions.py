from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.faults import ProviderError
from pi_term.ai.messages import TextContent, ThinkingContent, ToolCall, UserMessage
from pi_term.ai.models import Model, ModelCost
from pi_term.ai.tools import Tool
from pi_term.ai.wire import openai_completions
from pi_term.ai.wire.compat import openai_compat
from pi_term.ai.wire.openai_completions import ChunkDecoder

MODEL = Model("m", "oai", "openai-completions", base_url="http://test/v1", cost=ModelCost(1, 2, 0.1, 0))


def chunk(delta: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-1", "model": "m", "choices": [choice], **more}


def tool(index: int | None, id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    piece: dict[str, Any] = {"function": {"arguments": arguments}}
    if name is not None:
        piece["function"]["name"] = name
    if index is not None:
        piece["index"] = index
    if id is not None:
        piece["id"] = id
    return {"tool_calls": [piece]}


def sse(*chunks: Any, done: bool = True) -> bytes:
    lines = [chunk if isinstance(chunk, str) else f"data: {json.dumps(chunk)}" for chunk in chunks]
    return "".join(f"{line}\n\n" for line in [*lines, *(["data: [DONE]"] if done else [])]).encode()


def decoder(writer: Any, model: Model = MODEL) -> ChunkDecoder:
    return ChunkDecoder(writer, model, openai_compat(model))


USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 500,
    "total_tokens": 1500,
    "prompt_tokens_details": {"cached_tokens": 800},
    "completion_tokens_details": {"reasoning_tokens": 300},
}
WHOLE = sse(
    chunk({"role": "assistant", "content": ""}),
    chunk({"reasoning_content": "I should "}),
    chunk({"reasoning_content": "look. 🤔"}),
    chunk({"content": "Let me "}),
    chunk({"content": "see — ü."}),
    chunk(tool(0, "call_a", "read", '{"pa')),
    chunk(tool(1, "call_b", "bash", '{"command":"ls"}')),
    chunk(tool(0, None, None, 'th":"x"}')),
    chunk({}, "tool_calls"),
    {"id": "chatcmpl-1", "choices": [], "usage": USAGE},
)
WHOLE_PARTS = [
    ThinkingContent("I should look. 🤔", "reasoning_content"),
    TextContent("Let me see — ü."),
    ToolCall("call_a", "read", {"path": "x"}),
    ToolCall("call_b", "bash", {"command": "ls"}),
]


@settings(max_examples=60)
@given(places=st.lists(st.integers(0, 5000), max_size=20))
def test_any_cutting_of_the_stream_gives_the_same_message(tools: Any, places: list[int]) -> None:
    message, events = tools.decode(decoder, tools.cut(WHOLE, places))
    assert message.content == WHOLE_PARTS
    assert message.stop_reason == "toolUse"
    assert message.raw_stop_reason == "tool_calls"
    assert message.response_id == "chatcmpl-1"
    deltas = [event.delta for event in events if event.type == "text_delta"]
    assert "".join(deltas) == "Let me see — ü."


async def test_events_tell_the_story_in_order(tools: Any) -> None:
    call = await tools.call(openai_completions, MODEL, [WHOLE])
    kinds = [kind for kind, before in zip(call.kinds, ["", *call.kinds], strict=False) if kind != before]
    assert kinds == [
        *("start", "thinking_start", "thinking_delta", "text_start", "text_delta"),
        *("toolcall_start", "toolcall_delta", "toolcall_start", "toolcall_delta"),
        *("thinking_end", "text_end", "toolcall_end", "done"),
    ]
    assert call.events[-1].message is call.message
    assert call.message.fault is None


def test_tokens_are_counted_once(tools: Any) -> None:
    usage = tools.decode(decoder, [WHOLE])[0].usage
    assert (usage.input, usage.cache_read, usage.output, usage.reasoning) == (200, 800, 500, 300)
    assert usage.total_tokens == 1500
    assert usage.cost.total == pytest.approx((200 * 1 + 800 * 0.1 + 500 * 2) / 1e6)


def test_reasoning_that_a_server_counts_apart_is_output_too(tools: Any) -> None:
    apart = {**USAGE, "completion_tokens": 200, "total_tokens": 1500}
    usage = tools.decode(decoder, [sse(chunk({"content": "x"}, "stop", usage=apart))])[0].usage
    assert (usage.output, usage.total_tokens) == (500, 1500)


def test_odd_chunks_are_passed_over(tools: Any) -> None:
    stream = sse(
        ": comment",
        "data: null",
        "event: surprise\ndata: {}",
        {"id": "chatcmpl-1"},
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        chunk(None),
        chunk({"content": None, "tool_calls": None}),
        chunk({"content": "te", "tool_calls": [None, 3]}),
        chunk({"content": [{"type": "text", "text": "xt"}]}),
        chunk({"role": "assistant", "content": 7}),
        {
            "choices": [
                {"delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 5, "completion_tokens": 2}}
            ]
        },
    )
    message, _ = tools.decode(decoder, [stream])
    assert message.content == [TextContent("text")]
    assert (message.stop_reason, message.usage.input, message.usage.output) == ("stop", 5, 2)


@pytest.mark.parametrize("names", [("read", None, None), ("read", "read", "read")])
def test_a_gateway_that_changes_ids_on_the_way_makes_no_extra_calls(
    tools: Any, names: tuple[str | None, ...]
) -> None:
    stream = sse(
        chunk(tool(0, "a", names[0], '{"pa')),
        chunk(tool(1, "z", "bash", '{"command":')),
        chunk(tool(0, "b", names[1], 'th":"x')),
        chunk(tool(1, "y", None, '"ls"}')),
        chunk(tool(0, None, names[2], '"}')),
        chunk({}, "tool_calls"),
    )
    message, _ = tools.decode(decoder, [stream])
    assert message.content == [ToolCall("a", "read", {"path": "x"}), ToolCall("z", "bash", {"command": "ls"})]


@pytest.mark.parametrize(
    "pieces",
    [
        [tool(0, "a", "read", '{"path":"1"}'), tool(0, "b", "read", '{"path":"2"}')],
        [
            tool(None, "a", "read", '{"path":'),
            tool(None, None, None, '"1"}'),
            tool(None, "b", "read", {"path": "2"}),
        ],
        [tool(0, "a", None, '{"path":'), tool(0, "a", "read", '"1"}'), tool(1, "b", "read", '{"path":"2"}')],
        [
            tool(0, "a", "read", '{"path":"1"}'),
            tool(None, "b", "read", '{"path":'),
            tool(None, "b", None, '"2"}'),
        ],
    ],
)
def test_calls_are_told_apart_however_servers_number_them(tools: Any, pieces: list[dict[str, Any]]) -> None:
    message, _ = tools.decode(decoder, [sse(*map(chunk, pieces), chunk({}, "stop"))])
    assert message.content == [ToolCall("a", "read", {"path": "1"}), ToolCall("b", "read", {"path": "2"})]
    assert message.stop_reason == "toolUse"


def test_calls_without_or_with_equal_ids_get_ids_of_their_own(tools: Any) -> None:
    pieces = [
        tool(0, "", "read", "{}"),
        tool(1, None, "read", "{}"),
        tool(2, "c", "read", "{}"),
        tool(3, "c", "read", "{}"),
    ]
    message, _ = tools.decode(decoder, [sse(*map(chunk, pieces), chunk({}, "tool_calls"))])
    ids = [part.id for part in message.content]
    assert len(set(ids)) == 4
    assert all(ids)


@pytest.mark.parametrize("finish", ["length", "tool_calls"])
def test_cut_off_arguments_are_kept_apart_and_never_arguments(tools: Any, finish: str) -> None:
    received = '{"path":"a.py","content":"print(1)\\nprint('
    message, _ = tools.decode(decoder, [sse(chunk(tool(0, "c", "write", received)), chunk({}, finish))])
    call = message.content[0]
    assert call.arguments == {}
    assert call.invalid_arguments == received
    assert message.stop_reason == ("length" if finish == "length" else "toolUse")


def test_a_call_whose_name_never_came_is_still_shown(tools: Any) -> None:
    message, _ = tools.decode(decoder, [sse(chunk(tool(0, "c", None, "{}")), chunk({}, "tool_calls"))])
    assert message.content == [ToolCall("c", "", {})]


def test_an_answer_may_be_empty(tools: Any) -> None:
    message, _ = tools.decode(decoder, [sse(chunk({"content": ""}, "stop"))])
    assert (message.content, message.stop_reason) == ([], "stop")


def test_blocks_keep_the_order_in_which_the_model_spoke(tools: Any) -> None:
    deltas = [{"reasoning": "r1"}, {"content": "t1"}, {"reasoning": "r2"}, {"content": "t2"}]
    message, _ = tools.decode(decoder, [sse(*map(chunk, deltas), chunk({}, "stop"))])
    assert [getattr(part, "text", None) or part.thinking for part in message.content] == [
        "r1",
        "t1",
        "r2",
        "t2",
    ]


def test_an_end_without_done_is_an_end(tools: Any) -> None:
    message, _ = tools.decode(decoder, [sse(chunk({"content": "x"}, "stop"), done=False)])
    assert message.stop_reason == "stop"


def test_a_server_known_for_not_saying_why_it_stops_is_believed(tools: Any) -> None:
    model = Model("m", "p", "openai-completions", compat={"supportsFinishReason": False})
    message, _ = tools.decode(lambda w: decoder(w, model), [sse(chunk({"content": "x"}))])
    assert message.stop_reason == "stop"
    with pytest.raises(ProviderError):
        tools.decode(lambda w: decoder(w, model), [b""])


# --- faults -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stream", "words", "kind"),
    [
        (sse(chunk({"content": "half"}), done=False), "finish_reason", "transient"),
        (sse(chunk({"content": "half"})), "finish_reason", "transient"),
        (sse(chunk(tool(0, "c", "read", '{"path":"a"}')), done=False), "finish_reason", "transient"),
        (b"", "finish_reason", "transient"),
        (sse(chunk({"content": "half"}), "data: {broken json"), "JSON", "transient"),
        (
            sse(chunk({"content": "half"}), {"error": {"message": "overloaded", "code": 503}}),
            "overloaded",
            "transient",
        ),
        (sse({"error": {"message": "maximum context length is 8"}}), "context", "overflow"),
        (sse(chunk({"content": "half"}, "content_filter")), "filter", "bad_request"),
        (sse(chunk({"content": "half"}, "error")), "error", "transient"),
    ],
)
async def test_what_breaks_off_becomes_an_error_that_keeps_what_came(
    tools: Any, stream: bytes, words: str, kind: str
) -> None:
    call = await tools.call(openai_completions, MODEL, [stream])
    assert call.kinds[-1] == "error"
    assert call.kinds.count("done") == 0
    assert call.message.stop_reason == "error"
    assert words in (call.message.error_message or "")
    assert call.message.fault.kind == kind
    if b"half" in stream:
        assert call.message.text == "half"


async def test_a_call_that_was_cut_shows_what_was_received(tools: Any) -> None:
    stream = sse(chunk(tool(0, "c", "write", '{"path":"a.py","content":"pri')), done=False)
    call = await tools.call(openai_completions, MODEL, [stream])
    assert call.message.content[0].arguments == {"path": "a.py", "content": "pri"}
    assert call.message.stop_reason == "error"


async def test_a_refusal_becomes_a_message_without_the_key(tools: Any) -> None:
    body = json.dumps(
        {"error": {"message": "bad key sk-very-secret-1234", "code": "invalid_api_key"}}
    ).encode()
    options = StreamOptions(api_key="sk-very-secret-1234")
    call = await tools.call(openai_completions, MODEL, [body], status=401, options=options)
    assert call.message.fault.kind == "auth"
    assert "401" in call.message.error_message
    assert "very-secret" not in call.message.error_message
    assert "very-secret" not in call.message.fault.message


# --- requests -----------------------------------------------------------------------------------------


async def test_the_request_goes_where_the_model_lives_with_its_key(tools: Any) -> None:
    context = Context("Be brief.", [UserMessage("hi")], [Tool("read", "Reads.", {"type": "object"})])
    options = StreamOptions(api_key="k1", headers={"X-Extra": "1"}, session_id="s")
    call = await tools.call(openai_completions, MODEL, [WHOLE], context=context, options=options)
    assert str(call.request.url) == "http://test/v1/chat/completions"
    assert call.request.headers["authorization"] == "Bearer k1"
    assert call.request.headers["x-extra"] == "1"
    assert "session_id" not in call.request.headers
    assert call.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "store": False,
        "max_completion_tokens": 16384,
        "tools": [
            {
                "type": "function",
                "function": {"name": "read", "description": "Reads.", "parameters": {"type": "object"}},
            }
        ],
    }


async def test_a_header_of_the_user_replaces_the_adapters_own(tools: Any) -> None:
    options = StreamOptions(api_key="k1", headers={"Authorization": "Custom x"})
    call = await tools.call(openai_completions, MODEL, [WHOLE], options=options)
    assert call.request.headers.get_list("authorization") == ["Custom x"]


async def test_half_a_surrogate_pair_does_not_spoil_the_request(tools: Any) -> None:
    context = Context("", [UserMessage("a\ud83d b \U0001f600")])
    call = await tools.call(openai_completions, MODEL, [WHOLE], context=context)
    assert call.body["messages"][0]["content"][0]["text"] == "a\ufffd b \U0001f600"
