from __future__ import annotations

import os
import pty
import threading
import tty
from collections.abc import Iterator

import pytest

from pi_term.tui.driver.writer import TerminalWriter

PATIENCE = 20.0


class Screen:
    """A terminal that reads only when asked to."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.repaint = threading.Event()
        self.lost = threading.Event()
        self.writer = TerminalWriter(self.slave, repaint=self.repaint.set, lost=self.lost.set, limit=20_000)

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            data += os.read(self.master, size - len(data))
        return data

    def flood(self) -> list[str]:
        """Fill the queue to its limit; the frames that were taken."""
        taken = []
        for number in range(100):
            frame = f"<{number:04}>" * 1000
            if self.writer.write_frame(frame):
                taken.append(frame)
        return taken


@pytest.fixture
def screen() -> Iterator[Screen]:
    screen = Screen()
    yield screen
    for descriptor in (screen.master, screen.slave):
        os.close(descriptor)
    screen.writer.close(PATIENCE)


def test_text_arrives_in_order(screen: Screen) -> None:
    screen.writer.write("one ")
    screen.writer.write_frame("two ")
    screen.writer.write("thrée")
    assert screen.read(14).decode() == "one two thrée"
    assert screen.writer.drain(PATIENCE)
    assert not screen.writer.is_congested


def test_a_lone_surrogate_is_no_error(screen: Screen) -> None:
    screen.writer.write("a\udc80b")
    assert screen.read(3) == b"a?b"


def test_frames_are_dropped_whole_and_a_repaint_is_asked_for(screen: Screen) -> None:
    taken = screen.flood()
    assert screen.writer.is_congested
    assert 0 < len(taken) < 100
    screen.writer.write("clipboard")
    assert not screen.repaint.is_set()
    expected = "".join(taken) + "clipboard"
    assert screen.read(len(expected)).decode() == expected
    assert screen.repaint.wait(PATIENCE)
    assert not screen.writer.is_congested
    assert screen.writer.write_frame("fresh")
    assert screen.read(5) == b"fresh"


def test_no_repaint_without_need(screen: Screen) -> None:
    screen.writer.write_frame("x" * 10_000)
    screen.read(10_000)
    assert screen.writer.drain(PATIENCE)
    assert not screen.repaint.is_set()


def test_force_leaves_only_what_must_arrive(screen: Screen) -> None:
    screen.flood()
    screen.writer.write("clipboard")
    assert not screen.writer.drain(0.01)
    screen.writer.force("the end")
    assert screen.writer.close(PATIENCE)
    screen.writer.write("after the end")
    os.close(screen.slave)
    rest = b""
    try:
        while data := os.read(screen.master, 65536):
            rest += data
    except OSError:
        pass
    screen.slave = os.dup(screen.master)
    assert rest.endswith(b"clipboardthe end")
    assert len(rest) < 20_000


def test_a_descriptor_made_non_blocking_by_others_loses_nothing(screen: Screen) -> None:
    os.set_blocking(screen.slave, False)
    text = "".join(f"{number:06}" for number in range(20_000))
    screen.writer.write(text)
    assert screen.read(len(text)).decode() == text


def test_a_terminal_that_is_gone_is_told_once_and_blocks_nothing() -> None:
    master, slave = pty.openpty()
    lost: list[str] = []
    writer = TerminalWriter(slave, repaint=lambda: None, lost=lambda: lost.append("lost"))
    os.close(master)
    writer.write("a")
    assert writer.drain(PATIENCE)
    writer.write("b" * 1_000_000)
    assert writer.drain(PATIENCE)
    assert writer.close(PATIENCE)
    assert lost == ["lost"]
    os.close(slave)
