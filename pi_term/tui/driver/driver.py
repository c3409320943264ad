"""`PiDriver`: Textual's Linux driver with its own input, output and manners towards the terminal."""

from __future__ import annotations

import _thread
import asyncio
import atexit
import fcntl
import os
import re
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import constants
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message

from pi_term.tui.driver.modes import (
    END_OF_STRING,
    KITTY_FLAGS,
    LEAVE,
    MODIFY_OTHER_KEYS,
    misreads_modify_other_keys,
)
from pi_term.tui.driver.reader import TerminalReader
from pi_term.tui.driver.signals import SignalHandlers, is_foreground
from pi_term.tui.driver.steady import steady
from pi_term.tui.driver.surroundings import Surroundings
from pi_term.tui.driver.writer import TerminalWriter
from pi_term.tui.pictures.iterm import with_images

if TYPE_CHECKING:
    from textual.app import App

_FRAME_START = re.compile(r"\x1b\[\d+;\d+H")
"""Textual's frames begin by placing the cursor, and nothing else it writes does."""

_PATIENCE_WITH_TERMINAL = 0.7
"""Seconds a terminal may take to read the last frames before they are given up, and then the last words."""

_EXIT_GRACE = 5.0
"""Seconds the app has to end itself after it was asked to from outside."""


