"""Code that is still written shows its end, whatever pieces it comes in, and looks at nothing twice."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.base.sanitize import sanitize
from pi_term.render.highlight import LONGEST_LINE, CodeLine, Highlighter, lexer_for_language
from pi_term.render.tools.growing import KEPT, GrowingCode

PYTHON = lexer_for_language("python")


def texts(lines: list[CodeLine]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


@given(
    st.lists(
        st.sampled_from(["x = 1", "\n", "'''", "\n\n", "# a", "\t", "\x1b[31m", "\r\n", "中"]), max_size=60
    ),
    st.integers(1, 20),
    st.sampled_from([None, PYTHON]),
)
def test_the_tail_is_the_end_of_the_text(pieces: list[str], count: int, lexer: Any) -> None:
    code, text = GrowingCode(), ""
    for piece in pieces:
        text += piece
        code.feed(text, lexer)
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        assert code.count == len(lines)
        assert texts(code.tail(count)) == [sanitize(line) for line in lines[-count:]]


def test_a_text_that_is_another_one_begins_anew() -> None:
    code = GrowingCode()
    code.feed("one\ntwo\nthree", PYTHON)
    code.feed("four\nfive", PYTHON)
    assert texts(code.tail(9)) == ["four", "five"]
    code.feed("four\nfive\nsix", PYTHON)
    assert texts(code.tail(9)) == ["four", "five", "six"]


def test_a_lexer_that_becomes_known_colours_all_of_it() -> None:
    code = GrowingCode()
    code.feed("x = 'a'\ny", None)
    assert len(code.tail(2)[0]) == 1
    code.feed("x = 'a'\ny = 'b'\n", PYTHON)
    assert [len(line) > 1 for line in code.tail(2)] == [True, True]


def test_a_burst_is_coloured_bit_by_bit() -> None:
    code = GrowingCode()
    code.feed("x = 'a'\n" * 3000, PYTHON)
    assert code.behind
    assert texts(code.tail(3)) == ["x = 'a'"] * 3
    assert len(code.tail(1)[0]) == 1
    code.refine(0.0)
    assert code.behind, "no time was given"
    while not code.refine(time.perf_counter() + 1):
        pass
    assert len(code.tail(1)[0]) > 1
    assert texts(code.tail(KEPT)) == ["x = 'a'"] * KEPT


def test_of_a_line_without_end_the_end_is_shown() -> None:
    code = GrowingCode()
    code.feed("x" * 1_000_000 + "END", PYTHON)
    assert code.count == 1
    (line,) = texts(code.tail(10))
    assert line.endswith("END")
    assert len(line) <= 5 * LONGEST_LINE


def test_half_an_escape_at_the_end_is_not_shown() -> None:
    code = GrowingCode()
    for end in ("\x1b", "\x1b[", "\x1b[3"):
        code.feed(f"a{end}", None)
        assert texts(code.tail(1)) == ["a"]
    code.feed("a\x1b[31mb", None)
    assert texts(code.tail(1)) == ["ab"]


def test_nothing_is_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in lines that are lexed and in characters of the pieces that are cut out of the text."""

    class Text(str):
        __slots__ = ()

        def __getitem__(self, key: Any) -> str:
            nonlocal cut
            piece = str.__getitem__(self, key)
            cut += len(piece)
            return piece

    original = Highlighter._lex

    def counting(self: Highlighter, lines: list[str], stack: tuple[str, ...]) -> Any:
        nonlocal lexed
        lexed += len(lines)
        return original(self, lines, stack)

    monkeypatch.setattr(Highlighter, "_lex", counting)

    def work(size: int) -> tuple[int, int]:
        nonlocal cut, lexed
        cut = lexed = 0
        code, text = GrowingCode(), "def f(x):\n    return {'a': x}  # why\n" * (size // 36)
        for end in range(0, len(text), 40):
            code.feed(Text(text[:end]), PYTHON)
            code.tail(10)
        return cut, lexed

    cut = lexed = 0
    once, twice = work(10_000), work(20_000)
    assert twice[0] <= 2.2 * once[0]
    assert twice[1] <= 2.2 * once[1]
