"""Syntax colours by Pygments, for code that may still grow.

Code is lexed in windows of a few dozen lines. Where a window can be cut (no token crosses the cut) its
lines are final, and the lexer's state there is kept for the next window. The cuts depend on the text
alone, not on how it arrived.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

TokenType: TypeAlias = tuple[str, ...]
"""A Pygments token type: a tuple of names, without the leading `Token`."""
CodeLine: TypeAlias = list[tuple[str, TokenType]]
"""A line of code: pieces with their types."""

LINES_AT_ONCE = 80
"""Lines that a first drawing colours; what is left is drawn plain until there is time."""
LONGEST_LINE = 2000
"""Characters; longer lines have no colours."""
WINDOW = 24
_MARGIN = 6
_LARGEST_WINDOW = 384
_ROOT: tuple[str, ...] = ("root",)
_LEXER_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
# Lexers that do more than their rules say, but nothing that needs to remember what came before.
_RESUMABLE = frozenset({"CLexer", "CppLexer", "LuaLexer", "ObjectiveCLexer", "PhpLexer", "SwiftLexer"})
_LANGUAGE = re.compile(r"\w[\w.+#-]*")
_ALIASES = {
    "jsonc": "json",
    "json5": "json",
    "mjs": "javascript",
    "cjs": "javascript",
    "mts": "typescript",
    "shell": "bash",
    "sh-session": "console",
    "plaintext": "",
    "text": "",
    "txt": "",
    "plain": "",
}


@lru_cache(maxsize=128)
def lexer_for_language(language: str) -> Any:
    """The lexer for the word after a code fence; None where there is none."""
    match = _LANGUAGE.search(language)
    name = match[0].lower() if match else ""
    name = _ALIASES.get(name, name)
    if not name:
        return None
    try:
        return import_module("pygments.lexers").get_lexer_by_name(name, stripnl=False)
    except import_module("pygments.util").ClassNotFound:
        return None


@lru_cache(maxsize=256)
def lexer_for_file(name: str) -> Any:
    """The lexer for a file name (no folders); None where there is none."""
    kind = import_module("pygments.lexers").find_lexer_class_for_filename(name)
    return None if kind is None else kind(stripnl=False)


def plain(line: str) -> CodeLine:
    """A line without colours."""
    return [(line, ())]


class Highlighter:
    """Colours of one piece of code, line by line. `done` holds the lines that will not change.

    `forgotten`: how many lines before those of `done` are not kept any more.
    """

    def __init__(self, lexer: Any) -> None:
        self.done: list[CodeLine] = []
        self.forgotten = 0
        self._lexer = lexer
        self._stack: tuple[str, ...] = _ROOT
        self._pending: list[str] = []
        self._window = WINDOW
        self._tail_of: tuple[int, str | None] = (0, None)
        self._tail: list[CodeLine] = []
        self._sketch: list[CodeLine] = []  # of the first pending lines, as they look at the moment
        self._sketch_stack = _ROOT

    @property
    def colours(self) -> bool:
        """Whether there are colours for the language."""
        return self._lexer is not None

    @property
    def received(self) -> int:
        """How many lines were pushed."""
        return self.forgotten + len(self.done) + len(self._pending)

    def forget(self, kept: int) -> None:
        """Keep of the lines that will not change the last `kept` only."""
        surplus = len(self.done) - kept
        if surplus > 0:
            del self.done[:surplus]
            self.forgotten += surplus

    def push(self, line: str) -> None:
        """Add a complete line."""
        if self._lexer is None:
            self.done.append(plain(line))
            return
        self._pending.append(line)
        while len(self._pending) >= self._window:
            self._settle()

    def tail(self, partial: str | None = None) -> list[CodeLine]:
        """The lines after `done` as they look now, `partial` (a line that still grows) at the end."""
        if self._lexer is None:
            return [] if partial is None else [plain(partial)]
        question = (self.received, partial)
        if question != self._tail_of:
            self._tail_of = question
            if partial is not None:
                self._tail = self._with_partial(partial)
            else:
                self._tail = self._lex(self._pending, self._stack)[0] if self._pending else []
        return self._tail

    def _with_partial(self, partial: str) -> list[CodeLine]:
        """The pending lines and a growing one. Of those only the last few are lexed again each time."""
        lines = [*self._pending[len(self._sketch) :], partial]
        coloured, cuts = self._lex(lines, self._sketch_stack)
        all_lines = [*self._sketch, *coloured]
        latest = max((count for count in cuts if count < len(lines) - _MARGIN), default=0)
        if latest and _resumable(self._lexer):
            self._sketch.extend(coloured[:latest])
            self._sketch_stack = cuts[latest]
        return all_lines

    def _settle(self) -> None:
        """Make final what can be of the current window, or wait for a larger one."""
        lines = self._pending[: self._window]
        coloured, cuts = self._lex(lines, self._stack)
        latest = max((count for count in cuts if count <= len(lines) - _MARGIN), default=0)
        if latest:
            self._stack = cuts[latest]
        elif self._window < _LARGEST_WINDOW:
            self._window *= 2
            return
        else:
            latest = len(lines)
            self._stack = _ROOT
        self.done.extend(coloured[:latest])
        del self._pending[:latest]
        self._window = WINDOW
        if latest >= len(self._sketch):
            self._sketch.clear()
            self._sketch_stack = self._stack
        else:
            del self._sketch[:latest]

    def _lex(
        self, lines: Sequence[str], stack: tuple[str, ...]
    ) -> tuple[list[CodeLine], dict[int, tuple[str, ...]]]:
        """Coloured lines, and after how many of them a cut is possible with which lexer state."""
        text = "\n".join([line if len(line) <= LONGEST_LINE else "" for line in lines]) + "\n"
        if text.rfind("/*") > text.rfind("*/"):
            # An open comment would be taken for operators: lex as if it were closed after the last line.
            text += "*/\n"
        cuts: dict[int, tuple[str, ...]] = {}
        try:
            coloured = _lines_of(_tokens(self._lexer, text, list(stack), cuts))[: len(lines)]
        except _LEXER_FAULTS:
            # Lexers are written for programs that compile, not for anything a model can come up with.
            return [plain(line) for line in lines], {}
        for index, line in enumerate(lines):
            if len(line) > LONGEST_LINE:
                coloured[index] = plain(line)
        return coloured, cuts


def _lines_of(tokens: Iterable[tuple[TokenType, str]]) -> list[CodeLine]:
    lines: list[CodeLine] = [[]]
    for kind, value in tokens:
        if "\n" not in value:
            lines[-1].append((value, kind))
            continue
        first, *more = value.split("\n")
        if first:
            lines[-1].append((first, kind))
        lines.extend([(part, kind)] if part else [] for part in more)
    return lines


def _tokens(
    lexer: Any, text: str, stack: list[str], cuts: dict[int, tuple[str, ...]]
) -> Iterator[tuple[TokenType, str]]:
    """Tokens of the text; `cuts` gets the lexer's state after each line that ends with a token."""
    if _resumable(lexer):
        tokens = _regex_tokens(lexer, lexer._tokens, text, stack)
    else:
        # No state that could be kept: every window starts anew.
        tokens = _stateless_tokens(lexer, text)
        stack = list(_ROOT)
    count = 0
    for kind, value in tokens:
        yield kind, value
        newlines = value.count("\n")
        if newlines:
            count += newlines
            if value[-1] == "\n":
                cuts[count] = tuple(stack)


