"""The summary of a branch that is left."""

from __future__ import annotations

from typing import Any

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.compaction.branch import summarize_branch
from pi_term.coding.session import ContextEditEntry, LabelEntry
from pi_term.testing import Reply, Say, ScriptedModel


def one_answer() -> ScriptedModel:
    return ScriptedModel([[Say("what was tried")]])


def turns(story: Any, first: int, last: int, tokens: int = 0) -> None:
    for number in range(first, last + 1):
        story.user(f"question-{number} ", tokens)
        story.answer(f"answer-{number} ", tokens=tokens)


async def test_a_branch(story: Any, office: Any) -> None:
    story.system("be good")
    turns(story, 1, 2)
    call = story.call("1", "write", path="new.py")
    story.answer("", call)
    story.result(call, "written")
    story.shell("make", "ok")
    story.custom("noted")
    entries = story.session.tree.branch()
    summary = await summarize_branch(entries, office.desk(one_answer(), reason=None), 1_000, "mind the gap")
    (request,) = office.requests
    assert request.index("question-1") < request.index("answer-2") < request.index("Ran `make`")
    assert "noted" in request
    assert "be good" not in request
    assert "mind the gap" in request
    assert "## Next Steps" in request
    assert "## Critical Context" not in request
    assert summary is not None
    assert summary.text == "what was tried\n\n<modified-files>\nnew.py\n</modified-files>"
    assert summary.details == {"readFiles": [], "modifiedFiles": ["new.py"]}
    assert summary.usage.output > 0


async def test_nothing_to_say(story: Any, office: Any) -> None:
    story.system("be good")
    story.add(LabelEntry(target_id="x"))
    story.shell("secret", excluded=True)
    desk = office.desk(one_answer())
    assert await summarize_branch([], desk, 1_000) is None
    assert await summarize_branch(story.session.tree.branch(), desk, 1_000) is None
    assert office.requests == []


async def test_of_a_long_branch_the_newest_counts(story: Any, office: Any) -> None:
    details = {"readFiles": ["nested.py"], "modifiedFiles": []}
    story.branch_summary("nested", details)
    turns(story, 1, 20, tokens=100)
    entries = story.session.tree.branch()
    summary = await summarize_branch(entries, office.desk(one_answer()), 1_000)
    (request,) = office.requests
    assert "question-15" not in request
    assert "question-17" in request
    assert "answer-20" in request
    assert summary is not None
    assert summary.details["readFiles"] == ["nested.py"]


async def test_the_newest_message_counts_however_long_it_is(story: Any, office: Any) -> None:
    turns(story, 1, 1, tokens=5_000)
    await summarize_branch(story.session.tree.branch(), office.desk(one_answer()), 10)
    assert "answer-1" in office.requests[0]
    assert "question-1" not in office.requests[0]


async def test_a_compaction_stands_for_what_it_summarised(story: Any, office: Any) -> None:
    turns(story, 1, 4, tokens=50)
    story.compacted("the early part", 200)
    turns(story, 5, 5)
    await summarize_branch(story.session.tree.branch(), office.desk(one_answer()), 10_000)
    (request,) = office.requests
    order = [request.index(text) for text in ("the early part", "question-3", "question-4", "answer-5")]
    assert order == sorted(order)
    assert "question-2" not in request


async def test_what_was_edited_out_of_the_context_is_not_told(story: Any, office: Any) -> None:
    first = story.user("first wording")
    failed = story.answer("broken")
    story.add(ContextEditEntry(target_id=failed.id, replacement=None))
    story.add(ContextEditEntry(target_id=first.id, replacement="second wording"))
    await summarize_branch(story.session.tree.branch(), office.desk(one_answer()), 1_000)
    (request,) = office.requests
    assert "broken" not in request
    assert "first wording" not in request
    assert "second wording" in request


async def test_a_summary_that_fails_is_told(story: Any, office: Any) -> None:
    turns(story, 1, 1)
    script = ScriptedModel([Reply([Say("half")], stop="length")])
    with pytest.raises(PiTermError) as caught:
        await summarize_branch(story.session.tree.branch(), office.desk(script), 1_000)
    assert caught.value.code == "summary_cut_off"
