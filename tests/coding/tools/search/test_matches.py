"""Reading the lines that ripgrep found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.tools.search.matches import Findings

OUTPUT = (
    b"./a\x001-one\n./a\x002:two\r\n./a\x003-three\n"
    b'./late: binary file matches (found "\\0" byte around offset 5)\n'
    b"./n\nl\x0010:x:1-\n./n\nl\x0012:y\x00z\n./b\x001:caf\xe9\n"
)
SHOWN = ["a-1- one", "a:2: two", "a-3- three", '"n\\nl":10: x:1-', '"n\\nl":12: y\0z', "b:1: caf\ufffd"]
FILES = [("./a", "a"), ("./late", "late"), ("./n\nl", '"n\\nl"'), ("./b", "b")]


def read(*pieces: bytes, limit: int = 100, context: int = 0) -> Findings:
    findings = Findings(limit, context)
    findings.expect(FILES)
    for piece in pieces:
        findings.feed(piece)
    return findings


@given(st.lists(st.integers(0, len(OUTPUT)), max_size=4).map(sorted))
def test_lines_are_the_same_wherever_the_output_is_cut(cuts: list[int]) -> None:
    pieces = [OUTPUT[start:end] for start, end in zip([0, *cuts], [*cuts, len(OUTPUT)], strict=True)]
    findings = read(*pieces)
    assert findings.lines == SHOWN
    assert not findings.limit_reached
    assert not findings.is_full


def test_the_limit_counts_matches_and_is_reached_only_if_there_are_more() -> None:
    assert read(OUTPUT, limit=3).lines == SHOWN[:5]
    assert not read(OUTPUT, limit=4).limit_reached
    assert read(OUTPUT, limit=3).limit_reached
    assert read(OUTPUT, limit=3).is_full


def test_the_last_match_keeps_what_follows_it() -> None:
    output = b"".join(b"./a\x00%d%s%d\n" % (n, b":" if n in (3, 5, 6) else b"-", n) for n in range(1, 9))
    findings = read(output, limit=1, context=3)
    assert findings.lines == ["a-1- 1", "a-2- 2", "a:3: 3", "a-4- 4", "a-5- 5", "a-6- 6"]
    assert findings.limit_reached


def test_long_lines_are_cut_by_characters() -> None:
    findings = read(b"./a\x001:" + "é".encode() * 500 + b"\n")
    assert findings.lines == ["a:1: " + "é" * 500]
    assert not findings.lines_cut
    findings = read(b"./a\x001:" + "é".encode() * 501 + b"\n")
    assert findings.lines == ["a:1: " + "é" * 500 + "... [truncated]"]
    assert findings.lines_cut


def test_what_is_kept_has_a_bound() -> None:
    findings = Findings(10**9, 0)
    findings.expect(FILES)
    for _ in range(2000):
        findings.feed(b"./a\x001:" + b"x" * 400 + b"\n" + b"./a\x002:" + b"x" * 400 + b"\n" * 1)
        findings.feed((b"./a\x003:" + b"x" * 400 + b"\n") * 20)
    assert findings.is_full
    assert sum(map(len, findings.lines)) < 5_000_000
