from __future__ import annotations

import asyncio

import pytest

from pi_term.base.abort import GRACE, AbortController, AbortError, AbortSignal, run_abortable
from pi_term.base.log import log
from pi_term.testing.clock import run_in_virtual_time


async def test_callbacks_run_once_and_can_be_taken_back() -> None:
    controller, calls = AbortController(), []
    controller.signal.add_callback(lambda: calls.append("kept"))
    remove = controller.signal.add_callback(lambda: calls.append("gone"))
    remove()
    remove()
    controller.abort("because")
    controller.abort("again")
    assert calls == ["kept"]
    assert controller.signal.reason == "because"


async def test_a_late_callback_runs_at_once() -> None:
    controller, calls = AbortController(), []
    controller.abort()
    controller.signal.add_callback(lambda: calls.append(1))
    assert calls == [1]


async def test_a_callback_that_throws_keeps_nobody_from_hearing() -> None:
    controller, calls = AbortController(), []

    def bad() -> None:
        raise RuntimeError("of a callback")

    controller.signal.add_callback(bad)
    controller.signal.add_callback(lambda: calls.append(1))
    controller.abort()
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


def test_work_has_a_second_to_react_and_another_after_its_cancellation() -> None:
    """Whatever it does, the caller goes on after two."""

    async def polite() -> str:
        await asyncio.sleep(GRACE / 2)
        return "in time"

    async def cancellable() -> None:
        await asyncio.sleep(60)

    async def slow_to_clean_up() -> str:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(GRACE / 2)
        return ""

    async def saves_something() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(GRACE / 2)
        return "what was left"

    async def deaf() -> None:
        for _ in range(100):
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue

    async def seconds(work: object, outcome: str) -> float:
        controller = AbortController()
        controller.abort("stop")
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            result = await run_abortable(work, controller.signal)  # type: ignore[arg-type]
        except AbortError as error:
            result = f"AbortError: {error}"
        assert str(result) == outcome
        return loop.time() - began

    async def measure() -> None:
        assert await seconds(polite(), "in time") == pytest.approx(0.5)
        assert await seconds(cancellable(), "AbortError: stop") == pytest.approx(1)
        assert await seconds(slow_to_clean_up(), "AbortError: stop") == pytest.approx(1.5)
        assert await seconds(saves_something(), "what was left") == pytest.approx(1.5)
        assert await seconds(deaf(), "AbortError: stop") == pytest.approx(2)

    run_in_virtual_time(measure())


def test_what_is_abandoned_is_logged_and_its_later_failure_is_nobodys(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def deaf() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(30)
        raise RuntimeError("much later")

    async def main() -> list[object]:
        complaints: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        controller = AbortController()
        controller.abort()
        with pytest.raises(AbortError):
            await run_abortable(deaf(), controller.signal)
        await asyncio.sleep(60)
        return complaints

    log.addHandler(caplog.handler)  # which does not propagate
    try:
        assert run_in_virtual_time(main()) == []
    finally:
        log.removeHandler(caplog.handler)
    assert "abandoned" in caplog.text


async def test_work_that_cancels_itself_has_failed_and_the_caller_goes_on() -> None:
    async def work() -> None:
        inner = asyncio.ensure_future(asyncio.sleep(60))
        inner.cancel()
        await inner

    with pytest.raises(RuntimeError, match="cancelled"):
        await run_abortable(work(), AbortSignal())


async def test_cancelling_from_outside_is_not_an_abort() -> None:
    started, cleaned = asyncio.Event(), []

    async def work() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    running = asyncio.ensure_future(run_abortable(work(), AbortController().signal))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert cleaned == [True]


async def test_nothing_is_left_on_the_signal() -> None:
    signal = AbortSignal()
    for _ in range(3):
        await run_abortable(asyncio.sleep(0), signal)
    assert not signal._callbacks
