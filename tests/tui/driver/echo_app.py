"""A small app on `PiDriver` for the tests. It logs what it gets to the file named by its argument."""

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


def log(*words: object) -> None:
    with Path(sys.argv[1]).open("a") as file:
        file.write(" ".join(map(str, words)) + "\n")


def ask() -> str:
    """What `stty` says, and a line that is read from the terminal."""
    command = ["sh", "-c", "stty -a; read line; echo got $line"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout


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

    def on_resize(self, event: events.Resize) -> None:
        log("resize", event.size.width, event.size.height)

    def on_paste(self, event: events.Paste) -> None:
        log("paste", repr(event.text))

    async def on_key(self, event: events.Key) -> None:
        log("key", event.key, repr(event.character))
        action = getattr(self, f"do_{event.key}", None)
        if action is not None:
            await action()

    async def do_q(self) -> None:
        self.exit()

    async def do_x(self) -> None:
        raise ValueError("raised on purpose")

    async def do_s(self) -> None:
        sys.exit(3)

    async def do_i(self) -> None:
        raise KeyboardInterrupt

    async def do_z(self) -> None:
        self.action_suspend_process()

    async def do_e(self) -> None:
        with self.suspend():
            words = ask()
        log("lent", repr(words))

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
