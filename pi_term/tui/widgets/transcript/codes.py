"""Pieces of code in the rows of a block: found between the two rules that are drawn around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_term.render.line import copied_text
from pi_term.tui.widgets.transcript.search_view import text_of

if TYPE_CHECKING:
    from pi_term.render.line import Block, Line

COPY_CODE = "app.message.copyCode"
"""The action of the rules around code."""


def may_hold_code(block: Block) -> bool:
    """Whether there may be code in a block: False is certain, and known without drawing it."""
    return getattr(block, "has_markdown", False) and any(fence in text_of(block) for fence in ("```", "~~~"))


def code_at(lines: Sequence[Line], at: int) -> str | None:
    """The code above or below the rule in row `at`; None if there is no rule."""
    rules = rule_rows(lines)
    if at not in rules:
        return None
    index = rules.index(at)
    first = index - index % 2
    if first + 1 >= len(rules):
        return None
    return code_between(lines, rules[first], rules[first + 1])


def rule_rows(lines: Sequence[Line]) -> list[int]:
    """The rows with rules, two for each piece of code."""
    return [at for at, line in enumerate(lines) if COPY_CODE in line.action_ids]


def code_between(lines: Sequence[Line], first: int, last: int) -> str:
    """The code between two rules, without the marks of the lists and quotes it is in."""
    prefix = lines[last].source_text.rstrip("`~")
    text = copied_text(lines[at] for at in range(first + 1, last))
    if not prefix:
        return text
    bare = prefix.rstrip()
    return "\n".join(
        line.removeprefix(prefix) if line.startswith(prefix) else line.removeprefix(bare)
        for line in text.split("\n")
    )
