from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.events import StreamError, StreamEvent, TextDelta
from pi_term.ai.faults import Fault, ProviderError
from pi_term.ai.messages import TextContent, ThinkingContent, ToolCall
from pi_term.ai.models import Model
from pi_term.ai.stream import AssistantStream, Producer, StreamWriter, failed_stream
from pi_term.base.abort import AbortController, AbortError
from pi_term.base.errors import PiTermError
from pi_term.base.log import remember_secret
from pi_term.testing import until

MODEL = Model(id="some-model", provider="some-provider", api="some-api")


@pytest.fixture(autouse=True)
def nothing_for_the_loop_to_complain_about(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No test leaves an exception that nobody retrieved, or a task that was destroyed."""
    yield
    gc.collect()
    assert not [record.getMessage() for record in caplog.records if record.name == "asyncio"]


async def read(stream: AssistantStream) -> list[StreamEvent]:
    async with asyncio.timeout(30):
        return [event async for event in stream]


def kinds(events: list[StreamEvent]) -> list[str]:
    return [event.type for event in events]


async def everything(writer: StreamWriter) -> None:
    thought = writer.start_thinking()
    writer.thinking(thought, "hm")
    writer.end(thought)
    text = writer.start_text()
    writer.text(text, "hello")
    writer.end(text)
    call = writer.start_tool_call("call-1", "read")
    writer.tool_call(call, '{"path": "x"}')
    writer.end_tool_call(call, {"path": "x"})
    writer.finish("toolUse")


# --- order and identity


async def test_events_come_in_order_and_name_their_block() -> None:
    events = await read(AssistantStream(MODEL, everything))
    assert kinds(events) == [
        "start",
        "thinking_start", "thinking_delta", "thinking_end",
        "text_start", "text_delta", "text_end",
        "toolcall_start", "toolcall_delta", "toolcall_end",
        "done",
    ]  # fmt: skip
    indices = [event.content_index for event in events[1:-1]]  # type: ignore[union-attr]
    assert indices == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert [events[3].content, events[6].content] == ["hm", "hello"]  # type: ignore[union-attr]
    assert events[9].tool_call.arguments == {"path": "x"}  # type: ignore[union-attr]
    assert events[-1].reason == "toolUse"  # type: ignore[union-attr]


async def test_partial_is_the_one_growing_message() -> None:
    stream = AssistantStream(MODEL, everything)
    events = await read(stream)
    assert all(event.partial is stream.message for event in events[:-1])  # type: ignore[union-attr]
    assert events[-1].message is await stream.result() is stream.message  # type: ignore[union-attr]


async def test_the_message_says_who_answers_from_the_start_and_how_it_ended_at_the_end() -> None:
    stream = AssistantStream(MODEL, everything)
    message = stream.message
    assert (message.api, message.provider, message.model) == ("some-api", "some-provider", "some-model")
    assert message.stop_reason == "pending"
    await stream.result()
    assert message.stop_reason == "toolUse"
    assert message.error_message is None
    assert message.duration_ms is not None
    assert [type(part) for part in message.content] == [ThinkingContent, TextContent, ToolCall]


async def test_a_reader_sees_each_piece_as_it_arrives() -> None:
    gate = asyncio.Event()

    async def produce(writer: StreamWriter) -> None:
        index = writer.start_text()
        writer.text(index, "first ")
        await gate.wait()
        writer.text(index, "second")
        writer.end(index)
        writer.finish("stop")

    seen: list[str] = []
    async with asyncio.timeout(30):
        async for event in AssistantStream(MODEL, produce):
            if isinstance(event, TextDelta):
                part = event.partial.content[0]
                assert isinstance(part, TextContent)
                seen.append(f"{event.delta}|{part.text}")
                gate.set()
    assert seen == ["first |first ", "second|first second"]


async def test_interleaved_blocks_keep_their_own_text() -> None:
    async def produce(writer: StreamWriter) -> None:
        one, two = writer.start_text(), writer.start_text()
        for index, piece in ((one, "a"), (two, "x"), (one, "b"), (two, "y")):
            writer.text(index, piece)
        writer.end(two)
        writer.end(one)
        writer.finish("stop")

    message = await AssistantStream(MODEL, produce).result()
    assert [part.text for part in message.content] == ["ab", "xy"]  # type: ignore[union-attr]


async def test_an_answer_without_content_still_starts_and_is_done() -> None:
    async def produce(writer: StreamWriter) -> None:
        writer.finish("stop")

    assert kinds(await read(AssistantStream(MODEL, produce))) == ["start", "done"]


async def test_ending_a_block_twice_ends_it_once() -> None:
    async def produce(writer: StreamWriter) -> None:
        index = writer.start_text()
        writer.end(index)
        writer.end(index)
        writer.finish("stop")

    assert kinds(await read(AssistantStream(MODEL, produce))) == ["start", "text_start", "text_end", "done"]


@pytest.mark.parametrize("reason", ["stop", "length", "toolUse"])
async def test_blocks_left_open_are_closed_before_the_end(reason: str) -> None:
    async def produce(writer: StreamWriter) -> None:
        index = writer.start_text()
        writer.text(index, "cut sho")
        writer.start_tool_call("call-1", "write")
        writer.finish(reason)  # type: ignore[arg-type]

    stream = AssistantStream(MODEL, produce)
    events = await read(stream)
    assert kinds(events)[-3:] == ["text_end", "toolcall_end", "done"]
    assert events[-1].reason == stream.message.stop_reason == reason  # type: ignore[union-attr]


async def test_a_call_that_was_not_whole_is_marked_so_that_it_never_runs() -> None:
    """B-042."""

    async def produce(writer: StreamWriter) -> None:
        one = writer.start_tool_call("call-1", "write")
        writer.tool_call(one, '{"path": "a', {"path": "a"})
        writer.end_tool_call(one, None, '{"path": "a')
        two = writer.start_tool_call("call-2", "write")
        writer.tool_call(two, '{"path": "b', {"path": "b"})
        writer.finish("toolUse")

    message = await AssistantStream(MODEL, produce).result()
    assert [call.invalid_arguments for call in message.tool_calls] == ['{"path": "a', ""]
    assert [call.arguments for call in message.tool_calls] == [{}, {}]


async def test_arguments_are_there_while_they_arrive() -> None:
    gate = asyncio.Event()

    async def produce(writer: StreamWriter) -> None:
        index = writer.start_tool_call("call-1", "read")
        writer.tool_call(index, '{"path": "a', {"path": "a"})
        await gate.wait()
        writer.end_tool_call(index, {"path": "ab"})
        writer.finish("toolUse")

    stream = AssistantStream(MODEL, produce)
    async with asyncio.timeout(30):
        async for event in stream:
            if event.type == "toolcall_delta":
                assert stream.message.tool_calls[0].arguments == {"path": "a"}
                gate.set()
    assert stream.message.tool_calls[0].arguments == {"path": "ab"}


# --- readers


async def test_the_result_needs_no_reader() -> None:
    message = await AssistantStream(MODEL, everything).result()
    assert message.text == "hello"


async def test_what_nobody_read_can_be_read_after_the_result() -> None:
    stream = AssistantStream(MODEL, everything)
    await stream.result()
    assert kinds(await read(stream))[-1] == "done"


async def test_nothing_is_requested_before_somebody_wants_it() -> None:
    asked: list[bool] = []

    async def produce(writer: StreamWriter) -> None:
        asked.append(True)
        writer.finish("stop")

    stream = AssistantStream(MODEL, produce)
    await asyncio.sleep(0)
    assert not asked
    await stream.result()
    await stream.result()
    assert asked == [True]


async def test_a_slow_reader_does_not_hold_the_producer_up() -> None:
    done = asyncio.Event()

    async def produce(writer: StreamWriter) -> None:
        index = writer.start_text()
        for _ in range(100):
            writer.text(index, "x")
            await asyncio.sleep(0)
        writer.finish("stop")
        done.set()

    events = aiter(AssistantStream(MODEL, produce))
    await anext(events)
    async with asyncio.timeout(30):
        await done.wait()
    rest = [event async for event in events]
    assert "".join(event.delta for event in rest if isinstance(event, TextDelta)) == "x" * 100


async def test_giving_up_on_the_result_does_not_stop_the_stream() -> None:
    gate = asyncio.Event()

    async def produce(writer: StreamWriter) -> None:
        await gate.wait()
        writer.text(writer.start_text(), "whole")
        writer.finish("stop")

    stream = AssistantStream(MODEL, produce)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(stream.result(), 0)
    gate.set()
    assert (await stream.result()).text == "whole"


# --- merging


async def test_unread_pieces_merge_up_to_a_size() -> None:
    async def produce(writer: StreamWriter) -> None:
        index = writer.start_text()
        for _ in range(10_000):
            writer.text(index, "word ")
        writer.finish("stop")

    stream = AssistantStream(MODEL, produce)
    await stream.result()
    deltas = [event.delta for event in await read(stream) if isinstance(event, TextDelta)]
    assert "".join(deltas) == "word " * 10_000
    assert len(deltas) < 50
    assert max(map(len, deltas)) < 3_000


_KINDS = ("text", "thinking", "call")
_ACTIONS = st.lists(st.tuples(st.sampled_from(_KINDS), st.integers(0, 2), st.text(max_size=900)), max_size=40)


@settings(max_examples=75, deadline=None)
@given(actions=_ACTIONS, pauses=st.lists(st.booleans(), max_size=40))
def test_merging_loses_and_mixes_nothing(actions: list[tuple[str, int, str]], pauses: list[bool]) -> None:
    """However deltas of several blocks interleave and whenever the reader looks, each block is whole."""
    sent: dict[int, str] = {}

    async def produce(writer: StreamWriter) -> None:
        opened: dict[tuple[str, int], int] = {}
        for number, (kind, which, piece) in enumerate(actions):
            if (kind, which) not in opened:
                opened[kind, which] = {
                    "text": writer.start_text,
                    "thinking": writer.start_thinking,
                    "call": lambda which=which: writer.start_tool_call(f"call-{which}", "read"),
                }[kind]()
            index = opened[kind, which]
            add = {"text": writer.text, "thinking": writer.thinking, "call": writer.tool_call}[kind]
            add(index, piece)
            sent[index] = sent.get(index, "") + piece
            if pauses[number : number + 1] == [True]:
                await asyncio.sleep(0)
        writer.finish("stop")

    stream = AssistantStream(MODEL, produce)
    events = asyncio.run(read(stream))
    received: dict[int, str] = {}
    last: dict[int, str] = {}
    for event in events[1:-1]:
        index = event.content_index  # type: ignore[union-attr]
        assert last.get(index, "") not in ("text_end", "thinking_end", "toolcall_end")
        assert (index in last) != event.type.endswith("_start")
        if event.type.endswith("_delta"):
            received[index] = received.get(index, "") + event.delta  # type: ignore[union-attr]
        last[index] = event.type
    assert received == sent
    assert all(kind.endswith("_end") for kind in last.values())
    for index, part in enumerate(stream.message.content):
        if not isinstance(part, ToolCall):
            assert (part.text if isinstance(part, TextContent) else part.thinking) == sent[index]
    assert [event.type for event in events].count("done") == 1


# --- abort


async def test_aborted_before_the_start_nothing_is_requested() -> None:
    asked: list[bool] = []

    async def produce(writer: StreamWriter) -> None:
        asked.append(True)

    controller = AbortController()
    controller.abort()
    stream = AssistantStream(MODEL, produce, controller.signal)
    events = await read(stream)
    assert kinds(events) == ["error"]
    assert events[0].reason == "aborted"  # type: ignore[union-attr]
    assert (await stream.result()).stop_reason == "aborted"
    assert not asked


async def half_then_wait(writer: StreamWriter) -> None:
    index = writer.start_text()
    writer.text(index, "half an ans")
    writer.start_tool_call("call-1", "write")
    await asyncio.Event().wait()


async def test_an_abort_keeps_what_came_and_ends_the_stream_at_once() -> None:
    controller = AbortController()
    stream = AssistantStream(MODEL, half_then_wait, controller.signal)
    reading = asyncio.create_task(read(stream))
    await until(lambda: len(stream.message.content) == 2)
    controller.abort()
    events = await reading
    assert kinds(events)[-2:] == ["text_end", "error"]
    assert "toolcall_end" not in kinds(events)
    assert isinstance(events[-1], StreamError)
    assert events[-1].error is stream.message
    assert events[-1].reason == stream.message.stop_reason == "aborted"
    assert stream.message.text == "half an ans"
    assert stream.message.error_message


async def test_the_producer_has_cleaned_up_when_an_aborted_stream_ends() -> None:
    controller = AbortController()
    cleaned: list[bool] = []

    async def produce(writer: StreamWriter) -> None:
        writer.start()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)  # closing a connection takes a moment
            cleaned.append(True)

    stream = AssistantStream(MODEL, produce, controller.signal)
    async with asyncio.timeout(30):
        async for event in stream:
            if event.type == "start":
                controller.abort()
    assert cleaned


async def test_what_goes_wrong_while_an_abort_cleans_up_is_no_failure() -> None:
    """Escape must never look like an error of the provider, which would be retried."""
    controller = AbortController()
    begun = asyncio.Event()

    async def produce(writer: StreamWriter) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise ConnectionError("closed under our hands")

    stream = AssistantStream(MODEL, produce, controller.signal)
    reading = asyncio.create_task(read(stream))
    await begun.wait()
    controller.abort()
    events = await reading
    assert (kinds(events)[-1], stream.message.stop_reason) == ("error", "aborted")
    assert stream.message.fault is None


async def test_a_producer_that_returns_when_cancelled_was_aborted_too() -> None:
    controller = AbortController()
    begun = asyncio.Event()

    async def produce(writer: StreamWriter) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return

    stream = AssistantStream(MODEL, produce, controller.signal)
    asking = asyncio.create_task(stream.result())
    await begun.wait()
    controller.abort()
    assert (await asking).stop_reason == "aborted"


async def test_an_answer_that_was_whole_before_the_abort_stays_whole() -> None:
    controller = AbortController()

    async def produce(writer: StreamWriter) -> None:
        writer.text(writer.start_text(), "whole")
        writer.finish("stop")
        controller.abort()

    stream = AssistantStream(MODEL, produce, controller.signal)
    assert kinds(await read(stream))[-1] == "done"
    controller.abort()
    assert (await stream.result()).stop_reason == "stop"


async def test_the_signal_forgets_a_stream_that_has_ended() -> None:
    """One signal serves a whole run with many calls."""
    controller = AbortController()
    stream = AssistantStream(MODEL, everything, controller.signal)
    await stream.result()
    left = weakref.ref(stream)
    del stream
    gc.collect()
    assert left() is None


# --- failure


async def test_an_exception_becomes_the_last_event() -> None:
    async def produce(writer: StreamWriter) -> None:
        index = writer.start_text()
        writer.text(index, "half")
        raise ValueError("the server is on fire")

    stream = AssistantStream(MODEL, produce)
    events = await read(stream)
    assert kinds(events) == ["start", "text_start", "text_delta", "error"]
    assert (events[-1].reason, stream.message.stop_reason) == ("error", "error")  # type: ignore[union-attr]
    assert stream.message.error_message == "the server is on fire"
    assert stream.message.text == "half"


async def test_an_exception_without_words_is_named() -> None:
    assert (await failed_stream(MODEL, KeyError()).result()).error_message == "KeyError"


async def test_secrets_are_cut_out_of_what_went_wrong() -> None:
    remember_secret("hunter2hunter2")
    said = "refused: key hunter2hunter2, Authorization: Bearer abc.def.ghi, sk-proj-0123456789"
    message = await failed_stream(MODEL, RuntimeError(said)).result()
    assert message.error_message is not None
    assert "refused" in message.error_message
    assert not [secret for secret in ("hunter2", "abc.def", "0123456789") if secret in message.error_message]


async def test_an_error_for_people_comes_with_its_hint() -> None:
    error = PiTermError("no_key", "There is no key.", "Set one.")
    assert (await failed_stream(MODEL, error).result()).error_message == "There is no key. Set one."


async def test_the_fault_of_a_provider_travels_on_the_message() -> None:
    fault = Fault("transient", "overloaded", retry_after=7)
    message = await failed_stream(MODEL, ProviderError(fault)).result()
    assert message.fault is fault
    assert message.error_message == "overloaded"


@pytest.mark.parametrize("content", [False, True])
async def test_a_stream_without_its_end_marker_has_failed(content: bool) -> None:
    """B-039."""

    async def produce(writer: StreamWriter) -> None:
        writer.start()
        if content:
            index = writer.start_text()
            writer.text(index, "looks complete.")
            writer.end(index)

    stream = AssistantStream(MODEL, produce)
    events = await read(stream)
    assert kinds(events)[-1] == "error"
    assert stream.message.stop_reason == "error"
    assert "complete" in (stream.message.error_message or "")


async def test_a_failure_after_the_end_marker_is_a_failure() -> None:
    async def produce(writer: StreamWriter) -> None:
        writer.finish("stop")
        raise ValueError("late")

    assert (await AssistantStream(MODEL, produce).result()).stop_reason == "error"


@pytest.mark.parametrize("reason", ["stop", "error", "aborted"])
async def test_the_end_is_told_once_and_last(reason: str) -> None:
    async def produce(writer: StreamWriter) -> None:
        writer.text(writer.start_text(), "x")
        if reason == "error":
            raise ValueError
        if reason == "aborted":
            raise AbortError("no longer wanted")
        writer.finish("stop")

    found = kinds(await read(AssistantStream(MODEL, produce)))
    assert [kind for kind in found if kind in ("done", "error")] == [found[-1]]
    assert found[-1] == ("done" if reason == "stop" else "error")


async def test_a_failed_stream_only_ends() -> None:
    stream = failed_stream(MODEL, ValueError("no such thing"))
    assert kinds(await read(stream)) == ["error"]
    assert (await stream.result()).error_message == "no such thing"


# --- closing


async def test_closing_stops_the_producer_and_keeps_what_came() -> None:
    stopped: list[bool] = []

    async def produce(writer: StreamWriter) -> None:
        try:
            await half_then_wait(writer)
        finally:
            await asyncio.sleep(0.01)
            stopped.append(True)

    signal = AbortController().signal
    stream = AssistantStream(MODEL, produce, signal)
    async with asyncio.timeout(30):
        async for event in stream:
            if event.type == "text_delta":
                break
    await stream.aclose()
    assert stopped
    assert stream.message.text == "half an ans"
    assert stream.message.stop_reason == "aborted"


async def test_closing_wakes_those_who_wait() -> None:
    stream = AssistantStream(MODEL, half_then_wait)
    reading, asking = asyncio.create_task(read(stream)), asyncio.create_task(stream.result())
    await until(lambda: len(stream.message.content) == 2)
    await stream.aclose()
    assert kinds(await reading)[-1] == "error"
    assert (await asking).stop_reason == "aborted"


async def test_closing_in_the_very_moment_of_the_start_wakes_the_reader() -> None:
    stream = AssistantStream(MODEL, half_then_wait)
    reading, closing = asyncio.create_task(read(stream)), asyncio.create_task(stream.aclose())
    assert kinds(await reading)[-1] == "error"
    await closing
    assert stream.message.stop_reason == "aborted"


async def test_a_closed_stream_never_starts() -> None:
    asked: list[bool] = []

    async def produce(writer: StreamWriter) -> None:
        asked.append(True)

    stream = AssistantStream(MODEL, produce)
    await stream.aclose()
    assert kinds(await read(stream)) == ["error"]
    assert not asked


async def test_closing_a_stream_that_is_done_changes_nothing() -> None:
    stream = AssistantStream(MODEL, everything)
    await stream.result()
    await stream.aclose()
    await stream.aclose()
    assert stream.message.stop_reason == "toolUse"
    assert kinds(await read(stream))[-1] == "done"


def test_a_stream_that_nobody_wanted_leaves_no_trace() -> None:
    async def make() -> None:
        AssistantStream(MODEL, everything)
        failed_stream(MODEL, ValueError())

    asyncio.run(make())


@pytest.mark.parametrize("producer", [everything, half_then_wait])
def test_the_program_can_end_under_a_stream(producer: Producer) -> None:
    async def look_and_leave() -> AssistantStream:
        stream = AssistantStream(MODEL, producer)
        await anext(aiter(stream))
        return stream

    stream = asyncio.run(look_and_leave())
    assert stream.message.stop_reason in ("toolUse", "aborted")


async def test_a_producer_that_ignores_its_cancellation_holds_nobody_up() -> None:
    controller, release = AbortController(), asyncio.Event()

    async def stubborn(writer: StreamWriter) -> None:
        index = writer.start_text()
        writer.text(index, "begun")
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        writer.text(index, " and gone on")
        writer.finish("stop")

    stream = AssistantStream(MODEL, stubborn, controller.signal)
    asyncio.get_running_loop().call_later(0.05, controller.abort)
    seen = await read(stream)
    final = await stream.result()
    assert (final.stop_reason, final.text) == ("aborted", "begun")
    assert isinstance(seen[-1], StreamError)
    assert seen[-1].error is final
    release.set()
    await asyncio.sleep(0.01)
    assert final.text == "begun"
