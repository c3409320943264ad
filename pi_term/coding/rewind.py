"""Going back with the files: what would change, the restore on the way to another place, and its undo.

A front end asks for a `preview`, shows it, and gives what was chosen to one of these:

    preview = await session.rewinder.preview(entry_id)  # None: no file would be different
    chosen = preview.chosen(paths)  # paths: those that are ticked; doubtful ones are confirmed by that
    await session.rewinder.go_to(entry_id, chosen)  # /tree: restore, then `navigator.go_to`
    await session.rewinder.fork(entry_id, chosen)  # /fork: restore, then `switcher.fork`
    await session.rewinder.restore(chosen)  # the files alone; also for `undo_preview()`

`preview.files` have `file` (`path`, `action`, `obstacle`, `confirmable`, `reason` in words) and
`difference` (`added`, `removed`, `details["diff"]` as an edit's; None where nothing can be shown).
`plan.ready` are restored as they are, `plan.doubtful` need a tick, the others cannot be had.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_term.base.dataclass import dataclass
from pi_term.coding.navigator import Arrival

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.checkpoints import Plan, Preview, Restoration, Restored
    from pi_term.coding.session import StoredEntry

NOTE = "pi_term.restored"
"""The kind of custom message that tells the model of files that were restored without going elsewhere."""
_MOST_NAMED = 50


@dataclass(frozen=True, slots=True)
class Rewound:
    """Where one arrived, and what became of the files; `restored` is None where none were to be restored."""

    arrival: Arrival
    restored: Restored | None = None


class Rewinder:
    """Restores files that the session's tools changed, with or without going elsewhere. Only between runs."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    # --- looking

    @property
    def keeping(self) -> bool:
        """Whether what files hold is kept before tools change them: not in memory only, nor switched off."""
        return self._session.harness.checkpoints.keeping

    async def preview(self, entry_id: str) -> Preview | None:
        """What it takes to have the files as they were at an entry; None where none would be different.

        Changes nothing. Raises `PiTermError("no_entry")`.
        """
        return await self._preview(await self._session.harness.checkpoints.restore_plan(entry_id))

    async def prompts(self) -> list[tuple[StoredEntry, int]]:
        """The places to go back to: the prompts on the branch, and how many files were changed after each."""
        from pi_term.coding.checkpoints.changes import prompts_with_changes

        return await asyncio.to_thread(prompts_with_changes, self._session.file.tree)

    async def differing(self, places: Sequence[StoredEntry]) -> dict[str, int]:
        """How many files a `preview` of each of these places would have, by entry id. Changes nothing."""
        return await self._session.harness.checkpoints.differing(places)

    async def undo_preview(self) -> Preview | None:
        """What it takes to undo the last restore; None where there was none or it is undone already."""
        plan = await self._session.harness.checkpoints.undo_plan()
        return None if plan is None else await self._preview(plan)

    # --- restoring

    async def restore(self, chosen: Restoration) -> Restored:
        """Restore files and stay where one is; the model is told which, with the next message.

        Raises `PiTermError`: "busy" during a run, "other_session" when that was chosen in another one. What
        was changed meanwhile is left alone; `Restored.left` names it.
        """
        async with self._session.occupied():
            restored = await self._apply(chosen)
            if restored.done:
                await self._session.conversation.tell(NOTE, _note(restored))
            return restored

    async def go_to(
        self,
        entry_id: str,
        chosen: Restoration | None = None,
        *,
        summarize: bool = False,
        instructions: str = "",
    ) -> Rewound:
        """Go to an entry as `Navigator.go_to` does, and restore what was chosen shortly before one is there.

        A summary that fails or is called off leaves files and place as they are.
        """
        restored: list[Restored] = []

        async def before() -> None:
            if chosen is not None:
                restored.append(await self._apply(chosen))

        navigator = self._session.navigator
        arrival = await navigator.go_to(
            entry_id, summarize=summarize, instructions=instructions, before=before
        )
        return Rewound(arrival, restored[0] if restored else None)

    async def fork(self, entry_id: str, chosen: Restoration | None = None) -> Rewound:
        """Go to a new session as `Switcher.fork` does, and restore what was chosen before.

        The restore belongs to the session that is left: it is undone from there.
        """
        restored: list[Restored] = []

        async def before() -> None:
            if chosen is not None:
                restored.append(await self._apply(chosen))

        text = await self._session.switcher.fork(entry_id, before=before)
        return Rewound(Arrival(text), restored[0] if restored else None)

    # --- inside

    async def _preview(self, plan: Plan) -> Preview | None:
        return await self._session.harness.checkpoints.preview(plan) if plan.files else None

    async def _apply(self, chosen: Restoration) -> Restored:
        return await self._session.harness.checkpoints.apply(chosen.plan, chosen.confirmed)


def _note(restored: Restored) -> str:
    """What the model is told."""
    words = {"write": "as before", "create": "there again", "delete": "removed"}
    named = [f"- {each.path} ({words[each.action]})" for each in restored.done[:_MOST_NAMED]]
    more = len(restored.done) - len(named)
    lines = [*named, f"- and {more} more"] if more else named
    text = (
        "The user has put files back to an earlier state. Read them again before relying on what they held:"
    )
    return "\n".join([text, *lines])
