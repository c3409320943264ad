"""What the agent changed in files: looked at, taken back, or talked about, hunk by hunk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.changes import ChangedFile, ChangeReview, Hunk
from pi_term.coding.changes.review import quoted
from pi_term.render.line import Line
from pi_term.tui.background import run_in_background
from pi_term.tui.fuzzy import matcher
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser import BrowserScreen
from pi_term.tui.screens.browser_layout import both_ends
from pi_term.tui.screens.text_preview import diff_rows, line_counts, text_rows
from pi_term.tui.text import Span, ends, one_line, path_text

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.tui.screens.main import MainScreen


@dataclass(frozen=True, slots=True)
class _Row:
    """A changed file, or one hunk of it."""

    file: ChangedFile
    hunk: Hunk | None = None

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        return self.file.hunks if self.hunk is None else (self.hunk,)


class ChangesScreen(BrowserScreen[str]):
    """Dismissed with the beginning of a prompt about a change, or None when closed."""

    CONTEXTS: ClassVar[tuple[str, ...]] = ("changes", "browse", "select")

    def __init__(self, session: AgentSession, looks: Looks) -> None:
        super().__init__(looks)
        self._review = ChangeReview(session)
        self._cwd = session.harness.cwd
        self._since_prompt = False
        self._files: list[ChangedFile] | None = None
        self._rows: list[_Row] = []

    def on_mount(self) -> None:
        self._work(self._load)

    # --- what the list is about

    @property
    def count(self) -> int:
        """Files and hunks that match."""
        return len(self._rows)

    def heading(self, width: int) -> list[Line]:
        """Of what time, and how much."""
        theme = self.theme_colours
        when = "since your last prompt" if self._since_prompt else "in this session"
        title = self.titled(f"What the agent changed {when}", more=self._files is None)
        files = self._files or []
        total: list[Span] = [
            (f"{len(files)} file{'s' if len(files) != 1 else ''}  ", theme.style("muted")),
            *line_counts(sum(each.added for each in files), sum(each.removed for each in files), theme),
        ]
        return [ends(title, total if files else [], width)]

    def row(self, place: int, width: int, ground: str | None) -> Line:
        """A file with its counts, or a hunk with its lines and how it begins."""
        row, theme = self._rows[place], self.theme_colours
        if row.hunk is None:
            file = row.file
            what = "new" if file.before is None else "deleted" if file.now is None else ""
            left: list[Span] = [
                (self._named(file), theme.style("accent", ground, bold=True)),
                (f"  {what or file.problem}", theme.style("muted", ground)),
            ]
            return both_ends(left, line_counts(file.added, file.removed, theme, ground), width)
        hunk = row.hunk
        left = [
            (f"    {hunk.place:<16}", theme.style("text", ground)),
            (f" {_beginning(hunk)}", theme.style("muted", ground)),
        ]
        return both_ends(left, line_counts(hunk.added, hunk.removed, theme, ground), width)

    def nothing(self) -> str:
        """While it is being looked at, and when there is nothing."""
        if self._files is None:
            return "looking…"
        return "nothing matches" if self._files else "nothing: no file differs from what it was"

    def subject(self) -> object:
        """The selected row."""
        return self._rows[self.at] if self.count else None

    def preview_label(self) -> str:
        """The selected file."""
        return self._named(self._rows[self.at].file) if self.count else ""

    def start_preview(self, width: int) -> None:
        """The difference."""
        row = self._rows[self.at]

        async def make() -> None:
            self.show_preview(row, await asyncio.to_thread(self._drawn_diff, row, width))

        run_in_background(self, make, "changes preview")

    def searched(self) -> None:
        """Show the files and hunks that hold all the words."""
        matches = matcher(self.query_text)
        self._rows = []
        for file in self._files or ():
            name = self._named(file)
            found = [hunk for hunk in file.hunks if matches(f"{name}\n{hunk.text}")]
            if found or matches(name):
                self._rows += [_Row(file), *(_Row(file, hunk) for hunk in found)]

    def confirm(self) -> None:
        """Begin a prompt about it."""
        row = self._rows[self.at]
        name = self._named(row.file)
        parts = [quoted(hunk, name) for hunk in row.hunks] or [f"About the change in {name}:"]
        self.dismiss("\n".join(parts))

    def hints(self) -> list[tuple[str, str]]:
        """The keys of this list."""
        return [
            (self.hint("tui.select.confirm"), "begins a prompt about it"),
            (self.hint("app.changes.revert"), "takes it back"),
            (self.hint("app.changes.undo"), "undoes that"),
            (self.hint("app.changes.since"), "the session" if self._since_prompt else "since your prompt"),
            (self.hint("tui.select.cancel"), "closes"),
        ]

    # --- actions

    def action_changes_revert(self) -> None:
        """Take the hunk back, or all of the file."""
        if self.count:
            self._work(partial(self._revert, self._rows[self.at]))

    def action_changes_undo(self) -> None:
        """Undo what was taken back last."""
        self._work(self._undo)

    def action_changes_since(self) -> None:
        """Since the last prompt, or in the whole session."""
        self._since_prompt = not self._since_prompt
        self._work(self._load)

    # --- inside

    def _work(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        run_in_background(self, work, "changes")

    async def _load(self) -> None:
        self._files = await self._review.files(since_prompt=self._since_prompt)
        self.searched()
        self.ready()

    async def _revert(self, row: _Row) -> None:
        try:
            await self._review.revert(row.file, row.hunk)
            note = f"Taken back. {self.hint('app.changes.undo')} undoes it."
        except PiTermError as error:
            note = error.text()
        await self._load()
        self.note = note
        self.paint()

    async def _undo(self) -> None:
        try:
            path = await self._review.undo()
            note = (
                "There is nothing to undo."
                if path is None
                else f"{path_text(path, self._cwd)} is as it was before."
            )
        except PiTermError as error:
            note = error.text()
        await self._load()
        self.note = note
        self.paint()

    def _named(self, file: ChangedFile) -> str:
        return path_text(file.path, self._cwd)

    def _drawn_diff(self, row: _Row, width: int) -> list[Line]:
        if not row.hunks:
            return text_rows(row.file.problem or "The lines are the same.", width, self.theme_colours)
        text = "\n     ...\n".join(hunk.text for hunk in row.hunks)
        return [*diff_rows(text, row.file.path, width, self.theme_colours)]


def _beginning(hunk: Hunk) -> str:
    """The first line that changed."""
    changed = (row for row in hunk.text.split("\n") if row[:1] in "+-")
    return one_line(next(changed, "").lstrip("+-").lstrip().partition(" ")[2])


async def review_changes(screen: MainScreen) -> None:
    """Show the changes; what is to be said about one comes into the editor, before what is written there."""
    app = screen.program
    text = await app.bridge.custom(lambda: ChangesScreen(app.session, app.looks))
    if text:
        screen.editor.prepend([text])
