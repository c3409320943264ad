"""`/session`: where the session is, what is in it, what it used, by model and by branch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pi_term.base.dataclass import dataclass
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.session import StoredEntry
from pi_term.coding.stats import SessionStats
from pi_term.render.line import EMPTY_LINE, Line
from pi_term.render.theme import Theme
from pi_term.tui.background import run_in_background
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser_layout import rows_that_fit
from pi_term.tui.screens.report import ReportScreen
from pi_term.tui.screens.session_usage import Branch, UsageCount
from pi_term.tui.screens.tree_text import row_text
from pi_term.tui.session_facts import session_facts
from pi_term.tui.text import Span, count_text, fit, line_of, spans_width

_SLICE = 400  # entries that are counted in one go
_BREATH = 0.02  # seconds in which keys have their turn
_MOST = 12  # branches that are listed
_HEADS = ("in", "out", "cache read", "cache hit", "cost")
_SHORT_HEADS = ("in", "out", "cached", "hit", "cost")
_COLUMN, _NARROW_COLUMN = 12, 9  # cells
_NAME = 20  # cells that a name has at least beside the columns
_HERE = " ← here"
_TITLE = 10  # cells


class SessionInfoScreen(ReportScreen):
    """The facts at once, the sums as they are counted."""

    def __init__(self, looks: Looks, session: AgentSession, copy: Callable[[str], None]) -> None:
        super().__init__(looks, "Session", self._rows, copy)
        self._session = session
        self._count = UsageCount(session.file.tree)
        self._branches: Sequence[Branch] | None = None  # while they are not counted
        self._texts: dict[StoredEntry, str] = {}
        self._facts = session_facts(session)

    def on_mount(self) -> None:
        super().on_mount()
        run_in_background(self, self._go_on, "usage")

    async def _go_on(self) -> None:
        more = True
        while more:
            more = await asyncio.to_thread(self._count.step, _SLICE)
            await asyncio.sleep(_BREATH)
            if more:
                self.show_again()
        self._branches = await asyncio.to_thread(self._count.branches)
        ends = [branch.end for branch in self._branches[:_MOST]]
        self._texts = await asyncio.to_thread(lambda: {end: _name(end) for end in ends})
        self.show_again()

    def _rows(self, width: int) -> list[Line]:
        theme, count = self.theme_colours, self._count
        rows = [line for fact in self._facts.splitlines() for line in _fact(fact, width, theme)]
        by_model = sorted(count.by_model.items(), key=lambda each: -each[1].cost - each[1].output / 1e9)
        models = [Sum(name, stats) for name, stats in (*by_model, ("all", count.whole))]
        rows += table("By model", "answers", models, width, theme)
        if self._branches is None:
            told = f"counting… {count.counted:,} of {count.total:,} entries"
            return [*rows, EMPTY_LINE, line_of((told, theme.style("muted")))]
        branches = self._branches
        listed = [Sum(self._label(each), each.stats, each.here) for each in branches[:_MOST]]
        rows += table("By branch, from the beginning to where it ends", "prompts", listed, width, theme)
        if len(branches) > _MOST:
            rest = f"and {len(branches) - _MOST:,} more: the tree shows them"
            rows.append(line_of((rest, theme.style("dim"))))
        return rows

    def _label(self, branch: Branch) -> str:
        return self._texts.get(branch.end, "…")


@dataclass(frozen=True, slots=True)
class Sum:
    """What was used under one name; `here` marks the branch of the current position."""

    name: str
    stats: SessionStats
    here: bool = False


def table(title: str, said: str, rows: Sequence[Sum], width: int, theme: Theme) -> list[Line]:
    """Sums with their names; where columns have no room beside these, the sums stand below them.

    `said` names the last one: how many "prompts" or "answers" there are.
    """
    lines = [EMPTY_LINE, line_of((title, theme.style("mdHeading", bold=True)))]
    for heads, column in (((*_HEADS, said), _COLUMN), ((*_SHORT_HEADS, said), _NARROW_COLUMN)):
        room = width - column * len(heads)
        if room >= _NAME:
            told = " " * room + "".join(f"{head:>{column}}" for head in heads)
            lines.append(line_of((told, theme.style("muted"))))
            return [*lines, *(_in_columns(each, said, room, column, theme) for each in rows)]
    for each in rows:
        lines.append(line_of(*_named(each, width, theme)))
        told_rows = rows_that_fit(_in_words(each.stats, said), width - 2, len(_HEADS) + 1)
        lines += [line_of((f"  {row}", theme.style("muted"))) for row in told_rows]
    return lines


def _named(each: Sum, room: int, theme: Theme) -> list[Span]:
    """The name in at most `room` cells."""
    mark: list[Span] = [(_HERE, theme.style("accent"))] if each.here else []
    return [*fit([(each.name, theme.style("text"))], room - spans_width(mark)), *mark]


def _in_columns(each: Sum, said: str, room: int, column: int, theme: Theme) -> Line:
    name = _named(each, room - 1, theme)
    cells = "".join(f"{cell:>{column}}" for cell in _cells(each.stats, said))
    return line_of(*name, (" " * (room - spans_width(name)) + cells, None))


def _in_words(stats: SessionStats, said: str) -> list[str]:
    read, out, cached, hit, cost, count = _cells(stats, said)
    word = said[:-1] if count == "1" else said
    return [f"in {read}", f"out {out}", f"cached {cached} ({hit})", cost, f"{count} {word}"]


def _fact(fact: str, width: int, theme: Theme) -> list[Line]:
    """A fact; a long one goes on below."""
    title, _, text = fact.partition(": ")
    room = max(10, width - _TITLE)
    parts = [text[at : at + room] for at in range(0, len(text), room)] or [""]
    heads = [title, *[""] * len(parts)]
    muted = theme.style("muted")
    return [
        line_of((f"{head:<{_TITLE}}", muted), (part, None)) for head, part in zip(heads, parts, strict=False)
    ]


def _cells(stats: SessionStats, said: str) -> list[str]:
    read = stats.input + stats.cache_read + stats.cache_write
    share = f"{100 * stats.cache_read / read:.0f} %" if read else "–"
    return [
        count_text(stats.input),
        count_text(stats.output),
        count_text(stats.cache_read),
        share,
        f"${stats.cost:.3f}",
        f"{stats.user_messages if said == 'prompts' else stats.assistant_messages:,}",
    ]


def _name(end: StoredEntry) -> str:
    """What a branch ends with: the last thing that was said."""
    entry: StoredEntry | None = end
    while entry is not None and entry.role not in ("user", "assistant"):
        entry = entry.parent
    return row_text(entry)[0] if entry is not None else "(nothing said)"
