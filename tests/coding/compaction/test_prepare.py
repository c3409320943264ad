"""What a compaction takes out of the context."""

from __future__ import annotations

from typing import Any

from pi_term.ai.messages import text_of
from pi_term.coding.compaction.files import FileLists


def said(messages: Any) -> list[str]:
    return [text_of(message.content).split("abc")[0].strip() for message in messages]


def talk(story: Any, first: int, last: int, tokens: int = 50) -> None:
    for number in range(first, last + 1):
        story.user(f"q{number} ", tokens)
        story.answer(f"a{number} ", tokens=tokens)


def test_history_and_what_stays(story: Any) -> None:
    story.system("be good")
    talk(story, 1, 4)
    kept = story.session.tree.entries[5]
    story.system("be better")
    prepared = story.prepare(200)
    assert prepared.first_kept == kept.id
    assert said(prepared.history) == ["q1", "a1", "q2", "a2"]
    assert prepared.turn_prefix == ()
    assert prepared.previous_summary is None
    assert prepared.tokens_before == 1234


def test_nothing_to_compact(story: Any) -> None:
    assert story.prepare(10) is None
    story.system("be good" * 1_000)
    assert story.prepare(10) is None
    assert story.prepare(10, keep_nothing=True) is None
    story.shell("only for people", "x" * 4_000, excluded=True)
    story.user("hello")
    assert story.prepare(1) is None


def test_compacting_again_starts_where_the_first_began_to_keep(story: Any) -> None:
    """B-035."""
    talk(story, 1, 10)
    story.compacted("first summary", 300)
    talk(story, 11, 20)
    second = story.prepare(300)
    assert said(second.history) == [f"{who}{n}" for n in range(8, 18) for who in "qa"]
    assert second.previous_summary == "first summary"
    assert second.first_kept is not None


def test_right_after_a_compaction_there_is_nothing_to_compact(story: Any) -> None:
    talk(story, 1, 10)
    story.compacted("first summary", 300)
    assert story.prepare(300) is None


def test_after_keeping_nothing_only_what_is_new_counts(story: Any) -> None:
    talk(story, 1, 3)
    first = story.compacted("all", 300, keep_nothing=True)
    assert first.first_kept is None
    assert len(first.history) == 6
    assert story.prepare(300, keep_nothing=True) is None
    talk(story, 4, 4)
    again = story.prepare(300, keep_nothing=True)
    assert said(again.history) == ["q4", "a4"]
    assert again.previous_summary == "all"


def test_keeping_nothing_tells_an_unfinished_turn_apart(story: Any) -> None:
    talk(story, 1, 2)
    story.user("go on")
    story.steps(2, tokens=1_000)
    prepared = story.prepare(10, keep_nothing=True)
    assert said(prepared.history) == ["q1", "a1", "q2", "a2"]
    assert said(prepared.turn_prefix)[0] == "go on"
    assert len(prepared.turn_prefix) == 5


def test_a_budget_of_no_tokens_keeps_nothing(story: Any) -> None:
    talk(story, 1, 2)
    assert story.prepare(0).first_kept is None


def test_the_beginning_of_a_split_turn_is_apart(story: Any) -> None:
    talk(story, 1, 1)
    story.user("go")
    story.steps(6, tokens=100)
    prepared = story.prepare(300)
    assert said(prepared.history) == ["q1", "a1"]
    assert said(prepared.turn_prefix)[0] == "go"
    assert prepared.turn_prefix[-1].role == "toolResult"


def test_files_are_those_of_what_is_summarised_and_of_summaries_before(story: Any) -> None:
    def touch(name: str, path: str) -> None:
        call = story.call("1", name, path=path)
        story.user("do", 100)
        story.answer("", call)
        story.result(call, "done")
        story.answer("done")

    touch("read", "early.py")
    touch("read", "changed-later.py")
    story.user("more", 300)
    story.answer("done")
    assert story.compacted("one", 200).files == FileLists(read=("changed-later.py", "early.py"))
    touch("write", "changed-later.py")
    story.branch_summary("elsewhere", {"readFiles": ["branch.py"], "modifiedFiles": []})
    story.branch_summary("of an extension", {"readFiles": ["hook.py"], "modifiedFiles": []}, hook=True)
    story.user("more", 300)
    story.answer("done")
    touch("read", "kept.py")
    second = story.compacted("two", 300, hook=True)
    assert second.files == FileLists(("branch.py", "early.py"), ("changed-later.py",))
    story.user("more", 300)
    story.answer("done")
    assert story.prepare(200).files == FileLists(read=("kept.py",))  # the extension keeps its own
