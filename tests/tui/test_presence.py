"""What the terminal shows of the program while people look elsewhere."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Fail, Reply, Say, ScriptedModel, Wait
from pi_term.tui.driver.surroundings import Surroundings


class Shown:
    """The bytes that a terminal gets around the screen."""

    def __init__(self, driver: AppDriver, monkeypatch: pytest.MonkeyPatch) -> None:
        self.around = Surroundings({"TERM": "xterm", "PI_PROGRAM_STATUS": "1"})
        self.data = ""
        monkeypatch.setattr(driver.app, "surround", self.take)

    def take(self, change: Callable[[Surroundings], str]) -> None:
        self.data += change(self.around)

    def new(self) -> str:
        data, self.data = self.data, ""
        return data


async def test_the_title_tells_what_goes_on_and_who_looks_elsewhere_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    turns = [Reply([Wait(gate), Say("one")]), Reply([Say("two")]), Reply([Fail("401 no key")])]
    settings = {"terminal.notify": "osc9", "terminal.showTerminalProgress": True}
    with ScriptedModel(turns) as script:
        async with run_app(script, tmp_path, settings=settings) as driver:
            shown = Shown(driver, monkeypatch)
            await driver.send("go")
            await driver.wait_for("working")
            data = shown.new()
            assert "\x1b]0;● pi-term - work\x07" in data
            assert "\x1b]7501;state=working:app=pi-term\x1b\\" in data
            gate.set()
            await driver.settle()
            data = shown.new()
            assert "\x1b]0;pi-term - work\x07" in data
            assert data.count("\x1b]9;4;0\x07") == 1
            assert "\x1b]9;pi-term" not in data  # somebody looks

            await driver.send("/name tea")
            await driver.type("again")
            driver.app.app_focus = False
            driver.app.main.editor.submit()
            await driver.settle()
            data = shown.new()
            assert data.count("\x1b]9;4;3\x07") == 1
            assert "\x1b]9;pi-term: done · tea · work\x07" in data
            assert data.endswith("\x1b]0;✓ pi-term - tea - work\x07")
            assert "\x1b]7501;state=done:app=pi-term:msg=dGVh\x1b\\" in data
            driver.app.app_focus = True
            driver.app.presence.seen()
            assert shown.new() == "\x1b]0;pi-term - tea - work\x07"

            await driver.type("once more")
            driver.app.app_focus = False
            driver.app.main.editor.submit()
            await driver.settle()
            data = shown.new()
            assert "\x1b]9;pi-term: failed · tea · work\x07" in data
            assert f"\x1b]7501;state=error:app=pi-term:msg={b64encode(b'401 no key').decode()}\x1b\\" in data


async def test_a_question_is_told_and_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedModel() as script:
        async with run_app(script, tmp_path, settings={"terminal.notify": "osc9"}) as driver:
            shown = Shown(driver, monkeypatch)
            driver.app.app_focus = False
            asked = asyncio.create_task(
                driver.app.bridge.unasked.confirm("Delete it?", "All of it.", timeout=9)
            )
            await driver.wait_for("Delete it?")
            data = shown.new()
            assert "\x1b]9;pi-term: asks: Delete it? · work\x07" in data
            assert "\x1b]0;? pi-term - work\x07" in data
            asked.cancel()
            await driver.wait_for(lambda text: "Delete it?" not in text)
            assert shown.new().endswith("\x1b]0;pi-term - work\x07")


async def test_switched_off_it_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"terminal.notify": "off", "terminal.title": False}
    with ScriptedModel([[Say("one")]]) as script:
        async with run_app(script, tmp_path, settings=settings) as driver:
            shown = Shown(driver, monkeypatch)
            await driver.type("go")
            driver.app.app_focus = False
            driver.app.main.editor.submit()
            await driver.settle()
            assert "\x07" not in shown.new()
