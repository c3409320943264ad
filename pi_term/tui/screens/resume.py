"""The sessions over the whole screen: to go on with, to look into, to name, to throw away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pi_term.base.abort import AbortError
from pi_term.base.clock import now_ms
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.session import DatedFile, delete_session, read_summary
from pi_term.coding.session_places import SessionPlaces
from pi_term.render.line import Line
from pi_term.tui.background import run_in_background
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser import BrowserScreen
from pi_term.tui.screens.browser_layout import both_ends, explained
from pi_term.tui.screens.resume_list import (
    SORTS,
    Listed,
    Row,
    Sort,
    candidates,
    found,
    in_order,
    listed,
    rename_file,
    rows_of,
)
from pi_term.tui.screens.resume_preview import preview_rows
from pi_term.tui.text import Span, ago_text, ends, home_path, one_line

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession

_AGE = 13  # cells
_BEFORE = 30  # characters before what was found, in its row
_SORT_NAMES: dict[Sort, str] = {"recent": "recent", "name": "name", "messages": "messages", "size": "size"}


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """The session to go on with, and the entry to be shown, if a place in it was chosen."""

    path: Path
    entry_id: str | None = None


class ResumeScreen(BrowserScreen[SessionChoice]):
    """Dismissed with the session that was chosen. Rows come as files are read; nothing waits for all."""

    CONTEXTS: ClassVar[tuple[str, ...]] = ("session-picker", "browse", "select")

    def __init__(
        self, looks: Looks, session: AgentSession, places: SessionPlaces, copy: Callable[[str], None]
    ) -> None:
        super().__init__(looks)
        self._session = session
        self._places = places
        self._copy = copy
        self._everywhere = False
        self._named_only = False
        self._paths = False
        self._sort: Sort = "recent"
        self._files: list[DatedFile] = []
        self._sessions: list[Listed] = []
        self._found: list[Listed] | None = None  # what a search came to so far
        self._rows: list[Row] = []
        self._reading = True
        self._searching = False
        self._confirm_due = False
        self._turn = 0  # of the latest list
        self._search_turn = 0

    def on_mount(self) -> None:
        self._list()

    # --- the list

    def _list(self) -> None:
        """Read the list anew."""
        self._turn += 1
        self._sessions, self._reading = [], True
        self._arrange()
        run_in_background(self, partial(self._fill, self._turn), "sessions")
        if self.query_text:
            self.searched()

    async def _fill(self, turn: int) -> None:
        def wanted() -> bool:
            return turn == self._turn and self.is_attached

        self._files = await asyncio.to_thread(candidates, self._places, everywhere=self._everywhere)
        with suppress(AbortError):
            async for some in listed(self._files, self._cwd, wanted):
                if not wanted():
                    return
                self._sessions += some
                self._changed()
        if turn == self._turn:
            self._reading = False
            self._changed()

    @property
    def _cwd(self) -> Path | None:
        return None if self._everywhere else self._places.cwd

    def searched(self) -> None:
        self._search_turn += 1
        self._confirm_due = False
        if not self.query_text.strip():
            self._found, self._searching = None, False
            self._arrange()
            return
        self._searching = True
        run_in_background(self, partial(self._search_all, self._search_turn), "search")

    async def _search_all(self, turn: int) -> None:
        def wanted() -> bool:
            return turn == self._search_turn and self.is_attached

        known = {each.summary.path: each for each in self._sessions}
        query, cwd, first = self.query_text, self._cwd, True
        files = await asyncio.to_thread(candidates, self._places, everywhere=self._everywhere)
        with suppress(AbortError), self._telling(wanted):
            async for some in found(files, query, cwd, known.get, wanted):
                if not wanted():
                    return
                self._found = some if first else [*(self._found or []), *some]
                self.at = 0 if first else self.at
                first = False
                self._changed()
        if turn != self._search_turn:
            return
        if first:
            self._found = []
        self._searching = False
        self._changed()
        if self._confirm_due:
            self.action_select_confirm()

    @contextmanager
    def _telling(self, wanted: Callable[[], bool]) -> Iterator[None]:
        """What is wrong with what is searched for is told at the foot, while that is searched for."""
        try:
            yield
        except PiTermError as error:
            if wanted():
                self.note = error.text()

    def _changed(self) -> None:
        """There are other rows; what was typed before there were any counts now."""
        self._arrange()
        if self._rows or not self._reading:
            self.ready()

    def _arrange(self) -> None:
        """Make the rows; what is selected stays selected, unless nobody has moved yet."""
        kept = self._rows[self.at] if 0 < self.at < len(self._rows) else None
        sessions = self._sessions if self._found is None else self._found
        if self._named_only:
            sessions = [each for each in sessions if each.summary.name is not None]
        self._rows = rows_of(in_order(sessions, self._sort) if self._found is None else sessions)
        place = next((n for n, row in enumerate(self._rows) if kept is not None and _same(row, kept)), 0)
        self.at = place
        self.paint()

    @property
    def count(self) -> int:
        return len(self._rows)

    def subject(self) -> Row | None:
        """The row that is selected."""
        return self._rows[self.at] if 0 <= self.at < len(self._rows) else None

    def row(self, place: int, width: int, ground: str | None) -> Line:
        row, theme = self._rows[place], self.theme_colours
        if row.hit is not None:
            hit, muted = row.hit, theme.style("muted", ground)
            found_style = theme.style("searchMatchText", "searchMatchBg")
            before = hit.before if len(hit.before) <= _BEFORE else f"…{hit.before[-_BEFORE:]}"
            spans = [(f"   {before}", muted), (hit.match, found_style), (hit.after, muted)]
            return both_ends(spans, [(_ROLES.get(hit.role, hit.role), theme.style("dim", ground))], width)
        title = row.listed.title
        token = "accent" if row.listed.summary.name is not None else "text"
        return both_ends([(title, theme.style(token, ground))], self._aside(row.listed, width, ground), width)

    def _aside(self, each: Listed, width: int, ground: str | None) -> list[Span]:
        """Where it is, how long it is, how old it is."""
        summary, theme = each.summary, self.theme_colours
        dim = theme.style("dim", ground)
        spans: list[Span] = []
        if summary.path == self._session.file.path:
            spans.append(("this one  ", theme.style("accent", ground)))
        if each.gone:
            spans.append(("folder is gone  ", theme.style("warning", ground)))
        elif self._paths:
            spans.append((f"{home_path(summary.path)[-(width // 3) :]}  ", dim))
        elif self._everywhere and width > 50:
            spans.append((f"{home_path(Path(summary.cwd))[-24:]}  ", dim))
        size = f"{summary.size / 1e6:.1f} MB" if self._sort == "size" else f"{summary.message_count:,}"
        spans.append((f"{size:>6}  {_age(summary.modified):>{_AGE}}", dim))
        return spans

    def nothing(self) -> str:
        if self._searching or self._reading:
            return "looking…"
        if self.query_text:
            return "nothing was said like that" + self._elsewhere()
        if self._named_only:
            return f"no session has a name: {self.hint('app.session.toggleNamedFilter')} shows all"
        return "there are no sessions of this folder yet" + self._elsewhere()

    def _elsewhere(self) -> str:
        return "" if self._everywhere else f": {self.hint('app.session.toggleScope')} looks in all folders"

    # --- around it

    def heading(self, width: int) -> list[Line]:
        theme = self.theme_colours
        scope = "all folders" if self._everywhere else home_path(self._places.cwd)
        title = self.titled("Resume", more=self._reading or self._searching)
        title.append((f" {scope}", theme.style("text")))
        marks = ["named only"] if self._named_only else []
        marks.append(self._order())
        first = ends(title, [(" · ".join(marks), theme.style("muted"))], width)
        return [first, *explained(self._help(), self.app.size, theme)]

    def _order(self) -> str:
        """How the sessions are sorted; of what a search found, how many they are: each has rows below it."""
        if self._found is None:
            return f"by {_SORT_NAMES[self._sort]}"
        found = sum(row.hit is None for row in self._rows)
        return f"{found} session{'' if found == 1 else 's'}"

    def _help(self) -> list[str]:
        keys = (
            ("app.session.toggleScope", "this folder" if self._everywhere else "all folders"),
            ("app.session.toggleSort", "sorts"),
            ("app.session.rename", "renames"),
            ("app.session.delete", "deletes"),
            ("app.session.toggleNamedFilter", "named"),
            ("app.session.togglePath", "paths"),
        )
        return [f"{self.hint(action)} {what}" for action, what in keys]

    def preview_label(self) -> str:
        row = self.subject()
        return one_line(row.listed.title, 60) if row is not None else ""

    def start_preview(self, width: int) -> None:
        row = self.subject()
        if row is not None:
            run_in_background(self, partial(self._preview, row, width), "preview")

    async def _preview(self, row: Row, width: int) -> None:
        self.show_preview(row, await asyncio.to_thread(preview_rows, row, width, self.theme_colours))

    # --- what one can do

    def action_select_confirm(self) -> None:
        if self._searching and not self._found:
            self._confirm_due = True
        else:
            super().action_select_confirm()

    def confirm(self) -> None:
        row = self.subject()
        if row is not None:
            hit = row.hit or next(iter(row.listed.hits), None)
            said = hit is not None and hit.role != "session_info"  # a name stands nowhere in the transcript
            entry_id = hit.entry_id if hit is not None and said else None
            self.dismiss(SessionChoice(row.listed.summary.path, entry_id))

    def copy_selected(self) -> None:
        row = self.subject()
        if row is not None:
            self._copy(str(row.listed.summary.path))
            self.note = "The path of the session was copied."
            self.paint()

    def action_toggle_scope(self) -> None:
        self._everywhere = not self._everywhere
        self._list()

    def action_toggle_path(self) -> None:
        self._paths = not self._paths

    def action_toggle_sort(self) -> None:
        self._sort = SORTS[(SORTS.index(self._sort) + 1) % len(SORTS)]
        self._arrange()

    def action_toggle_named(self) -> None:
        self._named_only = not self._named_only
        self._arrange()

    def action_rename(self) -> None:
        row = self.subject()
        if row is not None:
            self.ask("Name:", partial(self._rename, row.listed), row.listed.summary.name or "")

    def _rename(self, each: Listed, name: str) -> None:
        async def write() -> None:
            path = each.summary.path
            try:
                if path == self._session.file.path:
                    await self._session.navigator.rename(name)
                else:
                    await asyncio.to_thread(rename_file, path, name)
            except (PiTermError, OSError) as error:
                self.note = error.text() if isinstance(error, PiTermError) else f"Cannot rename: {error}"
            summary = await asyncio.to_thread(read_summary, path)
            self._replace(each, None if summary is None else Listed(summary, each.gone, each.hits))

        run_in_background(self, write, "rename")

    def action_delete_unless_searching(self) -> None:
        if not self.query_text:
            self.action_delete()

    def action_delete(self) -> None:
        row = self.subject()
        if row is None:
            return
        if row.listed.summary.path == self._session.file.path:
            self.note = "That is the session you are in: go to another one first."
            return
        self.ask(f"Delete “{one_line(row.listed.title, 50)}”?", partial(self._delete, row.listed), None)

    def _delete(self, each: Listed, _: str) -> None:
        async def delete() -> None:
            try:
                how = await asyncio.to_thread(
                    delete_session, each.summary.path, open_session=self._session.file.path
                )
            except PiTermError as error:
                self.note = error.text()
                self.paint()
                return
            self.note = "Moved into the trash." if how == "trashed" else "Deleted."
            self._replace(each, None)

        run_in_background(self, delete, "delete")

    def _replace(self, old: Listed, new: Listed | None) -> None:
        """Show a session as it is now; None: it is gone."""
        path, instead = old.summary.path, [] if new is None else [new]

        def changed(sessions: list[Listed]) -> list[Listed]:
            return [
                other for each in sessions for other in (instead if each.summary.path == path else [each])
            ]

        at = self.at
        self._sessions = changed(self._sessions)
        self._found = None if self._found is None else changed(self._found)
        self._arrange()
        if new is None:
            self.at = at
            self.paint()


_ROLES = {
    "user": "you",
    "assistant": "answer",
    "compaction": "summary",
    "branch_summary": "summary",
    "session_info": "name",
    "bashExecution": "your command",
    "custom_message": "note",
}


def _same(row: Row, other: Row) -> bool:
    return row.listed.summary.path == other.listed.summary.path and row.hit == other.hit


def _age(modified: int) -> str:
    return ago_text((now_ms() - modified) / 1000)
