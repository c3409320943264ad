"""The tree of a session over the whole screen: where to go, what was said there, which branches there are."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from pi_term.ai.messages import AssistantMessage
from pi_term.base.abort import AbortError
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.session import MessageEntry, StoredEntry
from pi_term.render.line import Line
from pi_term.tui.background import after, run_in_background
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser import BrowserScreen
from pi_term.tui.screens.browser_layout import both_ends, explained
from pi_term.tui.screens.entry_preview import entry_preview
from pi_term.tui.screens.tree_badges import BadgeCount
from pi_term.tui.screens.tree_text import full_text, row_text
from pi_term.tui.text import Span, count_text, ends
from pi_term.tui.tree_rows import FILTERS, Filter, TreeRows, tree_rows

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession

_AT_ONCE = 2_000  # entries whose rows are made before the first frame; more of them beside the keys
_SHOWN = 0.1  # seconds until the screen is there, and counting begins
_SLICE = 400  # entries that are counted in one go
_BREATH = 0.02  # seconds in which keys have their turn
_TALL = 30  # rows of a screen with room for all the keys
_KEPT = 2_000  # rows whose text is kept
_MODE_NAMES: dict[Filter, str] = {
    "default": "",
    "no-tools": "[no tools]",
    "user-only": "[your messages]",
    "labeled-only": "[labelled]",
    "all": "[all]",
}
_WHO = {"user": "you", "assistant": "answer", "toolResult": "tool", "bashExecution": "your command"}


@dataclass(frozen=True, slots=True)
class TreeState:
    """How somebody looks at the tree, so that it can be shown like that again; `entry` is selected."""

    mode: Filter = "default"
    entry: StoredEntry | None = None
    times: bool = False
    folded: frozenset[StoredEntry] = field(default=frozenset())


class TreeScreen(BrowserScreen[StoredEntry]):
    """Dismissed with the entry to go to. `state` tells how it was looked at last."""

    CONTEXTS: ClassVar[tuple[str, ...]] = ("tree", "browse", "select")

    def __init__(
        self, looks: Looks, session: AgentSession, state: TreeState, copy: Callable[[str], None]
    ) -> None:
        super().__init__(looks)
        self.state = state
        self._session = session
        self._tree = session.file.tree
        self._copy = copy
        self._rows = TreeRows()
        self._shown: list[int] = []  # the rows that are not folded away
        self._here = -1
        self._turn = 0  # of the latest search
        self._searching = True
        self._confirm_due = False
        self._texts: dict[StoredEntry, tuple[str, str]] = {}
        self._badges: BadgeCount | None = None

    def compose(self) -> ComposeResult:
        self._rebuild()
        yield from super().compose()

    def on_mount(self) -> None:
        after(self, _SHOWN, partial(run_in_background, self, self._count_branches, "branches"))

    # --- rows

    def _rebuild(self) -> None:
        """Make the rows anew; what is selected stays selected, or what is nearest above it."""
        self._turn += 1
        if len(self._tree.entries) <= _AT_ONCE and not self.query_text:
            self._take(tree_rows(self._tree, self.state.mode))
            return
        self._searching = True
        run_in_background(self, partial(self._build, self._turn), "tree rows")

    async def _build(self, turn: int) -> None:
        try:
            rows = await asyncio.to_thread(self._make_rows, turn)
        except AbortError:
            return
        except PiTermError as error:
            rows = TreeRows()
            self.note = error.text() if turn == self._turn else self.note
        if turn == self._turn:
            self._take(rows)

    def _make_rows(self, turn: int) -> TreeRows:
        from pi_term.tui.screens.tree_search import find_entries

        query = self.query_text
        only = find_entries(self._tree, query, lambda: turn == self._turn) if query.strip() else None
        rows = tree_rows(self._tree, self.state.mode, only)
        rows.place_of(self._tree.leaf)
        return rows

    def _take(self, rows: TreeRows) -> None:
        self._rows = rows
        self._searching = False
        self._here = rows.place_of(self._tree.leaf)
        self._fold_rows()
        self.ready()
        if self._confirm_due:
            self._confirm_due = False
            self.action_select_confirm()

    def _fold_rows(self) -> None:
        """Hide what is folded, unless something is searched for."""
        folded = frozenset[StoredEntry]() if self.query_text else self.state.folded
        self._shown = self._rows.unfolded(folded)
        row = self._rows.place_of(self.state.entry)
        self.at = max(0, bisect_right(self._shown, row) - 1)

    @property
    def count(self) -> int:
        return len(self._shown)

    def subject(self) -> StoredEntry | None:
        """The entry that is selected."""
        return self._rows.entries[self._shown[self.at]] if 0 <= self.at < len(self._shown) else None

    def paint(self) -> None:
        if self._shown and not self._searching:
            self.at = max(0, min(self.at, len(self._shown) - 1))
            self.state = replace(self.state, entry=self.subject())
        super().paint()

    def row(self, place: int, width: int, ground: str | None) -> Line:
        row = self._shown[place]
        entry = self._rows.entries[row]
        theme = self.theme_colours
        text, token = self._text(entry)
        if token == "text" and entry not in self._rows.active:
            token = "muted"
        left: list[Span] = [(self._guides(row, entry), theme.style("border", ground))]
        label = self._tree.labels.get(entry.id)
        if label is not None:
            left.append((f"[{label.text}] ", theme.style("warning", ground)))
            if self.state.times:
                left.append((f"{_moment(label.timestamp)} ", theme.style("dim", ground)))
        left.append((text, theme.style(token, ground)))
        return both_ends(left, self._aside(row, entry, ground), width)

    def _guides(self, row: int, entry: StoredEntry) -> str:
        guides = self._rows.guides(row)
        folded = entry in self.state.folded and not self.query_text and self._rows.is_fold(row)
        return guides + ("⊞ " if folded else "⊟ " if guides.endswith("├") else "")

    def _aside(self, row: int, entry: StoredEntry, ground: str | None) -> list[Span]:
        """What a branch comes to, where it begins; and where one is."""
        theme = self.theme_colours
        found: list[Span] = []
        badge = self._badges.badges.get(entry) if self._badges is not None else None
        if badge is not None and self._rows.is_fold(row):
            found.append((badge.text, theme.style("dim", ground)))
        if row == self._here:
            found.append((" ← here" if found else "← here", theme.style("accent", ground)))
        return found

    def _text(self, entry: StoredEntry) -> tuple[str, str]:
        found = self._texts.get(entry)
        if found is None:
            if len(self._texts) >= _KEPT:
                self._texts.clear()
            found = self._texts[entry] = row_text(entry)
        return found

    def nothing(self) -> str:
        if self._searching:
            return "looking…"
        if self.query_text:
            return "nothing matches"
        return {
            "labeled-only": f"nothing has a label yet: {self.hint('app.tree.editLabel')} gives one",
            "user-only": "you said nothing yet",
        }.get(self.state.mode, "nothing was said yet in this session")

    # --- around the rows

    def heading(self, width: int) -> list[Line]:
        theme = self.theme_colours
        marks = [_MODE_NAMES[self.state.mode], "[label times]" if self.state.times else ""]
        whole = self._badges.whole if self._badges is not None else None
        right: list[Span] = [(whole.text, theme.style("dim"))] if whole is not None and width > 70 else []
        title = self.titled("Session Tree", more=self._searching)
        title += [(f" {mark}", theme.style("muted")) for mark in marks if mark]
        size = self.app.size
        most = 1 if size.height < _TALL else 2  # the rows of the tree matter more
        help = (explained(keys, size, theme, most) for keys in self._help())
        return [ends(title, right, width), *(row for rows in help for row in rows)]

    def _help(self) -> list[list[str]]:
        keys = self.hint
        branches = f"{keys('app.tree.foldOrUp')}/{keys('app.tree.unfoldOrDown').split('+')[-1]} branches"
        others = (
            ("app.tree.editLabel", "labels"),
            ("app.message.copy", "copies"),
            ("app.tree.toggleLabelTimestamp", "label times"),
            ("app.tree.filter.cycleForward", "next view"),
        )
        views = (
            ("app.tree.filter.default", "normal"),
            ("app.tree.filter.noTools", "no tools"),
            ("app.tree.filter.userOnly", "yours"),
            ("app.tree.filter.labeledOnly", "labelled"),
            ("app.tree.filter.all", "all"),
        )
        first = [branches, *(f"{keys(action)} {what}" for action, what in others)]
        second = [
            f"{'' if number else 'show '}{keys(action)} {name}" for number, (action, name) in enumerate(views)
        ]
        return [first, second]

    def hints(self) -> list[tuple[str, str]]:
        own = super().hints()
        return own if own[0][1] == "confirms" else [(own[0][0], "goes there"), *own[1:]]

    def preview_label(self) -> str:
        entry = self.subject()
        if entry is None:
            return ""
        parts = [_WHO.get(entry.role or "", entry.type.replace("_", " ")), _moment(entry.timestamp)]
        record = entry.record() if entry.role == "assistant" else None
        if isinstance(record, MessageEntry) and isinstance(record.message, AssistantMessage):
            usage = record.message.usage
            parts += [record.message.model, f"↑ {count_text(usage.input)} ↓ {count_text(usage.output)}"]
            if usage.cost.total:
                parts.append(f"${usage.cost.total:.3f}")
        return " · ".join(part for part in parts if part)

    def start_preview(self, width: int) -> None:
        entry = self.subject()
        if entry is not None:
            run_in_background(self, partial(self._preview, entry, width), "preview")

    async def _preview(self, entry: StoredEntry, width: int) -> None:
        rows = await asyncio.to_thread(entry_preview, entry, width, self.theme_colours)
        self.show_preview(entry, rows)

    async def _count_branches(self) -> None:
        """Find out what the branches come to, beside the keys."""
        counting = self._badges = await asyncio.to_thread(BadgeCount, self._tree, self._session.harness.cwd)
        more = True
        while more:
            more = await asyncio.to_thread(counting.step, _SLICE)
            await asyncio.sleep(_BREATH)
        self.paint()

    # --- what one can do

    def searched(self) -> None:
        self._confirm_due = False
        self._rebuild()

    def action_select_confirm(self) -> None:
        if self._searching:
            self._confirm_due = True
        else:
            super().action_select_confirm()

    def confirm(self) -> None:
        entry = self.subject()
        if self._session.busy:
            self.note = "Stop the agent first: then you can go elsewhere."
        elif entry is not None:
            self.dismiss(entry)

    def copy_selected(self) -> None:
        entry = self.subject()
        text = full_text(entry) if entry is not None else ""
        if text:
            self._copy(text)
        self.note = "Copied." if text else "There is nothing to copy."
        self.paint()

    def action_edit_label(self) -> None:
        entry = self.subject()
        if entry is None:
            return
        label = self._tree.labels.get(entry.id)
        done = partial(self._set_label, entry)
        self.ask("Label (empty takes it away):", done, label.text if label is not None else "")

    def _set_label(self, entry: StoredEntry, text: str) -> None:
        async def write() -> None:
            try:
                await self._session.navigator.label(entry.id, text)
            except PiTermError as error:
                self.note = error.text()
            self._rebuild()

        run_in_background(self, write, "label")

    def action_toggle_label_time(self) -> None:
        self.state = replace(self.state, times=not self.state.times)

    def action_fold(self) -> None:
        """Fold the branch that begins here, else go to where the one around begins."""
        entry = self.subject()
        if entry is None:
            return
        row = self._shown[self.at]
        if self._rows.is_fold(row) and entry not in self.state.folded and not self.query_text:
            self.state = replace(self.state, folded=self.state.folded | {entry})
            self._fold_rows()
            return
        starts = [segment.start for segment in self._rows.segments if segment.start < row]
        self._select_row(max(starts, default=0))

    def action_unfold(self) -> None:
        """Unfold the branch, else go to where the next one begins, or to the end."""
        entry = self.subject()
        if entry is None:
            return
        if entry in self.state.folded:
            self.state = replace(self.state, folded=self.state.folded - {entry})
            self._fold_rows()
            return
        row = self._shown[self.at]
        starts = [segment.start for segment in self._rows.segments if segment.start > row]
        self._select_row(min(starts, default=len(self._rows.entries) - 1))

    def _select_row(self, row: int) -> None:
        self.at = max(0, bisect_right(self._shown, row) - 1)

    def action_filter_default(self) -> None:
        self._show("default")

    def action_filter_no_tools(self) -> None:
        self._toggle("no-tools")

    def action_filter_user_only(self) -> None:
        self._toggle("user-only")

    def action_filter_labeled_only(self) -> None:
        self._toggle("labeled-only")

    def action_filter_all(self) -> None:
        self._toggle("all")

    def action_next_filter(self) -> None:
        self._cycle(1)

    def action_previous_filter(self) -> None:
        self._cycle(-1)

    def _toggle(self, mode: Filter) -> None:
        self._show("default" if self.state.mode == mode else mode)

    def _cycle(self, step: int) -> None:
        self._show(FILTERS[(FILTERS.index(self.state.mode) + step) % len(FILTERS)])

    def _show(self, mode: Filter) -> None:
        if mode != self.state.mode:
            self.state = replace(self.state, mode=mode)
            self._rebuild()


def _moment(timestamp: str) -> str:
    """The time of an entry: of today only the hour, else the day too."""
    try:
        moment = datetime.fromisoformat(timestamp).astimezone()
    except ValueError:
        return ""
    today = moment.date() == datetime.now().astimezone().date()
    return moment.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")
