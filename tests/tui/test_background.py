from __future__ import annotations

import gc

import pytest
from textual.app import App

from pi_term.tui.background import after, run_in_background


async def test_work_is_done() -> None:
    done: list[str] = []

    async def work() -> None:
        done.append("it")

    app: App[None] = App()
    async with app.run_test() as pilot:
        run_in_background(app, work, "test")
        await app.workers.wait_for_complete()
        await pilot.pause()
    assert done == ["it"]


async def test_nobody_hears_of_work_that_the_end_of_the_program_forestalled(
    recwarn: pytest.WarningsRecorder,
) -> None:
    async def work() -> None: ...

    app: App[None] = App()
    async with app.run_test():
        run_in_background(app, work, "test")
        app.workers.cancel_all()
    gc.collect()
    assert [str(each.message) for each in recwarn if "never awaited" in str(each.message)] == []


@pytest.mark.parametrize("seconds", [0.01, 1e-9])
async def test_what_is_to_come_after_a_while_comes_however_short_that_is(seconds: float) -> None:
    done: list[str] = []
    app: App[None] = App()
    async with app.run_test() as pilot:
        after(app, seconds, lambda: done.append("it"))
        after(app, seconds, lambda: done.append("cancelled")).cancel()
        await pilot.pause(0.05)
        assert done == ["it"]
