"""Choosing a place in the session's tree, and what becomes of the branch that is left; simple for now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_term.coding.session import StoredEntry, landing
from pi_term.tui.choices import Choice, LazyChoices
from pi_term.tui.text import one_line
from pi_term.tui.tree_rows import place_of, row_text, tree_rows

if TYPE_CHECKING:
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.bridge import TuiBridge

_NO_SUMMARY, _SUMMARY, _INSTRUCTED = "no", "yes", "instructed"


async def choose_entry(app: PiTermApp) -> StoredEntry | None:
    """The entry that the user wants to go to; None for none."""
    tree = app.session.file.tree
    rows = await asyncio.to_thread(tree_rows, tree)
    if not rows:
        app.main.status.note("Nothing was said yet in this session.")
        return None
    here, labels = place_of(rows, tree.leaf), tree.labels

    def choice(place: int) -> Choice:
        row = rows[place]
        label = labels.get(row.entry.id)
        detail = f"[{label.text}]" if label is not None else ""
        aside = "← here" if place == here else ""
        return Choice(str(place), row.branches + row_text(row.entry), detail, aside)

    title = "Go where? Your own messages come back into the editor."
    chosen = await app.bridge.choose(title, LazyChoices(len(rows), choice), at=max(0, here))
    return None if chosen is None else rows[int(chosen)].entry


async def choose_prompt(app: PiTermApp) -> StoredEntry | None:
    """The prompt on this branch before which the user wants to fork; None for none."""
    tree = app.session.file.tree
    prompts = await asyncio.to_thread(lambda: [each for each in tree.branch() if each.role == "user"])
    if not prompts:
        app.main.status.note("There is no prompt to fork from yet.")
        return None

    def choice(place: int) -> Choice:
        said = landing(prompts[place])[1] or ""
        return Choice(str(place), one_line(said) or "(no text)")

    title = "Fork before which prompt?\nThe session so far stays as it is."
    at = len(prompts) - 1
    chosen = await app.bridge.choose(title, LazyChoices(len(prompts), choice), at=at)
    return None if chosen is None else prompts[int(chosen)]


async def how_to_leave(bridge: TuiBridge) -> tuple[bool, str] | None:
    """Whether the branch that is left shall be summarised, and with which instructions; None: stay."""
    choices: Sequence[Choice] = [
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


def is_said(entry: StoredEntry) -> bool:
    """Whether leaving the entry behind means to lose something that was said or done."""
    return entry.type in ("message", "custom_message") and entry.role != "system"
