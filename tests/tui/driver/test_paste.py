from __future__ import annotations

import time

from textual import events
from textual.message import Message

from pi_term.tui.driver.parser import InputParser

DELAY = 0.04


def show(result: list[Message]) -> list[object]:
    shown: list[object] = []
    for message in result:
        if isinstance(message, events.Paste):
            shown.append(("paste", message.text))
        elif isinstance(message, events.Key):
            shown.append((message.key, message.character))
    return shown


def feed(*chunks: bytes) -> list[Message]:
    parser = InputParser(DELAY)
    return [message for chunk in chunks for message in parser.feed(chunk, 1.0)]


def test_cut_anywhere_also_in_the_end_mark() -> None:
    whole = b"\x1b[200~line 1\nline 2\rline 3\x1b[201~z"
    for cut in range(1, len(whole)):
        assert show(feed(whole[:cut], whole[cut:])) == [("paste", "line 1\nline 2\nline 3"), ("z", "z")]


def test_twenty_thousand_lines_are_one_paste() -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))
    data = b"\x1b[200~" + text.encode() + b"\x1b[201~"
    chunks = [data[start : start + 4095] for start in range(0, len(data), 4095)]
    assert show(feed(*chunks)) == [("paste", text)]


def test_time_grows_in_step_with_the_size() -> None:
    def seconds(size: int) -> float:
        parser = InputParser(DELAY)
        started = time.process_time()
        parser.feed(b"\x1b[200~", 0.0)
        for _ in range(size // 1000):
            parser.feed(b"x" * 1000, 0.0)
        parser.feed(b"\x1b[201~", 0.0)
        return time.process_time() - started

    seconds(100_000)
    small = max(seconds(1_000_000), 0.001)
    # Quadratic time would be a hundred times as long.
    assert seconds(10_000_000) < 50 * small


def test_a_stalled_paste_shows_what_there_is_and_goes_on() -> None:
    parser = InputParser(DELAY)
    parser.feed(b"\x1b[200~rm -rf\nfirst half\x1b[20", 1.0)
    assert parser.deadline is not None
    assert show(parser.expire(parser.deadline)) == [("paste", "rm -rf\nfirst half")]
    assert parser.deadline is None
    assert show(parser.feed(b"0 is no end\nsecond half\x1b[201~", 60.0)) == [
        ("paste", "\x1b[200 is no end\nsecond half")
    ]
    assert show(parser.feed(b"k", 60.0)) == [("k", "k")]


def test_after_a_lost_end_mark_keys_are_keys_again() -> None:
    parser = InputParser(DELAY)
    parser.feed(b"\x1b[200~cut off", 1.0)
    assert parser.deadline is not None
    parser.expire(parser.deadline)
    assert show(parser.feed(b"\x03", 60.0)) == [("ctrl+c", "\x03")]
    assert show(parser.feed(b"k", 60.0)) == [("k", "k")]