def _resumable(lexer: Any) -> bool:
    """Whether a lexer's rules alone find its tokens, so that its stack of states is all there is to keep."""
    kind = type(lexer)
    if not hasattr(kind, "_tokens"):
        return False
    usual = import_module("pygments.lexer").RegexLexer.get_tokens_unprocessed
    return kind.get_tokens_unprocessed is usual or kind.__name__ in _RESUMABLE


def _stateless_tokens(lexer: Any, text: str) -> Iterator[tuple[TokenType, str]]:
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        yield kind, value


def _regex_tokens(
    lexer: Any, states: dict[str, Any], text: str, stack: list[str]
) -> Iterator[tuple[TokenType, str]]:
    """What a `RegexLexer` finds, with its stack of states in `stack`, where it can be read and kept."""
    position, size = 0, len(text)
    while position < size:
        for match_rule, action, move in states[stack[-1]]:
            match = match_rule(text, position)
            if match is None:
                continue
            position = match.end()
            if move is not None:
                found = list(_emitted(lexer, action, match))
                _move(stack, move)
                yield from found
            else:
                yield from _emitted(lexer, action, match)
            break
        else:
            char = text[position]
            position += 1
            if char == "\n":
                stack[:] = _ROOT
            yield (), char


def _emitted(lexer: Any, action: Any, match: re.Match[str]) -> Iterator[tuple[TokenType, str]]:
    """The tokens of one match: a token type colours all of it, a callback divides it."""
    if isinstance(action, tuple):
        if match[0]:
            yield action, match[0]
    elif action is not None:
        for _, kind, value in action(lexer, match):
            if value:
                yield kind, value


def _move(stack: list[str], move: Any) -> None:
    """Change the stack of states as a rule says: pop (a negative number), push again, enter states."""
    if isinstance(move, int):
        del stack[max(1, len(stack) + move) :]
        return
    for name in move if isinstance(move, tuple) else (move,):
        if name == "#push":
            stack.append(stack[-1])
        elif name != "#pop":
            stack.append(name)
        elif len(stack) > 1:
            stack.pop()
