"""A screen that is not this program's breaks: it goes, and the program goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import ComposeResult, RenderResult
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Say, ScriptedModel
from pi_term.tui.background import run_in_background


class OwnError(Exception):
    """What foreign code raises here."""


class Fine(Screen[str]):
    BINDINGS = [("b", "boom", "")]

    def compose(self) -> ComposeResult:
        yield Static("all is well")

    def action_boom(self) -> None:
        raise OwnError("in an action")


class InCompose(Fine):
    def compose(self) -> ComposeResult:
        raise OwnError("in compose")
        yield


class InMount(Fine):
    def on_mount(self) -> None:
        raise OwnError("in mount")


class InKey(Fine):
    def on_key(self, event: events.Key) -> None:
        raise OwnError("in key")


class InModal(ModalScreen[str]):
    def compose(self) -> ComposeResult:
        yield Static("all is well")

    def on_key(self, event: events.Key) -> None:
        raise OwnError("in modal")


class InTimer(Fine):
    def on_key(self, event: events.Key) -> None:
        self.set_timer(0.001, self.boom)

    def boom(self) -> None:
        raise OwnError("in timer")


async def _broken_work() -> None:
    await asyncio.sleep(0)
    raise OwnError("in worker")


class InWorker(Fine):
    def on_key(self, event: events.Key) -> None:
        run_in_background(self, _broken_work, "work")


class InIdle(Fine):
    def on_key(self, event: events.Key) -> None:
        self.call_after_refresh(self.boom)

    def boom(self) -> None:
        raise OwnError("in idle")


class _Undrawable(Widget):
    broken = False

    def render(self) -> RenderResult:
        if self.broken:
            raise OwnError("in render")
        return "all is well"

    def on_key(self, event: events.Key) -> None:
        self.broken = True
        self.refresh()


class InRender(Screen[str]):
    def compose(self) -> ComposeResult:
        widget = _Undrawable()
        widget.can_focus = True
        yield widget


class Above(Fine):
    """Opens another screen, then breaks below it."""

    def on_key(self, event: events.Key) -> None:
        self.app.push_screen(Fine())
        self.set_timer(0.001, self.boom)

    def boom(self) -> None:
        raise OwnError("below another")


async def show(driver: AppDriver, make: Callable[[], Screen[Any]]) -> asyncio.Task[Any]:
    return asyncio.create_task(driver.app.bridge.custom(make))


async def test_it_is_closed_and_all_goes_on(tmp_path: Path) -> None:
    with ScriptedModel([[Say("still here")]]) as script:
        async with run_app(script, tmp_path, size=(120, 40)) as driver:
            await driver.type("draft ")
            for made, key, told in (
                (InCompose, "", "in compose"),
                (InMount, "", "in mount"),
                (InKey, "x", "in key"),
                (InModal, "x", "in modal"),
                (InTimer, "x", "in timer"),
                (InWorker, "x", "in worker"),
                (InIdle, "x", "in idle"),
                (InRender, "x", "in render"),
                (Fine, "b", "in an action"),
                (Above, "x", "below another"),
            ):
                task = await show(driver, made)
                if key:
                    await driver.wait_for("all is well")
                    await driver.press(key)
                screen = await driver.wait_for(f"OwnError: {told}")
                assert f"The screen {made.__name__} of " in screen
                assert "all is well" not in screen
                assert screen.count(f"OwnError: {told}") == 1
                assert await asyncio.wait_for(task, 5) is None
                assert driver.app.screen_stack == [driver.app.main]
                await driver.type(".")
                await driver.wait_for("draft .")
            await driver.press("ctrl+u")
            await driver.send("go on")
            await driver.wait_for("still here")


async def test_what_is_our_own_ends_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while a foreign screen is open."""
    with ScriptedModel() as script:
        with pytest.raises(OwnError):
            async with run_app(script, tmp_path) as driver:
                task = await show(driver, Fine)
                await driver.wait_for("all is well")

                def boom() -> None:
                    raise OwnError("ours")

                driver.app.main.call_next(boom)
                await asyncio.wait_for(driver.app._exception_event.wait(), 5)
                task.cancel()
        assert driver.app.crash_report is not None
