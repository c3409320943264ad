"""What a stored compaction tells is what was told when it was made."""

from __future__ import annotations

from typing import Any

from pi_term.coding.compaction.kept import kept_messages, tokens_after
from pi_term.coding.session import CompactionEntry, ContextEditEntry, build_context
from pi_term.coding.tokens import estimate_all


def compaction(first_kept: str) -> CompactionEntry:
    return CompactionEntry(summary="the gist " * 9, first_kept_entry_id=first_kept, tokens_before=900)


def test_it_is_the_same_later(story: Any) -> None:
    story.user("old", tokens=50)
    story.answer("older answer", tokens=50)
    kept = story.user("new", tokens=20)
    gone = story.answer("taken out", tokens=500)
    story.add(ContextEditEntry(target_id=gone.id))
    story.answer("new answer", tokens=30)
    entry = story.add(compaction(kept.id))
    then = estimate_all(build_context(story.session.tree).messages)
    assert tokens_after(entry) == then
    assert kept_messages(entry) == 3
    story.user("later", tokens=70)
    second = story.add(compaction("nowhere"))
    assert (tokens_after(entry), kept_messages(entry)) == (then, 3)
    assert kept_messages(second) == 0
    assert tokens_after(second) == estimate_all(build_context(story.session.tree).messages)


def test_one_that_kept_nothing_names_itself(story: Any) -> None:
    story.user("old", tokens=50)
    story.compacted("the gist", 0)
    entry = story.session.tree.entries[-1]
    assert kept_messages(entry) == 0
    assert tokens_after(entry) == estimate_all(story.context().messages)
