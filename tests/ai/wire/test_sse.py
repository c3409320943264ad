from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.wire.sse import SseError, SseEvent, SseParser


def parse(*pieces: bytes) -> list[SseEvent]:
    parser = SseParser()
    return [event for piece in pieces for event in parser.feed(piece)] + parser.finish()


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [("message", b"a")]),
        (b"data:a\r\n\r\ndata: b\r\rdata: c\n\n", [("message", b"a"), ("message", b"b"), ("message", b"c")]),
        (b"event: ping\ndata: {}\n\ndata: x\n\n", [("ping", b"{}"), ("message", b"x")]),
        (b"data: one\ndata: two\ndata:\n\n", [("message", b"one\ntwo\n")]),
        (b": keep-alive\n\n:\n\ndata: x\n\n", [("message", b"x")]),
        (b"\xef\xbb\xbfdata: bom\n\n", [("message", b"bom")]),
        (b"event: lonely\n\ndata: x\n\n", [("message", b"x")]),
        (b"id: 7\nretry: 10\nunknown: y\ndata: x\n\n", [("message", b"x")]),
        (b"data\n\n", [("message", b"")]),
        (b"data:  two spaces\n\n", [("message", b" two spaces")]),
        (b"", []),
    ],
)
def test_reads_what_the_format_allows(stream: bytes, events: list[tuple[str, bytes]]) -> None:
    assert parse(stream) == events


def test_an_event_is_given_as_soon_as_its_blank_line_has_come() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\n") == []
    assert parser.feed(b"\n") == [("message", b"a")]


def test_the_last_event_needs_no_blank_line() -> None:
    assert parse(b"data: a\n\ndata: [DONE]") == [("message", b"a"), ("message", b"[DONE]")]


def test_an_endless_event_is_refused() -> None:
    parser = SseParser(max_event_bytes=100)
    for _ in range(6):
        parser.feed(b"data: 0123456789")
    with pytest.raises(SseError):
        parser.feed(b"data: 0123456789")


def test_many_events_do_not_add_up_to_the_limit() -> None:
    parser = SseParser(max_event_bytes=100)
    events = [event for _ in range(50) for event in parser.feed(b"data: 0123456789\n\n")]
    assert len(events) == 50


_LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
_TEXTS = st.text(st.characters(blacklist_characters="\r\n", blacklist_categories=["Cs"]), max_size=12)


@settings(max_examples=100)
@given(
    texts=st.lists(st.tuples(_TEXTS, _LINE_ENDS), min_size=1, max_size=6),
    cuts=st.lists(st.integers(0, 200), max_size=12),
)
def test_any_cutting_gives_the_same_events(texts: list[tuple[str, str]], cuts: list[int]) -> None:
    stream = "".join(f"event: e{end}data: {text}{end}{end}" for text, end in texts).encode()
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    pieces = [stream[a:b] for a, b in itertools.pairwise(edges)]
    assert parse(*pieces) == [("e", text.encode()) for text, _ in texts]
