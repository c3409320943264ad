from __future__ import annotations

import asyncio

import pytest

from pi_term.base.abort import AbortController, AbortError, run_abortable


async def test_callbacks_run_once_and_can_be_taken_back() -> None:
    controller, calls = AbortController(), []
    controller.signal.add_callback(lambda: calls.append("kept"))
    controller.signal.add_callback(lambda: calls.append("gone"))()
    controller.abort("because")
    controller.abort("again")
    assert calls == ["kept"]
    assert controller.signal.reason == "because"


async def test_a_late_callback_runs_at_once() -> None:
    controller, calls = AbortController(), []
    controller.abort()
    controller.signal.add_callback(lambda: calls.append(1))
    assert calls == [1]


async def test_work_that_reacts_keeps_its_result() -> None:
    controller = AbortController()

    async def work() -> str:
        await controller.signal.wait()
        return "what was done"

    running = asyncio.ensure_future(run_abortable(work(), controller.signal))
    await asyncio.sleep(0)
    controller.abort()
    assert await running == "what was done"


async def test_work_that_does_not_react_is_cancelled() -> None:
    controller = AbortController()
    controller.abort("stop")
    with pytest.raises(AbortError, match="stop"):
        await run_abortable(asyncio.sleep(60), controller.signal, grace=0)


async def test_cancelling_from_outside_is_not_an_abort() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    running = asyncio.ensure_future(run_abortable(work(), AbortController().signal))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.wait_for(ended.wait(), 5)
