"""Where a conversation is cut."""

from __future__ import annotations

from typing import Any

import pytest

from pi_term.coding.compaction.cut import Cut, cut_behind, find_cut


def cut(story: Any, keep: int) -> Cut | None:
    return find_cut(story.context().messages, keep)


def turns(story: Any, *tokens: int) -> None:
    """Turns of two messages that are so many tokens long."""
    for number, size in enumerate(tokens):
        story.user(f"q{number}")
        story.answer(f"a{number}", tokens=size)


def test_a_short_conversation_is_all_recent(story: Any) -> None:
    assert cut(story, 100) is None
    turns(story, 10, 10)
    assert cut(story, 100) is None


def test_what_is_kept_begins_with_a_turn(story: Any) -> None:
    turns(story, 90, 90, 90, 90)
    assert cut(story, 100) == Cut(6, 6)
    assert cut(story, 170) == Cut(4, 4)


def test_a_user_message_that_reaches_the_budget_is_the_cut(story: Any) -> None:
    turns(story, 500)
    story.user("long question", tokens=453)
    story.answer("a", tokens=453)
    assert cut(story, 600) == Cut(2, 2)


def test_right_after_that_there_is_nothing_to_cut(story: Any) -> None:
    story.user("long question", tokens=453)
    story.answer("a", tokens=453)
    assert cut(story, 600) is None


def test_a_turn_longer_than_the_budget_is_split_at_an_answer(story: Any) -> None:
    turns(story, 50)
    story.user("go")
    story.steps(10, tokens=100)
    found = cut(story, 300)
    assert found is not None
    assert found.turn == 2
    assert story.context().messages[found.kept].role == "assistant"


def test_a_tool_result_is_not_parted_from_its_call(story: Any) -> None:
    turns(story, 50)
    story.user("go")
    calls = [story.call(f"c{number}") for number in range(3)]
    story.answer("asking", tokens=300)
    story.answer("asking", *calls)
    for call in calls:
        story.shell("between")
        story.result(call, "result", tokens=200)
    story.answer("done")
    kept = [cut(story, keep).kept for keep in (1, 150, 250, 400, 600)]
    assert kept == [11, 11, 11, 4, 4]  # never 5 to 10: those are results, and what stands between them


def test_a_result_that_nobody_asked_for_is_no_place_to_cut(story: Any) -> None:
    turns(story, 10)
    story.user("go")
    story.result(story.call("unknown"), "orphan", tokens=100)
    story.answer("done")
    assert cut(story, 50) == Cut(4, 2)


def test_a_short_question_is_kept_with_what_it_led_to(story: Any) -> None:
    turns(story, 50)
    story.user("short question")
    story.answer("long answer", tokens=500)
    assert cut(story, 400) == Cut(2, 2)


def test_alone_it_is_not_worth_a_summary(story: Any) -> None:
    story.user("short question")
    story.steps(1, tokens=500)
    assert cut(story, 400) is None


def test_one_far_too_long_message_does_not_stay(story: Any) -> None:
    story.user("a whole book", tokens=5_000)
    story.answer("read it")
    turns(story, 50)
    assert cut(story, 1_000) == Cut(1, 0)


@pytest.mark.parametrize("kind", ["shell", "custom", "branch_summary"])
def test_what_stands_between_turns_may_be_where_it_is_cut(story: Any, kind: str) -> None:
    turns(story, 50)
    getattr(story, kind)("beside")
    turns(story, 50)
    assert cut(story, 52) == Cut(2, 2)


def test_in_a_long_turn_it_does_not_begin_another(story: Any) -> None:
    turns(story, 20)
    story.user("go")
    for _ in range(5):
        story.steps(1, tokens=100)
        story.custom("still working?")
    found = cut(story, 150)
    assert found is not None
    assert found.turn == 2


def test_prompts_do_not_count(story: Any) -> None:
    turns(story, 50)
    for _ in range(50):
        story.system("x" * 4_000)
    turns(story, 50)
    assert cut(story, 60) == Cut(52, 52)


def test_behind_everything(story: Any) -> None:
    assert cut_behind([]) == Cut(0, 0)
    turns(story, 10, 10)
    assert cut_behind(story.context().messages) == Cut(4, 4)
    story.user("unanswered")
    assert cut_behind(story.context().messages) == Cut(5, 4)
