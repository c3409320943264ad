"""`/session`: where the session is, what is in it, what it used, by model and by branch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pi_term.coding.agent_session import AgentSession
from pi_term.coding.session import StoredEntry
from pi_term.coding.stats import SessionStats
from pi_term.render.line import EMPTY_LINE, Line
from pi_term.render.theme import Theme
from pi_term.tui.background import run_in_background
from pi_term.tui.looks import Looks
from pi_term.tui.screens.report import ReportScreen
from pi_term.tui.screens.session_usage import Branch, UsageCount
from pi_term.tui.screens.tree_text import row_text
from pi_term.tui.session_facts import session_facts
from pi_term.tui.text import count_text, fit, line_of

_SLICE = 400  # entries that are counted in one go
_BREATH = 0.02  # seconds in which keys have their turn
_MOST = 12  # branches that are listed
_HEADS = ("in", "out", "cache read", "cache hit", "cost")
_COLUMN = 12  # cells
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
        rows += table("By model", "answers", [*by_model, ("all", count.whole)], width, theme)
        if self._branches is None:
            told = f"counting… {count.counted:,} of {count.total:,} entries"
            return [*rows, EMPTY_LINE, line_of((told, theme.style("muted")))]
        branches = self._branches
        listed = [(self._label(each), each.stats) for each in branches[:_MOST]]
        rows += table("By branch, from the beginning to where it ends", "prompts", listed, width, theme)
        if len(branches) > _MOST:
            rest = f"and {len(branches) - _MOST:,} more: the tree shows them"
            rows.append(line_of((rest, theme.style("dim"))))
        return rows

    def _label(self, branch: Branch) -> str:
        return ("→ " if branch.here else "  ") + self._texts.get(branch.end, "…")


def table(
    title: str, said: str, rows: Sequence[tuple[str, SessionStats]], width: int, theme: Theme
) -> list[Line]:
    """Sums with their names; where it is narrow, the last columns are left out.

    `said` names the last one: how many "prompts" or "answers" there are.
    """
    heads = (*_HEADS, said)[: max(2, (width - 24) // _COLUMN)]
    room = width - _COLUMN * len(heads)
    muted = theme.style("muted")
    lines = [EMPTY_LINE, line_of((title, theme.style("mdHeading", bold=True)))]
    lines.append(line_of((" " * room + "".join(f"{head:>{_COLUMN}}" for head in heads), muted)))
    for name, stats in rows:
        ((shown, style),) = fit([(name, theme.style("text"))], room - 1) or [("", None)]
        cells = "".join(f"{cell:>{_COLUMN}}" for cell in _cells(stats, said)[: len(heads)])
        gap = " " * (room - line_of((shown, style)).cell_length)
        lines.append(line_of((shown, style), (gap + cells, None)))
    return lines


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
