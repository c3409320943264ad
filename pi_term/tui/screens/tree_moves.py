"""From a choice in the tree to being there: what becomes of the branch that is left, and of the files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from pi_term.base.errors import PiTermError
from pi_term.coding.session import StoredEntry, abandoned, landing
from pi_term.coding.settings import schema
from pi_term.tui.choices import Choice
from pi_term.tui.screens.tree import TreeScreen, TreeState
from pi_term.tui.tree_rows import Filter

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.checkpoints.preview import FilePreview, Preview, Restoration
    from pi_term.coding.checkpoints.restore import Restored
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.bridge import TuiBridge

_NO_SUMMARY, _SUMMARY, _INSTRUCTED = "no", "yes", "instructed"
_KEEP, _RESTORE, _CHOOSE = "keep", "restore", "choose"
_NAMED = 4  # files that a question names
_WORDS = {"write": "changed back", "create": "made again", "delete": "deleted"}


class TreeMoves:
    """Goes to other places of the session that is shown. `bring` puts texts into the editor."""

    def __init__(self, app: PiTermApp, bring: Callable[[Sequence[str]], None]) -> None:
        self._app = app
        self._bring = bring

    @property
    def _session(self) -> AgentSession:
        return self._app.session

    async def tree(self) -> None:
        """Show the tree until somebody has gone somewhere, or closed it."""
        app, session = self._app, self._session
        mode = session.harness.settings.get(schema.TREE_FILTER)
        state = TreeState(cast(Filter, mode), session.file.tree.leaf)
        while session.file.tree is self._session.file.tree:
            screen = TreeScreen(app.looks, session, state, app.copy_to_clipboard)
            entry = await app.bridge.custom(screen)
            if not isinstance(entry, StoredEntry) or await self._go_to(entry):
                return
            state = replace(screen.state, entry=entry)

    async def fork_point(self) -> tuple[StoredEntry, Restoration | None] | None:
        """The prompt before which somebody wants to fork, and what of the files is to be restored."""
        from pi_term.tui.screens.session_fork import ForkScreen

        tree = self._session.file.tree
        while True:
            entry = await self._app.bridge.custom(ForkScreen(self._app.looks, tree))
            if not isinstance(entry, StoredEntry) or self._session.file.tree.get(entry.id) is not entry:
                return None
            files = await self._files(entry)
            if files is not None:
                return entry, files[0]

    async def _go_to(self, entry: StoredEntry) -> bool:
        """Ask what is to be asked, and go there; False when somebody did not answer."""
        session, old_leaf = self._session, self._session.file.tree.leaf
        leaf, text = await asyncio.to_thread(landing, entry)
        left = abandoned(old_leaf, leaf)
        loses = any(_is_said(each) for each in left)
        is_behind = leaf is old_leaf or (len(left) > 0 and left[0].parent is leaf)
        if text is None and is_behind and not loses:
            self._app.main.status.note("You are there already.")
            return True
        ask = loses and not session.harness.settings.get(schema.BRANCH_SUMMARY_SKIP)
        how = await _how_to_leave(self._app.bridge) if ask else (False, "")
        files = await self._files(entry) if how is not None else None
        if how is None or files is None:
            return False
        summarize, instructions = how
        chosen = files[0]
        rewound = await session.rewinder.go_to(
            entry.id, chosen, summarize=summarize, instructions=instructions
        )
        if rewound.arrival.editor_text:
            self._bring([rewound.arrival.editor_text])
        if rewound.restored is not None:
            self.tell(rewound.restored)
        return True

    async def _files(self, entry: StoredEntry) -> tuple[Restoration | None] | None:
        """What of the files is to be restored, if anything is asked; None when it was not answered."""
        try:
            preview = await self._session.rewinder.preview(entry.id)
        except PiTermError as error:
            self._app.notice(error.text(), "warning")
            return (None,)
        if preview is None or not (preview.plan.ready or preview.plan.doubtful):
            return (None,)
        title, choices = restore_question(preview, str(self._session.harness.cwd))
        while True:
            answer = await self._app.bridge.choose(title, choices, searchable=False)
            if answer is None:
                return None
            if answer != _CHOOSE:
                paths = [each.path for each in preview.plan.ready]
                return (None if answer == _KEEP else preview.chosen(paths),)
            ticked = await self._choose_files(preview)
            if ticked is not None:
                return (preview.chosen(ticked) if ticked else None,)

    async def _choose_files(self, preview: Preview) -> frozenset[str] | None:
        from pi_term.tui.screens.rewind_files import RewindFilesScreen

        screen = RewindFilesScreen(preview, self._session.harness.cwd, self._app.looks)
        ticked: frozenset[str] | None = await self._app.bridge.custom(screen)
        return ticked

    def tell(self, restored: Restored) -> None:
        """What became of the files."""
        done = len(restored.done)
        undo = " /rewind can undo that." if done else ""
        self._app.main.status.note(f"{_count(done)} restored.{undo}")
        for each in restored.left:
            self._app.notice(f"{each.path} was left as it is: {each.problem}", "warning")


def restore_question(preview: Preview, cwd: str) -> tuple[str, list[Choice]]:
    """What is asked of the files that the agent changed since then."""
    plan = preview.plan
    shown = preview.files[:_NAMED]
    rows = [f"  {_file_line(each, cwd)}" for each in shown]
    if len(preview.files) > len(shown):
        rows.append(f"  … and {len(preview.files) - len(shown)} more")
    title = "\n".join(["The agent changed files since then:", *rows, "What about them?"])
    choices = [Choice(_KEEP, "Leave the files as they are", "only the conversation goes back")]
    if plan.ready:
        detail = f"+{preview.added} -{preview.removed} lines; the restore can be undone"
        choices.append(Choice(_RESTORE, f"Restore {_count(len(plan.ready))}", detail))
    others = (
        f"{len(plan.doubtful)} only if you tick it" if plan.doubtful else "with what would change in each"
    )
    choices.append(Choice(_CHOOSE, "Choose files…", others))
    return title, choices


def _file_line(each: FilePreview, cwd: str) -> str:
    path = os.path.relpath(each.file.path, cwd)
    path = each.file.path if path.startswith("..") else path
    lines = f" +{each.difference.added} -{each.difference.removed}" if each.difference is not None else ""
    reason = f" ({each.file.reason})" if each.file.obstacle is not None else ""
    return f"{path} would be {_WORDS[each.file.action]}{lines}{reason}"


def _count(number: int) -> str:
    return f"{number} file{'' if number == 1 else 's'}"


async def _how_to_leave(bridge: TuiBridge) -> tuple[bool, str] | None:
    """Whether the branch that is left shall be summarised, and with which instructions; None: stay."""
    choices = [
        Choice(_NO_SUMMARY, "No summary"),
        Choice(_SUMMARY, "Summary", "the model is told what was done on the branch you leave"),
        Choice(_INSTRUCTED, "Summary with instructions", "you say what matters"),
    ]
    while True:
        how = await bridge.choose("Summarise the branch you leave?", choices, searchable=False)
        if how != _INSTRUCTED:
            return None if how is None else (how == _SUMMARY, "")
        instructions = await bridge.input("What should the summary pay attention to?")
        if instructions is not None:
            return True, instructions


def _is_said(entry: StoredEntry) -> bool:
    """Whether leaving the entry behind means to lose something that was said or done."""
    return entry.type in ("message", "custom_message") and entry.role != "system"
