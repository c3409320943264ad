"""One request for a summary: what it holds, what counts as an answer, and trying again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pi_term.ai.faults import Fault, FaultKind, ProviderError
from pi_term.ai.messages import Cost, Usage
from pi_term.ai.stream import AssistantStream, StreamWriter
from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.coding.compaction.desk import SummaryDesk, TooLarge, added
from pi_term.coding.events import (
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
)
from pi_term.coding.retry import RetryPolicy
from pi_term.testing import Call, Fail, Reply, Say, ScriptedModel, Think, Wait, until


def fail(kind: FaultKind, text: str = "went wrong") -> list[Fail]:
    return [Fail(text, Fault(kind, text))]


async def test_a_request_has_no_tools_and_the_models_own_limit(office: Any) -> None:
    desk = office.desk(ScriptedModel([[Say("fine")]], max_tokens=5_000), thinking="high")
    assert await desk.ask("tell") == "fine"
    context, options = office.script.contexts[0], office.script.options[0]
    assert context.tools == []
    assert "summary" in context.system_prompt
    assert options.max_tokens == 5_000
    assert options.thinking == "off"  # the model cannot
    assert office.requests == ["tell"]
    assert office.told == []


async def test_a_model_that_reasons_does_so_as_hard_as_it_is_set(office: Any) -> None:
    desk = office.desk(ScriptedModel([[Say("fine")]], reasoning=True), thinking="low")
    await desk.ask("tell")
    assert office.script.options[0].thinking == "low"


async def test_the_answer_is_limited_so_that_all_fits_the_window(office: Any) -> None:
    desk = office.desk(ScriptedModel([[Say("fine")]], context_window=20_000, max_tokens=20_000))
    await desk.ask("x" * desk.input_chars)
    limit = office.script.options[0].max_tokens
    assert 20_000 // 4 - 50 <= limit <= 20_000 - desk.input_chars // 4


async def test_only_text_counts(office: Any) -> None:
    parts = [Think("hm"), Say(" one "), Call("read", {"path": "x"}), Say("two\n")]
    assert await office.desk(ScriptedModel([parts])).ask("tell") == "one \ntwo"


@pytest.mark.parametrize(
    ("reply", "code", "text"),
    [
        (Reply([Say("half of it")], stop="length"), "summary_cut_off", "cut off"),
        (Reply([Think("hm")]), "summary_empty", "empty"),
        (Reply([Say(" \n ")]), "summary_empty", "empty"),
        (Reply([Call("read", {})]), "summary_empty", "empty"),
        (Reply(fail("quota", "pay first")), "summary_failed", "pay first"),
        (Reply([Fail("strange")]), "summary_failed", "strange"),
    ],
)
async def test_what_is_no_summary(office: Any, reply: Reply, code: str, text: str) -> None:
    with pytest.raises(PiTermError, match=text) as caught:
        await office.desk(ScriptedModel([reply])).ask("tell")
    assert caught.value.code == code


async def test_what_keeps_a_request_from_starting(office: Any) -> None:
    async def refuse(*request: Any) -> AssistantStream:
        raise PiTermError("no_key", "There is no key.", "Log in.")

    desk = office.desk(ScriptedModel())
    desk.stream = refuse
    with pytest.raises(PiTermError, match="There is no key") as caught:
        await desk.ask("tell")
    assert (caught.value.code, caught.value.hint) == ("summary_failed", "Log in.")


async def test_an_overflow_is_for_the_caller(office: Any) -> None:
    with pytest.raises(TooLarge):
        await office.desk(ScriptedModel([fail("overflow")])).ask("tell")
    assert office.told == []


async def test_passing_failures_are_waited_out(office: Any) -> None:
    script = ScriptedModel([fail("transient", "busy"), fail("network", "gone"), [Say("fine")]])
    assert await office.desk(script, reason="threshold").ask("tell") == "fine"
    assert office.requests == ["tell"] * 3
    assert office.told == [
        SummarizationRetryScheduled(1, 3, 0, "busy"),
        SummarizationRetryAttemptStart("compaction", "threshold"),
        SummarizationRetryScheduled(2, 3, 0, "gone"),
        SummarizationRetryAttemptStart("compaction", "threshold"),
        SummarizationRetryFinished(),
    ]


async def test_not_for_ever(office: Any) -> None:
    script = ScriptedModel(answer=lambda context: fail("transient", "busy"))
    with pytest.raises(PiTermError, match="busy"):
        await office.desk(script, reason=None).ask("tell")
    assert len(office.requests) == 4
    assert office.told[1] == SummarizationRetryAttemptStart("branchSummary", None)
    assert office.told[-1] == SummarizationRetryFinished()


async def test_calling_off_ends_the_wait_at_once(office: Any) -> None:
    script = ScriptedModel([fail("transient")])
    office.hear = lambda event: asyncio.get_running_loop().call_soon(office.controller.abort)
    desk = office.desk(script, retry=RetryPolicy(base_delay_ms=3_600_000, max_delay_ms=3_600_000))
    async with asyncio.timeout(30):
        with pytest.raises(AbortError):
            await desk.ask("tell")
    assert [event.type for event in office.told] == [
        "summarization_retry_scheduled",
        "summarization_retry_finished",
    ]


async def test_calling_off_ends_the_request(office: Any) -> None:
    desk = office.desk(ScriptedModel([[Say("one"), Wait(asyncio.Event())]]))
    asking = asyncio.create_task(desk.ask("tell"))
    await until(lambda: bool(office.script.contexts))
    office.controller.abort()
    with pytest.raises(AbortError):
        await asking
    with pytest.raises(AbortError):
        await desk.ask("again")
    assert len(office.requests) == 1


async def test_a_cancelled_caller_leaves_no_request_behind(office: Any) -> None:
    desk = office.desk(ScriptedModel([[Say("one"), Wait(asyncio.Event())]]))
    asking = asyncio.create_task(desk.ask("tell"))
    await until(lambda: bool(office.script.contexts))
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "model stream"]


async def test_failed_tries_are_paid_for_too(office: Any) -> None:
    desk: SummaryDesk = office.desk(ScriptedModel())
    used = Usage(input=10, output=2, cache_read=3, cache_write=4, total_tokens=19, cost=Cost(total=0.5))
    tries = 0

    async def produce(writer: StreamWriter) -> None:
        nonlocal tries
        tries += 1
        writer.message.usage = used
        if tries < 3:
            raise ProviderError(Fault("transient", "busy"))
        writer.text(writer.start_text(), "fine")
        writer.finish("stop")

    async def stream(*request: Any) -> AssistantStream:
        return AssistantStream(desk.model, produce)

    desk.stream = stream
    assert await desk.ask("tell") == "fine"
    assert (desk.usage.input, desk.usage.cache_read, desk.usage.total_tokens) == (30, 9, 57)
    assert desk.usage.cost.total == 1.5
    assert used.input == 10


def test_reasoning_is_added_where_it_is_known() -> None:
    assert added(Usage(), Usage()).reasoning is None
    assert added(Usage(reasoning=2), Usage()).reasoning == 2
