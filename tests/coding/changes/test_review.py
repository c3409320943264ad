"""What the agent changed can be looked at, taken back, and taken back again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.changes import ChangeReview
from pi_term.coding.changes.review import MOST_BYTES, quoted
from pi_term.testing.scripted import Call, Say, ScriptedModel
from pi_term.testing.sessions import scripted_session

TEXT = "".join(f"{number}\n" for number in range(1, 31))


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[AgentSession]:
    edits = [{"oldText": "\n3\n", "newText": "\nthree\n"}, {"oldText": "\n25\n", "newText": "\n25\nmore\n"}]
    replies = [
        [
            Call("edit", {"path": "old.txt", "edits": edits}),
            Call("write", {"path": "new.txt", "content": "n\n"}),
        ],
        [Say("done")],
        [Call("write", {"path": "late.txt", "content": "late\n"})],
        [Say("done")],
    ]
    with ScriptedModel(replies) as script:
        session = await scripted_session(script, tmp_path)
        (tmp_path / "work" / "old.txt").write_text(TEXT)
        await session.prompt("change it")
        await session.prompt("and more")
        yield session
        await session.aclose()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


async def test_all_of_the_session(session: AgentSession) -> None:
    files = await ChangeReview(session).files()
    assert [(Path(each.path).name, each.added, each.removed) for each in files] == [
        ("late.txt", 1, 0),
        ("new.txt", 1, 0),
        ("old.txt", 2, 1),
    ]
    assert files[1].before is None


async def test_since_the_last_prompt(session: AgentSession) -> None:
    files = await ChangeReview(session).files(since_prompt=True)
    assert [Path(each.path).name for each in files] == ["late.txt"]


async def test_one_hunk_is_taken_back_and_comes_again(session: AgentSession, work: Path) -> None:
    review = ChangeReview(session)
    old = (await review.files())[2]
    await review.revert(old, old.hunks[0])
    assert (work / "old.txt").read_text() == TEXT.replace("\n25\n", "\n25\nmore\n")
    (left,) = (await review.files())[2].hunks
    assert left.place == "line 26"
    assert await review.undo() == str(work / "old.txt")
    assert "three" in (work / "old.txt").read_text()
    assert await review.undo() is None


async def test_a_file_is_taken_back(session: AgentSession, work: Path) -> None:
    review = ChangeReview(session)
    _, new, old = await review.files()
    await review.revert(old)
    await review.revert(new)
    assert (work / "old.txt").read_text() == TEXT
    assert not (work / "new.txt").exists()
    assert [Path(each.path).name for each in await review.files()] == ["late.txt"]
    await review.undo()
    await review.undo()
    assert (work / "new.txt").read_text() == "n\n"
    assert "three" in (work / "old.txt").read_text()


async def test_the_only_hunk_of_a_new_file_is_the_file(session: AgentSession, work: Path) -> None:
    review = ChangeReview(session)
    new = (await review.files())[1]
    await review.revert(new, new.hunks[0])
    assert not (work / "new.txt").exists()


async def test_what_somebody_else_wrote_meanwhile_stays(session: AgentSession, work: Path) -> None:
    review = ChangeReview(session)
    old = (await review.files())[2]
    (work / "old.txt").write_text("mine")
    with pytest.raises(PiTermError, match="has changed meanwhile"):
        await review.revert(old)
    assert (work / "old.txt").read_text() == "mine"


async def test_what_is_no_text_can_only_be_taken_back_whole(session: AgentSession, work: Path) -> None:
    (work / "old.txt").write_bytes(b"\0\1")
    review = ChangeReview(session)
    old = (await review.files())[2]
    assert (old.hunks, old.problem) == ((), "no text")
    await review.revert(old)
    assert (work / "old.txt").read_text() == TEXT


async def test_what_is_not_kept_is_told(session: AgentSession, work: Path, tmp_path: Path) -> None:
    for blob in (tmp_path / "home" / "checkpoints").rglob("*"):
        if blob.is_file():
            blob.unlink()
    review = ChangeReview(session)
    old = (await review.files())[2]
    assert old.problem == "what it held before is not kept"
    with pytest.raises(PiTermError, match="cannot be taken back"):
        await review.revert(old)


async def test_a_hunk_as_the_beginning_of_a_prompt(session: AgentSession) -> None:
    old = (await ChangeReview(session).files())[2]
    text = quoted(old.hunks[0], "old.txt")
    assert text.startswith("About this change in old.txt, line 3:\n```diff\n 1\n 2\n-3\n+three\n 4\n")
    assert text.endswith("```\n")


async def test_undo_leaves_alone_what_is_too_large_to_be_looked_at(session: AgentSession, work: Path) -> None:
    review = ChangeReview(session)
    await review.revert((await review.files())[1])
    large = b"x" * (MOST_BYTES + 1)
    (work / "new.txt").write_bytes(large)  # somebody else's
    with pytest.raises(PiTermError, match="changed meanwhile"):
        await review.undo()
    assert (work / "new.txt").read_bytes() == large


async def test_a_file_that_came_back_has_its_permissions(session: AgentSession, work: Path) -> None:
    review = ChangeReview(session)
    (work / "new.txt").chmod(0o700)
    (work / "old.txt").unlink()
    _, new, old = await review.files()
    await review.revert(old)
    await review.revert(new)
    await review.undo()
    assert (work / "new.txt").stat().st_mode & 0o777 == 0o700


async def test_a_file_behind_a_new_link_is_not_written(session: AgentSession, work: Path) -> None:
    (work / "other.txt").write_text("mine\n")
    (work / "old.txt").unlink()
    (work / "old.txt").symlink_to(work / "other.txt")
    review = ChangeReview(session)
    old = (await review.files())[2]
    assert old.problem == "its path leads to another file now"
    with pytest.raises(PiTermError, match="cannot be taken back"):
        await review.revert(old)
    assert (work / "other.txt").read_text() == "mine\n"
