"""What is kept and noted when tools change files."""

from __future__ import annotations

import asyncio
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.session import SessionFile, build_context


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


async def test_a_change_is_noted_with_what_there_was(any_desk: Any) -> None:
    desk = any_desk
    path = desk.work / "f"
    path.write_text("one\n")
    path.chmod(0o750)
    await desk.say()
    await desk.edit("f", "one", "two")
    [change] = desk.changes()
    assert change == {
        "path": str(path),
        "before": {"size": 4, "digest": digest("one\n"), "mode": 0o750},
        "after": {"size": 4, "digest": digest("two\n")},
    }
    assert desk.kept() == {digest("one\n")}
    assert BlobStore(desk.store).get(digest("one\n")) == b"one\n"


async def test_of_a_new_file_there_was_nothing(any_desk: Any) -> None:
    await any_desk.say()
    await any_desk.write("new/f", "one\n")
    [change] = any_desk.changes()
    assert "before" not in change
    assert change["after"] == {"size": 4, "digest": digest("one\n")}
    assert not any_desk.kept()


async def test_the_entry_is_on_disk_on_the_branch_and_unknown_to_models(desk: Any) -> None:
    first = await desk.say("hello")
    await desk.write("f", "one\n")
    desk.reopen()
    tree = desk.file.tree
    assert [each.type for each in tree.branch()] == ["message", "custom"]
    assert tree.leaf.parent.id == first.id
    assert [message.content for message in build_context(tree).messages] == ["hello"]
    assert len(desk.changes()) == 1


async def test_where_nothing_changes_nothing_is_noted(desk: Any) -> None:
    await desk.say()
    await desk.write("f", "one\n")
    await desk.write("f", "one\n")
    assert (await desk.tool("edit", path="f", edits=[{"oldText": "x", "newText": "y"}])).is_error
    assert (await desk.tool("write", path=".", content="x")).is_error
    assert len(desk.changes()) == 1
    assert not desk.kept()


async def test_through_a_link_it_is_the_real_file(any_desk: Any) -> None:
    desk = any_desk
    (desk.work / "real").write_text("one\n")
    (desk.work / "link").symlink_to("real")
    (desk.work / "dangling").symlink_to("made")
    await desk.say()
    await desk.write("link", "two\n")
    await desk.write("dangling", "three\n")
    assert [each["path"] for each in desk.changes()] == [str(desk.work / "real"), str(desk.work / "made")]
    assert digest("one\n") in desk.kept()


async def test_equal_contents_are_kept_once_for_all_sessions(desk: Any) -> None:
    for name in "ab":
        (desk.work / name).write_text("same\n")
    await desk.say()
    await asyncio.gather(desk.write("a", "1\n"), desk.write("b", "2\n"))
    desk.recorder.change_file(SessionFile.create(desk.paths.sessions_dir / "there", desk.work))
    await desk.say()
    await desk.write("a", "same\n")
    await desk.write("a", "3\n")
    assert desk.kept() == {digest("same\n"), digest("1\n")}


async def test_a_tool_that_writes_by_itself_in_its_turn_is_noticed(desk: Any) -> None:
    path = desk.work / "f"
    path.write_text("one\n")
    await desk.say()

    async def change(given: str) -> str:
        Path(given).write_text("two\n")
        return "done"

    async def leave_alone(given: str) -> None:
        await asyncio.sleep(0)

    async def make_and_fail(given: str) -> None:
        Path(given).write_text("half")
        raise RuntimeError("broken")

    assert await desk.checkpoints.mutations.run(path, change) == "done"
    await desk.checkpoints.mutations.run(path, leave_alone)
    with pytest.raises(RuntimeError, match="broken"):
        await desk.checkpoints.mutations.run(desk.work / "new", make_and_fail)
    first, second = desk.changes()
    assert (first["before"]["digest"], first["after"]["digest"]) == (digest("one\n"), digest("two\n"))
    assert second["path"] == str(desk.work / "new")
    assert "before" not in second
    assert digest("one\n") in desk.kept()


async def test_a_tool_that_is_cancelled_in_its_turn_is_noticed(desk: Any) -> None:
    await desk.say()
    begun = asyncio.Event()

    async def change(given: str) -> None:
        Path(given).write_text("half")
        begun.set()
        await asyncio.sleep(60)

    task = asyncio.create_task(desk.checkpoints.mutations.run(desk.work / "f", change))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    async def next_turn(given: str) -> None: ...

    await desk.checkpoints.mutations.run(desk.work / "f", next_turn)  # waits for the end of the other
    assert [each["after"]["size"] for each in desk.changes()] == [4]


