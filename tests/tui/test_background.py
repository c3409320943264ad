from __future__ import annotations

import gc

import pytest
from textual.app import App

from pi_term.tui.background import run_in_background


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
