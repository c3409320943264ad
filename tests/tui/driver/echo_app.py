"""A small app on `PiDriver`, run in a pseudo-terminal by the tests. It logs what it gets to the file argv[1]."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static

from pi_term.tui.driver import PiDriver

LOG = Path(sys.argv[1]).open("a", buffering=1)


def log(*words: object) -> None:
    LOG.write(" ".join(map(str, words)) + "\n")


class EchoApp(App[None]):
    BINDINGS = []
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__(driver_class=PiDriver)

    def compose(self) -> ComposeResult:
        yield Static("first line")
        yield Static("ready", id="last")

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: log("resumed"))
        self.call_after_refresh(log, "started")

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key):
            log("key", event.key, repr(event.character))
        elif isinstance(event, events.Paste):
            log("paste", repr(event.text))
        elif isinstance(event, events.Resize):
            log("resize", event.size.width, event.size.height)
        await super().on_event(event)

    async def on_key(self, event: events.Key) -> None:
        action = getattr(self, f"do_{event.key}", None)
        if action is not None:
            await action()

    async def do_q(self) -> None:
        self.exit()

    async def do_x(self) -> None:
        raise ValueError("raised on purpose")

    async def do_z(self) -> None:
        self.action_suspend_process()

    async def do_e(self) -> None:
        with self.suspend():
            done = subprocess.run(["sh", "-c", "stty -a; read line; echo got $line"], stdout=subprocess.PIPE)
        log("lent", repr(done.stdout.decode()))

    async def do_h(self) -> None:
        """Hang, as a bad handler would."""
        log("hanging")
        await asyncio.sleep(3600)

    async def do_f(self) -> None:
        """Paint far more than a terminal takes that does not read."""
        last = self.query_one("#last", Static)
        for number in range(200):
            last.update(f"frame {number}\n" + f"{number % 10}" * 1500)
            await asyncio.sleep(0.01)
        last.update("the last frame")
        log("flooded", self.congested())

    def congested(self) -> Any:
        return isinstance(self._driver, PiDriver) and self._driver.is_congested


if __name__ == "__main__":
    app = EchoApp()
    app.run()
    log("ended", app.return_code)
    sys.exit(app.return_code or 0)
