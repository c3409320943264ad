"""`/rewind`: the conversation, the files, or both go back to before a prompt; and the undo of that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pi_term.tui.choices import Choice
from pi_term.tui.screens.rewind_files import RewindFilesScreen
from pi_term.tui.screens.rewind_look import count_of_files
from pi_term.tui.screens.rewind_prompts import (
    RewindPlace,
    RewindPromptsScreen,
    no_difference,
    preview_of,
    prompt_place,
)
from pi_term.tui.text import path_text

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.checkpoints import Preview, Restoration, Restored
    from pi_term.tui.screens.main import MainScreen

_BOTH, _FILES, _PLACE, _CHOOSE = "both", "files", "place", "choose"


async def rewind(screen: MainScreen) -> None:
    """Ask where to and what, and go back. Whoever leaves a question with Escape has changed nothing."""
    session = screen.program.session
    if session.busy:
        screen.status.note("Stop the agent first: then you can go back.")
        return
    places = await _places(session)
    if not places:
        screen.status.note("There is no prompt to go back to yet.")
        return
    while (place := await _choose_place(screen, places)) is not None:
        if await _Rewind(screen, place).done():
            return


async def _places(session: AgentSession) -> list[RewindPlace]:
    prompts = await session.rewinder.prompts()
    places = await asyncio.to_thread(lambda: [prompt_place(*each) for each in prompts])
    undo = await session.rewinder.undo_preview()
    if undo is not None:
        places.append(RewindPlace(None, "Undo the last restore of files", len(undo.files)))
    return places


async def _choose_place(screen: MainScreen, places: list[RewindPlace]) -> RewindPlace | None:
    app = screen.program
    chosen: RewindPlace | None = await app.bridge.custom(
        lambda: RewindPromptsScreen(app.session, places, app.looks)
    )
    return chosen


class _Rewind:
    """Going back to one place."""

    def __init__(self, screen: MainScreen, place: RewindPlace) -> None:
        self._screen = screen
        self._place = place
        self._session = screen.program.session

    async def done(self) -> bool:
        """Ask what goes back, and do it; False when somebody did not answer."""
        preview = await preview_of(self._session, self._place)
        if preview is None and self._place.entry is None:
            self._screen.status.note("There is nothing to undo any more.")
            return True
        chosen = None if preview is None else preview.chosen(preview.ready)
        while True:
            what = await self._ask(preview, chosen)
            if what != _CHOOSE or preview is None:
                break
            app = self._screen.program
            screen = RewindFilesScreen(preview, self._session.harness.cwd, app.looks)
            paths: frozenset[str] | None = await app.bridge.custom(screen)
            chosen = chosen if paths is None else preview.chosen(paths)
        if what is None:
            return False
        await self._go(what, chosen)
        return True

    async def _ask(self, preview: Preview | None, chosen: Restoration | None) -> str | None:
        place = self._place
        title = "Undo the last restore?" if place.entry is None else f"Go back to before “{place.text}”"
        back = Choice(_PLACE, "Go back", no_difference(self._session))
        choices = [back] if preview is None else _choices(place, preview, chosen)
        return await self._screen.program.bridge.choose(title, choices, searchable=False)

    async def _go(self, what: str, chosen: Restoration | None) -> None:
        rewinder, entry = self._session.rewinder, self._place.entry
        files = None if what == _PLACE else chosen
        if entry is None or what == _FILES:
            if files is not None:
                self._tell(await rewinder.restore(files), stays=True)
            return
        rewound = await rewinder.go_to(entry.id, files)
        if rewound.arrival.editor_text:
            self._screen.editor.prepend([rewound.arrival.editor_text])
        if rewound.restored is not None:
            self._tell(rewound.restored, stays=False)

    def _tell(self, restored: Restored, *, stays: bool) -> None:
        """What became of the files; where the conversation stays, it is said there."""
        done = f"{count_of_files(len(restored.done))} restored." if restored.done else "No file was restored."
        hint = " /rewind can undo that." if restored.done else ""
        if stays and restored.done:
            self._screen.notice(f"{done}{hint}")
        else:
            self._screen.status.note(f"{done}{hint}")
        for each in restored.left:
            path = path_text(each.path, self._session.harness.cwd)
            self._screen.notice(f"{path} was left as it is: {each.problem}.", "warning")


def _choices(place: RewindPlace, preview: Preview, chosen: Restoration | None) -> list[Choice]:
    """What can go back; what is chosen of the files is told beside it."""
    count = 0 if chosen is None else len(chosen.plan.files)
    left = len(preview.plan.doubtful) - (0 if chosen is None else len(chosen.plan.doubtful))
    told = count_of_files(count)
    if left:
        told += f"; {left} more that somebody else changed {'is' if left == 1 else 'are'} left alone"
    choices: list[Choice] = []
    if count and place.entry is not None:
        choices.append(Choice(_BOTH, "The conversation and the files", told))
    if place.entry is not None:
        choices.append(Choice(_PLACE, "The conversation only", "files stay as they are"))
    if count:
        label = "The files only" if place.entry is not None else "Undo it"
        choices.append(Choice(_FILES, label, told if place.entry is None else "the agent is told"))
    return [*choices, Choice(_CHOOSE, "Choose files…", "see what would change in each")]