async def test_binary_files_are_kept_as_they_are(desk: Any) -> None:
    data = bytes(range(256)) * 50
    (desk.work / "f").write_bytes(data)
    await desk.say()
    await desk.write("f", "text")
    [kept] = desk.kept()
    assert BlobStore(desk.store).get(kept) == data


async def test_large_files_are_noted_and_not_kept(desk: Any) -> None:
    desk.settings.set("checkpoints.maxFileMegabytes", 1)
    (desk.work / "f").write_bytes(b"x" * (1024 * 1024 + 1))
    await desk.say()
    await desk.write("f", "small")
    [change] = desk.changes()
    assert change["before"] == {"size": 1024 * 1024 + 1, "mode": change["before"]["mode"]}
    assert not desk.kept()


async def test_a_file_that_may_only_be_written_is_noted_and_not_kept(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pi_term.coding.tools.local import operations

    def refuse(path: str) -> Any:
        raise PermissionError(13, "Permission denied")

    (desk.work / "f").write_text("secret")
    await desk.say()
    monkeypatch.setattr(operations, "_open", refuse)
    await desk.write("f", "public")
    assert (desk.work / "f").read_text() == "public"
    [change] = desk.changes()
    assert change["before"]["size"] == 6
    assert "digest" not in change["before"]


async def test_what_cannot_be_kept_is_told_once_and_stops_no_tool(desk: Any) -> None:
    await desk.say()
    await desk.write("f", "one\n")
    desk.store.write_text("in the way")
    for text in ("two\n", "three\n"):
        await desk.write("f", text)
    assert (desk.work / "f").read_text() == "three\n"
    [problem] = desk.reported
    assert problem.severity == "warning"
    assert str(desk.store) in problem.message
    assert len(desk.changes()) == 3
    desk.store.unlink()
    await desk.write("f", "four\n")
    assert desk.kept() == {digest("three\n")}


async def test_a_full_disk_for_the_session_stops_no_tool(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pi_term.base.errors import PiTermError

    await desk.say()

    def fail() -> None:
        raise PiTermError("session_write", "Cannot write the session file: no space left.")

    with monkeypatch.context() as broken:
        broken.setattr(desk.file, "flush", fail)
        await desk.write("f", "one\n")
    assert (desk.work / "f").read_text() == "one\n"
    assert len(desk.reported) == 1
    await desk.recorder.flush()
    desk.reopen()
    assert len(desk.changes()) == 1


async def test_off_means_off(desk: Any) -> None:
    (desk.work / "f").write_text("one\n")
    desk.settings.set("checkpoints.enabled", False)
    await desk.say()
    await desk.write("f", "two\n")

    async def change(given: str) -> None:
        Path(given).write_text("three\n")

    await desk.checkpoints.mutations.run(desk.work / "f", change)
    assert desk.changes() == []
    assert not desk.store.exists()


async def test_a_session_in_memory_leaves_nothing_on_disk(desk: Any) -> None:
    desk.recorder.change_file(SessionFile.in_memory(desk.work))
    (desk.work / "f").write_text("one\n")
    await desk.write("f", "two\n")
    assert desk.changes() == []
    assert not desk.store.exists()


async def test_a_change_after_the_session_was_left_is_noted_where_it_began(desk: Any) -> None:
    (desk.work / "f").write_text("one\n")
    await desk.say()
    old = desk.file
    operations = desk.checkpoints.watched()
    old.close()
    desk.recorder.change_file(SessionFile.create(desk.paths.sessions_dir / "there", desk.work))
    await operations.write(str(desk.work / "f"), b"two\n")
    assert desk.changes() == []
    assert old.path is not None
    reopened = SessionFile.open(old.path)
    assert [each.type for each in reopened.tree.entries] == ["message", "custom"]
    reopened.close()


async def test_what_commands_do_is_not_noted(desk: Any) -> None:
    (desk.work / "f").write_text("one\n")
    await desk.say()
    await desk.tool("bash", command="echo two > f")
    assert (desk.work / "f").read_text() == "two\n"
    assert desk.changes() == []


async def test_names_that_are_not_text_are_kept_apart(desk: Any) -> None:
    await desk.say()
    name = os.fsdecode(b"caf\xe9")
    (desk.work / name).write_text("one\n")
    await desk.checkpoints.watched().write(str(desk.work / name), b"two\n")
    desk.reopen()
    [change] = desk.changes()
    assert change["path"] == str(desk.work / name)
    plan = await desk.plan(desk.file.tree.entries[0])
    await desk.checkpoints.apply(plan)
    assert (desk.work / name).read_text() == "one\n"


async def test_all_that_is_kept_is_private(desk: Any) -> None:
    (desk.work / "f").write_text("secret")
    await desk.say()
    await desk.write("f", "public")
    await desk.checkpoints.aclose()
    for path in desk.store.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
