"""Closed screens leave no memory behind."""

from __future__ import annotations

import gc
import weakref

import pytest
from textual.app import App

from pi_term.tui import leftovers
from pi_term.tui.screens.overlay import Overlay


async def open_and_close(app: App[None]) -> weakref.ref[Overlay[None]]:
    screen = Overlay[None]()
    await app.push_screen(screen)
    await screen.dismiss()
    return weakref.ref(screen)


async def test_what_frees_closed_screens_does_not_hold_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "_QUIET", 0.0)
    app: App[None] = App()
    async with app.run_test() as pilot:
        closed = [await open_and_close(app) for _ in range(2)]
        for _ in range(100):
            await pilot.pause()
            gc.collect()
            if all(each() is None for each in closed):
                break
        assert [each() for each in closed] == [None, None]
