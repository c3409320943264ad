"""What the actions do that bring something from outside into the prompt editor, and keep what is in it."""

from __future__ import annotations

import asyncio
import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.errors import PiTermError
from pi_term.coding.settings import schema
from pi_term.tui.told import do
from pi_term.tui.widgets.editor.paste import Attachment, Block, Draft

if TYPE_CHECKING:
    from pi_term.coding.settings.store import SettingsStore
    from pi_term.coding.startup import Started
    from pi_term.tui.drafts import DraftKeeper
    from pi_term.tui.screens.main import MainScreen


class EditorActions:
    """Handlers of the action table. Whatever fails, the draft stays."""

    def __init__(self, screen: MainScreen, drafts: Path | None) -> None:
        """`drafts` is where unsent drafts of this project are kept."""
        self._screen = screen
        self._drafts_folder = drafts
        self._keeper: DraftKeeper | None = None
        self._lent = False  # the terminal, to another editor

    # --- life

    def begin(self, started: Started) -> None:
        """There is a session: offer what it knows, and keep drafts."""
        from pi_term.tui.completions.sources import prompt_completions
        from pi_term.tui.drafts import DraftKeeper

        screen, editor = self._screen, self._screen.editor
        editor.completions = prompt_completions(screen, started)
        editor.take_paste = self._take_paste
        self._keeper = keeper = DraftKeeper(
            self._drafts_folder,
            lambda: editor.draft,
            lambda: screen.program.session.file.id,
            lambda text: screen.notice(text, "warning"),
        )
        editor.edited = lambda: keeper.touch(empty=editor.is_empty)
        if editor.is_empty:
            do(screen, partial(self._restore, started.session.file.id))
        else:
            editor.edited()

    def use_settings(self, settings: SettingsStore) -> None:
        """Look as the settings say."""
        editor = self._screen.editor
        editor.set_completion_rows(settings.get(schema.AUTOCOMPLETE_MAX))
        editor.set_padding(settings.get(schema.EDITOR_PADDING))
        wanted = settings.get(schema.HARDWARE_CURSOR) or os.environ.get("PI_HARDWARE_CURSOR") == "1"
        editor.use_hardware_cursor(wanted)

    def end(self) -> None:
        """The program ends: what was not sent is kept for the next one."""
        if self._keeper is not None:
            self._keeper.end()

    async def _restore(self, session: str) -> None:
        """Bring back what an earlier program left unsent."""
        keeper, editor = self._keeper, self._screen.editor
        found = await keeper.restore(session, self._found) if keeper is not None else None
        if found is None or keeper is None:
            return
        if editor.is_empty:
            editor.restore_draft(found.draft)
            when = time.strftime("%a %H:%M", time.localtime(found.saved))
            clear = self._screen.program.keys.hint("app.clear")
            self._screen.status.note(f"Your unsent draft of {when} is back. {clear} clears it.")
        else:
            # Somebody began to type: it is one step up in the history.
            editor.history.remember(found.draft)

    # --- the external editor

    def action_edit_externally(self) -> bool:
        """Write in the user's own editor."""
        if not self._lent:
            self._lent = True
            do(self._screen, self._edit)
        return True

    async def _edit(self) -> None:
        from pi_term.tui.external_editor import edit_externally, editor_command

        screen, editor = self._screen, self._screen.editor
        before = editor.draft
        try:
            chosen = screen.program.session.harness.settings.get(schema.EXTERNAL_EDITOR)
            command = editor_command(chosen, os.environ)
            cwd = screen.program.session.harness.cwd
            text = await edit_externally(screen.program, command, before.text, cwd)
        finally:
            self._lent = False
        if text != before.text:
            editor.restore_draft(relinked(text, before))

    # --- the clipboard, and what is dropped

    def action_paste_clipboard(self) -> bool:
        """Paste the image in the clipboard, else its text."""
        editor = self._screen.editor
        place = editor.put(Block(0, "", "[pasting…]", pending=True))
        do(self._screen, partial(self._paste, place))
        return True

    async def _paste(self, place: str) -> None:
        from pi_term.tui.images import clipboard_content, image_of, keep_image

        editor, found = self._screen.editor, ""
        attachment: Attachment | None = None
        try:
            content = await clipboard_content(os.environ)
            folder = self._keeper.images_folder if self._keeper is not None else None
            if isinstance(content, bytes):
                path = "" if folder is None else await asyncio.to_thread(keep_image, content, folder)
                attachment = await asyncio.to_thread(image_of, content, path, resize=self._resize)
            elif content:
                found = content
        finally:
            editor.resolve(place, found if attachment is None else self._attached(attachment))
        if attachment is None and not found:
            self._screen.status.note("There is nothing in the clipboard that can be read here.")

    def _attached(self, attachment: Attachment) -> Block:
        """The image as a block; people are told if nobody will see it."""
        model = self._screen.program.session.model
        if "image" not in model.input:
            self._screen.status.note(f"{model.label} cannot see images.")
        return Block.of_image(attachment)

    def _take_paste(self, text: str) -> bool:
        """Attach what is pasted, if it is nothing but names of images; until that is known, it is a mark."""
        from pi_term.tui.images import dropped_images

        paths = dropped_images(text)
        for number, path in enumerate(paths):
            if number:
                self._screen.editor.insert(" ")
            name = text if len(paths) == 1 else path
            block = Block(0, name, f"[{Path(path).name}]", pending=True)
            do(self._screen, partial(self._attach, self._screen.editor.put(block), path, name))
        return bool(paths)

    async def _attach(self, place: str, path: str, text: str) -> None:
        found: Block | str = text
        try:
            attachment = await asyncio.to_thread(self._load, path)
            if attachment is not None:
                found = self._attached(attachment)
        finally:
            self._screen.editor.resolve(place, found)

    def _found(self, path: str) -> Attachment | None:
        """The image of a stored draft, if it can still be sent."""
        try:
            return self._load(path)
        except PiTermError:
            return None

    def _load(self, path: str) -> Attachment | None:
        from pi_term.tui.images import load_image

        return load_image(path, self._screen.program.session.harness.cwd, resize=self._resize)

    # --- inside

    @property
    def _resize(self) -> bool:
        return self._screen.program.session.harness.settings.get(schema.AUTO_RESIZE_IMAGES)


def relinked(text: str, before: Draft) -> Draft:
    """A text that was edited elsewhere, with the pastes and images of `before` that it still holds."""
    parts: list[str | Block] = [text]
    for block in before.parts:
        if isinstance(block, str) or not block.content:
            continue
        for place, part in enumerate(parts):
            if isinstance(part, str) and block.content in part:
                left, _, right = part.partition(block.content)
                parts[place : place + 1] = [left, block, right]
                break
    whole = Draft(tuple(part for part in parts if part != ""))
    return Draft(whole.parts, whole.length)