class PiDriver(LinuxDriver):
    """Drives a terminal for a full-screen app.

    Beyond Textual's driver: keys that legacy terminals send arrive as what was pressed, answers of the
    terminal are never typed, waiting costs no CPU, a terminal that does not read never blocks the event loop,
    and the terminal is restored on every way out.
    """

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        self._active = False
        self._ending = False
        self._ended = threading.Event()
        self._output = _output_descriptor()
        self._writer: TerminalWriter | None = None
        self._reader: TerminalReader | None = None
        self._synchronised = False
        self._around = Surroundings()
        self._signals = SignalHandlers(
            asyncio.get_running_loop(),
            end=self.request_exit,
            stop=self._suspend_to_shell,
            resume=self._reassert,
            resize=self._send_size,
            in_charge=lambda: self._active,
        )
        self._signals.install()
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        # Textual has just put its own handlers for suspension over ours.
        self._signals.install()
        if size is None:
            self._size = self._get_terminal_size()

    # Output

    @property
    def is_congested(self) -> bool:
        """Whether the terminal lags so far behind that frames are dropped; composing one is wasted then."""
        return self._writer is not None and self._writer.is_congested

    def write(self, data: str) -> None:
        """Queue output. Never blocks; while the terminal does not read, frames are dropped.

        A frame is kept together with the marks of synchronised output around it.
        """
        if data in (SYNC_START, SYNC_END):
            self._synchronised = data == SYNC_START
        elif self._writer is None:
            return
        elif _FRAME_START.match(data) is None:
            self._writer.write(data)
        else:
            frame = with_images(steady(data))
            self._writer.write_frame(f"{SYNC_START}{frame}{SYNC_END}" if self._synchronised else frame)

    def surround(self, change: Callable[[Surroundings], str]) -> None:
        """Change what the terminal shows around the program: `change` gives the bytes."""
        data = change(self._around)
        if data:
            self.write(data)

    def _repaint(self) -> None:
        """Paint the whole screen anew. From any thread."""
        self._call_app(self._app.refresh, layout=True)

    # Life of the terminal

    def start_application_mode(self) -> None:
        """Take the terminal over: alternate screen, raw mode, mouse, paste, keyboard protocols."""
        if self._active:
            return
        if is_foreground(self.fileno) is False:
            self._signals.stop_process(self.fileno)
        atexit.register(self.restore_terminal)
        self._active = True
        self._writer = TerminalWriter(self._output, repaint=self._repaint, lost=self._terminal_lost)
        typed_ahead = self._make_raw()
        self.write("\x1b[?1049h\x1b[?25l" + self._around.enter())
        self._enable_mouse_support()
        self.write("\x1b[?1004h")
        if not constants.DISABLE_KITTY_KEY:
            self.write(f"\x1b[>{KITTY_FLAGS}u")
        if not misreads_modify_other_keys():
            self.write(MODIFY_OTHER_KEYS)
        self._enable_bracketed_paste()
        self._disable_line_wrap()
        self._reader = TerminalReader(
            self.fileno, deliver=self.process_message, lost=self._terminal_lost, typed_ahead=typed_ahead
        )
        # The answer must find the reader listening.
        self._request_terminal_sync_mode_support()
        self._send_size()

    def _make_raw(self) -> int:
        """Let keys arrive as they are; how many bytes were typed before, with Enter as a line feed."""
        self.attrs_before = None
        with suppress(termios.error):
            attributes = termios.tcgetattr(self.fileno)
            self.attrs_before = termios.tcgetattr(self.fileno)
            attributes[tty.LFLAG] = self._patch_lflag(attributes[tty.LFLAG])
            attributes[tty.IFLAG] = self._patch_iflag(attributes[tty.IFLAG])
            attributes[tty.CC][termios.VMIN] = 1
            termios.tcsetattr(self.fileno, termios.TCSANOW, attributes)
            if self.attrs_before[tty.IFLAG] & termios.ICRNL:
                return _waiting_bytes(self.fileno)
        return 0

    def disable_input(self) -> None:
        """Stop reading."""
        if self._reader is not None:
            self._reader.stop()
            self._reader = None

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was. Safe to call at any time, also twice."""
        if not self._active:
            return
        self._active = False
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.write(self._around.leave() + LEAVE)
            if not writer.drain(_PATIENCE_WITH_TERMINAL):
                writer.force(END_OF_STRING + LEAVE)
            writer.close(_PATIENCE_WITH_TERMINAL)
        self.disable_input()
        with suppress(termios.error):
            # Reports of mouse and keys that are still on their way would be typed into the shell.
            termios.tcflush(self.fileno, termios.TCIFLUSH)
            if self.attrs_before is not None:
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)

    def restore_terminal(self) -> None:
        """The same under the name of its purpose, for handlers of crashes and exits."""
        self.stop_application_mode()

    def suspend_application_mode(self) -> None:
        """Lend the terminal to another program until `resume_application_mode`."""
        self.stop_application_mode()

    def close(self) -> None:
        """End for good: whatever still holds the terminal or the process's signals is let go."""
        self.stop_application_mode()
        self._signals.restore(ending=self._ending)
        atexit.unregister(self.restore_terminal)
        self._ended.set()

    # Size

    def _get_terminal_size(self) -> tuple[int, int]:
        with suppress(OSError):
            width, height = os.get_terminal_size(self._output)
            if width and height:
                return width, height
        width, height = super()._get_terminal_size()
        return width, height

    def _send_size(self) -> None:
        size = Size(*self._get_terminal_size())
        self.send_message(Resize(size, size))

    # Suspension

    def _suspend_to_shell(self) -> None:
        if not self._active:
            return
        self.stop_application_mode()
        self._signals.stop_process(self.fileno)
        self._come_back()

    def _reassert(self) -> None:
        """Set all modes again after a stop that could not be caught, since the shell has changed them."""
        if self._active:
            self.stop_application_mode()
            self._come_back()

    def _come_back(self) -> None:
        self.start_application_mode()
        self.send_message(self.SignalResume())
        self._repaint()

    # The end

    def request_exit(self, signum: int) -> None:
        """Ask the app to exit with return code 128 + `signum`, and see to it that it does.

        From any thread and from signal handlers.
        """
        if not self._ending:
            self._ending = True
            # Unlike threading.Thread this takes no lock that a signal may have interrupted us in.
            _thread.start_new_thread(self._watch_exit, (signum,))
            self._call_app(self._app.exit, return_code=128 + signum)

    def _watch_exit(self, signum: int) -> None:
        if not self._ended.wait(_EXIT_GRACE):
            self.restore_terminal()
            os._exit(128 + signum)

    def _terminal_lost(self) -> None:
        self.request_exit(signal.SIGHUP)

    # Messages

    def send_message(self, message: Message) -> None:
        """Post a message to the app. From any thread; dropped when the loop is closed."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._app.post_message, message)

    def _call_app(self, method: Any, **arguments: Any) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(lambda: self._app.call_later(method, **arguments))


def _waiting_bytes(terminal: int) -> int:
    """How much input waits to be read."""
    with suppress(OSError):
        waiting = fcntl.ioctl(terminal, termios.FIONREAD, bytes(4))
        return int.from_bytes(waiting, sys.byteorder)
    return 0


def _output_descriptor() -> int:
    """The terminal among the standard streams, so that the errors or the output may go to a file."""
    for stream in (sys.__stdout__, sys.__stderr__):
        with suppress(AttributeError, OSError, ValueError):
            if stream is not None and stream.isatty():
                return stream.fileno()
    return 2
