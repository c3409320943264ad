"""Code is coloured as Pygments would colour it, and the same way however it arrives."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexers import get_lexer_by_name

from pi_term.render import highlight
from pi_term.render.highlight import CodeLine, Highlighter, lexer_for_file, lexer_for_language
from pi_term.render.theme import syntax_token

SOURCE = Path(highlight.__file__).read_text()
C_CODE = "\n".join(
    ["int x; /* one"] + [f" * line {n}" for n in range(60)] + [" end */ int y;"] + ["z = 1;"] * 40
)
SAMPLES = [
    ("python", SOURCE),
    ("python", 'x = """\n' + "words here\n" * 70 + '"""\ny = 1\n' * 30),
    ("c", C_CODE),
    ("javascript", "const a = `one\n${b}\n`;\nfunction f() { return /x/g }\n" * 20),
    ("yaml", "a:\n  - b: 1\n    c: 'x'\n" * 30),
    ("html", "<p class='x'>text</p>\n<script>\nlet a = 1;\n</script>\n" * 15),
    ("rust", 'fn main() {\n    let s = r#"a\nb"#; // c\n}\n' * 20),
    ("bash", "cat <<EOF\nhello $x\nEOF\necho done # c\n" * 20),
    ("postgres", "CREATE FUNCTION f() RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql;\n" * 30),
    ("php", "<?php\n/* a\n b */\n$x = 'y';\n" * 15),
    ("elixir", "def f(x) do\n  ~s(#{x})\nend\n" * 15),
    ("console", "$ ls\nfile\n" * 40),
    ("diff", "-a\n+b\n c\n" * 30),
]


def coloured(language: str, lines: list[str]) -> list[CodeLine]:
    highlighter = Highlighter(lexer_for_language(language))
    for line in lines:
        highlighter.push(line)
    return highlighter.done + highlighter.tail()


def merged(line: CodeLine) -> list[tuple[str, tuple[str, ...]]]:
    """Per character, so that only colours count and not where tokens are divided."""
    return [(char, tuple(kind)) for text, kind in line for char in text]


@pytest.mark.parametrize(("language", "code"), SAMPLES, ids=[f"{n}-{s[0]}" for n, s in enumerate(SAMPLES)])
def test_no_character_is_lost(language: str, code: str) -> None:
    lines = code.split("\n")
    assert ["".join(text for text, _ in line) for line in coloured(language, lines)] == lines


@pytest.mark.parametrize(("language", "code"), SAMPLES, ids=[f"{n}-{s[0]}" for n, s in enumerate(SAMPLES)])
def test_colours_are_those_of_pygments(language: str, code: str) -> None:
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=True)
    whole: list[CodeLine] = [[]]
    for kind, value in lexer.get_tokens(code):
        first, *more = value.split("\n")
        whole[-1].append((first, kind))
        whole.extend([(part, kind)] for part in more)
    ours = coloured(language, code.split("\n"))
    different = sum(merged(one) != merged(other) for one, other in zip(ours, whole, strict=False))
    assert different <= len(ours) // 100


def test_a_comment_that_is_still_open_is_a_comment() -> None:
    highlighter = Highlighter(lexer_for_language("c"))
    highlighter.push("/* not yet")
    assert highlighter.tail("closed") == [
        [("/* not yet", ("Comment", "Multiline"))],
        [("closed", ("Comment", "Multiline"))],
    ]


@given(st.lists(st.sampled_from(["x = 1", '"""', "'", "/*", "*/", "def f():", "", "\\", "`"]), max_size=80))
def test_asking_in_between_changes_nothing(lines: list[str]) -> None:
    for language in ("python", "c"):
        highlighter = Highlighter(lexer_for_language(language))
        for line in lines:
            highlighter.tail(line[:1])
            highlighter.push(line)
        assert highlighter.done + highlighter.tail() == coloured(language, lines)


@pytest.mark.parametrize("language", ["", "no-such-language", "text", "[/bold]", "\x1b"])
def test_unknown_languages_are_plain(language: str) -> None:
    assert lexer_for_language(language) is None
    assert coloured(language, ["a = 1"]) == [[("a = 1", ())]]


@pytest.mark.parametrize(
    "language", ["py", "Python", "{.python}", "python title=x", "c++", "tsx", "jsonc", "sh"]
)
def test_common_names_are_known(language: str) -> None:
    assert lexer_for_language(language) is not None


def test_a_lexer_that_fails_leaves_the_code_plain() -> None:
    class Broken:
        def get_tokens_unprocessed(self, text: str) -> object:
            raise IndexError(text)

    highlighter = Highlighter(Broken())
    lines = [f"line {number}" for number in range(1000)]
    for line in lines:
        highlighter.push(line)
    assert highlighter.done + highlighter.tail() == [[(line, ())] for line in lines]


def test_files_are_known_by_name() -> None:
    assert type(lexer_for_file("a.py")) is type(lexer_for_language("python"))
    assert lexer_for_file("Makefile") is not None
    assert lexer_for_file("a.unknown") is None


def test_a_huge_line_is_not_lexed() -> None:
    huge = "x=1;" * 10_000
    assert coloured("javascript", ["let a", huge, "let b"])[1] == [(huge, ())]


def test_the_work_grows_with_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    def lexed(count: int) -> int:
        total = 0
        original = Highlighter._lex

        def counting(self: Highlighter, lines: list[str], stack: tuple[str, ...]) -> object:
            nonlocal total
            total += len(lines)
            return original(self, lines, stack)

        with monkeypatch.context() as patch:
            patch.setattr(Highlighter, "_lex", counting)
            highlighter = Highlighter(lexer_for_language("python"))
            for number in range(count):
                highlighter.push(f"x{number} = {number}")
                highlighter.tail("y")
        return total

    assert lexed(800) <= 2.2 * lexed(400)
    # Each line is lexed once to stay, and with the line that grows only while it is among the last ones.
    assert lexed(800) <= 800 * 12


def test_a_growing_line_looks_like_the_finished_one() -> None:
    lines = SOURCE.split("\n")
    live, known = Highlighter(lexer_for_language("python")), coloured("python", lines)
    for at, line in enumerate(lines):
        assert seen(live.tail(line)[-1]) == seen(known[at])
        live.push(line)


def seen(line: CodeLine) -> list[tuple[str, str]]:
    return [(char, syntax_token(kind)) for text, kind in line for char in text]


def test_lines_that_nobody_wants_any_more_are_dropped() -> None:
    highlighter = Highlighter(lexer_for_language("python"))
    for number in range(200):
        highlighter.push(f"x{number} = {number}")
        highlighter.forget(10)
    assert highlighter.received == 200
    assert len(highlighter.done) <= 10 + highlight.WINDOW
    assert highlighter.forgotten + len(highlighter.done) + len(highlighter.tail()) == 200
