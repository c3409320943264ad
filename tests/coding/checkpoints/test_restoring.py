"""Going back: what a plan tells, what is restored, what is left alone, and the way back again."""

from __future__ import annotations

import asyncio
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.checkpoints import Plan
from pi_term.coding.checkpoints.blobs import BlobStore
from pi_term.coding.session import CustomEntry, SessionFile


def told(plan: Plan) -> list[tuple[str, str, str | None]]:
    return [(Path(each.path).name, each.action, each.obstacle) for each in plan.files]


def forget_what_is_kept(desk: Any, data: bytes) -> None:
    store = BlobStore(desk.store)
    digest = sha256(data).hexdigest()
    store.remove(next(blob for blob in store.blobs() if blob.digest == digest))


async def test_files_go_back_to_what_they_were_at_an_entry(any_desk: Any) -> None:
    desk = any_desk
    (desk.work / "edited").write_text("one\n")
    (desk.work / "untouched").write_text("mine\n")
    start = await desk.say("start")
    await desk.edit("edited", "one", "two")
    middle = await desk.say("go on")
    await desk.edit("edited", "two", "three")
    await desk.write("new/file", "new\n")
    plan = await desk.plan(middle)
    assert told(plan) == [("edited", "write", None), ("file", "delete", None)]
    assert [(each.size, each.current_size) for each in plan.files] == [(4, 6), (None, 4)]
    assert (desk.work / "edited").read_text() == "three\n"  # a plan changes nothing
    restored = await desk.checkpoints.apply(plan)
    assert [each.problem for each in restored.files] == ["", ""]
    assert desk.files() == {"edited": b"two\n", "untouched": b"mine\n"}
    await desk.checkpoints.apply(await desk.plan(start))
    assert desk.files() == {"edited": b"one\n", "untouched": b"mine\n"}


async def test_an_undo_brings_everything_back(any_desk: Any) -> None:
    desk = any_desk
    script = desk.work / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    start = await desk.say()
    assert await desk.checkpoints.undo_plan() is None
    await desk.edit("script", "/bin/sh", "/bin/bash")
    await desk.write("made", "made\n")
    (desk.work / "made").chmod(0o600)
    before = desk.files()
    await desk.checkpoints.apply(await desk.plan(start))
    assert desk.files() == {"script": b"#!/bin/sh\n"}
    desk.reopen()
    undo = await desk.checkpoints.undo_plan()
    assert told(undo) == [("made", "create", None), ("script", "write", None)]
    await desk.checkpoints.apply(undo)
    assert desk.files() == before
    assert stat.S_IMODE(script.stat().st_mode) == 0o755
    assert stat.S_IMODE((desk.work / "made").stat().st_mode) == 0o600
    redo = await desk.checkpoints.undo_plan()
    await desk.checkpoints.apply(redo)
    assert desk.files() == {"script": b"#!/bin/sh\n"}


async def test_to_and_fro_between_branches(desk: Any) -> None:
    root = await desk.say("root")
    await desk.write("f", "one\n")
    fork = desk.file.tree.leaf
    await desk.say("first way")
    await desk.write("f", "first\n")
    await desk.write("only-first", "x\n")
    first = desk.file.tree.leaf
    await desk.checkpoints.apply(await desk.plan(fork))
    desk.file.tree.leaf = fork
    assert desk.files() == {"f": b"one\n"}
    await desk.say("second way")
    await desk.write("f", "second\n")
    second = desk.file.tree.leaf
    await desk.checkpoints.apply(await desk.plan(first))
    desk.file.tree.leaf = first
    assert desk.files() == {"f": b"first\n", "only-first": b"x\n"}
    await desk.checkpoints.apply(await desk.plan(second))
    assert desk.files() == {"f": b"second\n"}
    await desk.checkpoints.apply(await desk.plan(root))
    assert desk.files() == {}


async def test_where_one_went_on_without_restoring_the_files_were_as_left(desk: Any) -> None:
    await desk.say("root")
    await desk.write("f", "one\n")
    fork = desk.file.tree.leaf
    await desk.write("f", "first\n")
    desk.file.tree.leaf = fork
    second = await desk.say("second way")
    assert (await desk.plan(second)).files == ()
    await desk.write("f", "second\n")
    await desk.checkpoints.apply(await desk.plan(second))
    assert desk.files() == {"f": b"first\n"}
    await desk.checkpoints.apply(await desk.plan(fork))
    assert desk.files() == {"f": b"one\n"}


async def test_an_edit_of_somebody_else_is_not_overwritten(any_desk: Any) -> None:
    desk = any_desk
    for name in ("edited", "deleted", "made"):
        (desk.work / name).write_text("one\n")
    (desk.work / "made").unlink()
    start = await desk.say()
    for name in ("edited", "deleted", "made"):
        await desk.write(name, "two\n")
    (desk.work / "edited").write_text("mine\n")
    (desk.work / "made").write_text("mine too\n")
    (desk.work / "deleted").unlink()
    plan = await desk.plan(start)
    assert told(plan) == [
        ("deleted", "create", "gone"),
        ("edited", "write", "changed"),
        ("made", "delete", "changed"),
    ]
    assert all(each.confirmable and each.reason for each in plan.files)
    assert (len(plan.ready), len(plan.doubtful), len(plan.files)) == (0, 3, 3)
    restored = await desk.checkpoints.apply(plan)
    assert (restored.done, restored.undo) == ((), None)
    assert desk.files() == {"edited": b"mine\n", "made": b"mine too\n"}
    only = await desk.checkpoints.apply(plan, confirmed=[str(desk.work / "edited")])
    assert [Path(each.path).name for each in only.done] == ["edited"]
    assert desk.files() == {"edited": b"one\n", "made": b"mine too\n"}
    await desk.checkpoints.apply(await desk.plan(start), confirmed=[each.path for each in plan.files])
    assert desk.files() == {"edited": b"one\n", "deleted": b"one\n"}
    await desk.checkpoints.apply(await desk.checkpoints.undo_plan())
    assert desk.files() == {"edited": b"one\n", "made": b"mine too\n"}


async def test_an_edit_of_somebody_else_in_between_is_not_lost_unasked(desk: Any) -> None:
    start = await desk.say()
    await desk.write("f", "one\n")
    middle = await desk.say()
    (desk.work / "f").write_text("one\nmine\n")
    await desk.edit("f", "one", "two")
    assert told(await desk.plan(start)) == [("f", "delete", "changed_between")]
    back = await desk.plan(middle)
    assert told(back) == [("f", "write", None)]
    await desk.checkpoints.apply(back)
    assert desk.files() == {"f": b"one\nmine\n"}


async def test_what_was_put_back_by_hand_needs_nothing(desk: Any) -> None:
    (desk.work / "f").write_text("one\n")
    start = await desk.say()
    await desk.write("f", "two\n")
    (desk.work / "f").write_text("one\n")
    assert (await desk.plan(start)).files == ()
    assert not (await desk.checkpoints.apply(await desk.plan(start))).files


async def test_a_change_that_failed_stands_in_nobodys_way(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pi_term.base import files

    def fail(*args: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    (desk.work / "f").write_text("one\n")
    start = await desk.say()
    with monkeypatch.context() as broken:
        broken.setattr(files, "atomic_write", fail)
        assert (await desk.tool("write", path="f", content="two\n")).is_error
    assert (await desk.plan(start)).files == ()
    await desk.write("f", "three\n")
    assert told(await desk.plan(start)) == [("f", "write", None)]


async def test_what_was_not_kept_is_told_and_left(desk: Any) -> None:
    desk.settings.set("checkpoints.maxFileMegabytes", 1)
    large = b"x" * (1024 * 1024 + 1)
    (desk.work / "large").write_bytes(large)
    (desk.work / "pruned").write_text("pruned\n")
    (desk.work / "kept").write_text("kept\n")
    start = await desk.say()
    for name in ("large", "pruned", "kept"):
        await desk.write(name, "new\n")
    forget_what_is_kept(desk, b"pruned\n")
    plan = await desk.plan(start)
    assert told(plan) == [
        ("kept", "write", None),
        ("large", "write", "not_kept"),
        ("pruned", "write", "not_kept"),
    ]
    assert plan.files[1].size == len(large)
    assert not plan.files[1].confirmable
    restored = await desk.checkpoints.apply(plan, confirmed=[each.path for each in plan.files])
    assert [bool(each.problem) for each in restored.files] == [False, True, True]
    assert desk.files() == {"kept": b"kept\n", "large": b"new\n", "pruned": b"new\n"}


async def test_what_could_not_be_undone_is_confirmed_first(desk: Any) -> None:
    desk.settings.set("checkpoints.maxFileMegabytes", 1)
    large = "x" * (1024 * 1024 + 1)
    start = await desk.say()
    await desk.write("f", large)
    plan = await desk.plan(start)
    assert told(plan) == [("f", "delete", "too_large")]
    (desk.work / "f").write_text(large + "mine")
    assert told(await desk.plan(start)) == [("f", "delete", "changed")]
    (desk.work / "f").write_text(large)
    await desk.checkpoints.apply(plan, confirmed=[plan.files[0].path])
    assert desk.files() == {}
    assert told(await desk.checkpoints.undo_plan()) == [("f", "create", "not_kept")]


async def test_something_else_in_the_place_is_left_alone(any_desk: Any) -> None:
    desk = any_desk
    start = await desk.say()
    names = ("folder", "pipe", "below/f", "linked")
    for name in names:
        await desk.write(name, "one\n")
        (desk.work / name).unlink()
    (desk.work / "folder").mkdir()
    os.mkfifo(desk.work / "pipe")
    (desk.work / "below").rmdir()
    (desk.work / "below").write_text("a file\n")
    (desk.work / "other").write_text("one\n")
    (desk.work / "linked").symlink_to("other")
    plan = await desk.plan(start)
    assert told(plan) == [
        ("folder", "delete", "no_file"),
        ("linked", "delete", "elsewhere"),
        ("pipe", "delete", "no_file"),
    ]
    await desk.checkpoints.apply(plan)
    assert (desk.work / "other").read_text() == "one\n"
    await desk.checkpoints.apply(plan, confirmed=[each.path for each in plan.files])
    assert (desk.work / "folder").is_dir()
    assert (desk.work / "linked").is_symlink()
    assert not (desk.work / "other").exists()  # what the link leads to, as the tools do it


async def test_a_link_stays_one(any_desk: Any) -> None:
    desk = any_desk
    (desk.work / "real").write_text("one\n")
    (desk.work / "link").symlink_to("real")
    start = await desk.say()
    await desk.write("link", "two\n")
    await desk.checkpoints.apply(await desk.plan(start))
    assert (desk.work / "link").is_symlink()
    assert (desk.work / "real").read_text() == "one\n"


async def test_what_changed_since_the_plan_was_made_is_left_alone(any_desk: Any) -> None:
    desk = any_desk
    for name in ("a", "b", "c"):
        (desk.work / name).write_text("one\n")
    start = await desk.say()
    for name in ("a", "b", "c"):
        await desk.write(name, "two\n")
    plan = await desk.plan(start)
    (desk.work / "a").write_text("mine\n")
    (desk.work / "b").unlink()
    restored = await desk.checkpoints.apply(plan)
    assert [Path(each.path).name for each in restored.left] == ["a", "b"]
    assert all("meantime" in each.problem for each in restored.left)
    assert desk.files() == {"a": b"mine\n", "c": b"one\n"}


async def test_a_file_that_cannot_be_written_does_not_hold_up_the_others(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pi_term.base import files

    really_write = files.atomic_write

    def fail(path: Path, data: bytes, **options: Any) -> None:
        if path.name == "b":
            raise PermissionError(13, "Permission denied")
        really_write(path, data, **options)

    for name in ("a", "b", "c"):
        (desk.work / name).write_text("one\n")
    start = await desk.say()
    for name in ("a", "b", "c"):
        await desk.write(name, "two\n")
    plan = await desk.plan(start)
    with monkeypatch.context() as broken:
        broken.setattr(files, "atomic_write", fail)
        restored = await desk.checkpoints.apply(plan)
    assert [each.problem for each in restored.files] == ["", "Permission denied", ""]
    assert desk.files() == {"a": b"one\n", "b": b"two\n", "c": b"one\n"}
    again = await desk.plan(start)
    assert told(again) == [("b", "write", None)]
    await desk.checkpoints.apply(again)
    assert desk.files() == {"a": b"one\n", "b": b"one\n", "c": b"one\n"}


async def test_a_restore_waits_for_its_turn_with_each_file(desk: Any) -> None:
    (desk.work / "f").write_text("one\n")
    start = await desk.say()
    await desk.write("f", "two\n")
    plan = await desk.plan(start)
    go, begun = asyncio.Event(), asyncio.Event()

    async def hold(path: str) -> None:
        begun.set()
        await go.wait()
        Path(path).write_text("three\n")

    holding = asyncio.create_task(desk.checkpoints.mutations.run(desk.work / "f", hold))
    await begun.wait()
    restoring = asyncio.create_task(desk.checkpoints.apply(plan))
    await asyncio.sleep(0.05)
    assert not restoring.done()
    go.set()
    await holding
    assert len((await restoring).left) == 1
    assert desk.files() == {"f": b"three\n"}


async def test_a_fork_and_a_clone_know_what_they_copied(desk: Any) -> None:
    start = await desk.say("start")
    await desk.write("f", "one\n")
    middle = await desk.say("middle")
    await desk.write("f", "two\n")
    end = await desk.say("end")
    folder = desk.file.path.parent
    parent = desk.file
    await desk.checkpoints.apply(await desk.plan(middle))  # as `/fork` from "middle" does, before it goes
    fork = await asyncio.to_thread(parent.fork, middle.parent, folder, desk.work)
    fork.flush()
    desk.recorder.change_file(fork)
    assert told(await desk.plan(fork.tree.get(start.id))) == [("f", "delete", None)]
    await desk.write("f", "another two\n")
    await desk.checkpoints.apply(await desk.plan(fork.tree.get(start.id)))
    assert desk.files() == {}
    await desk.checkpoints.apply(await desk.checkpoints.undo_plan())
    await desk.write("f", "one\n")
    desk.recorder.change_file(parent)
    await desk.checkpoints.apply(await desk.plan(end))
    assert desk.files() == {"f": b"two\n"}


async def test_what_another_session_did_is_somebody_elses(desk: Any) -> None:
    await desk.say("start")
    await desk.write("f", "one\n")
    first = desk.file
    desk.recorder.change_file(SessionFile.create(first.path.parent, desk.work))
    await desk.say()
    await desk.write("f", "two\n")
    desk.recorder.change_file(first)
    assert told(await desk.plan(first.tree.entries[0])) == [("f", "delete", "changed")]


async def test_a_plan_belongs_to_its_session(desk: Any) -> None:
    start = await desk.say()
    await desk.write("f", "one\n")
    plan = await desk.plan(start)
    desk.recorder.change_file(SessionFile.create(desk.file.path.parent, desk.work))
    with pytest.raises(PiTermError, match="Another session"):
        await desk.checkpoints.apply(plan)
    with pytest.raises(PiTermError, match="no entry"):
        await desk.plan(start)
    assert desk.files() == {"f": b"one\n"}


async def test_the_setting_off_still_restores_what_was_kept(desk: Any) -> None:
    (desk.work / "f").write_text("one\n")
    start = await desk.say()
    await desk.write("f", "two\n")
    desk.settings.set("checkpoints.enabled", False)
    await desk.write("f", "unseen\n")
    plan = await desk.plan(start)
    assert told(plan) == [("f", "write", "changed")]
    await desk.checkpoints.apply(plan, confirmed=[plan.files[0].path])
    await desk.checkpoints.apply(await desk.checkpoints.undo_plan())
    assert desk.files() == {"f": b"unseen\n"}


async def test_an_undo_leaves_alone_what_came_later(desk: Any) -> None:
    (desk.work / "f").write_text("one\n")
    start = await desk.say()
    await desk.write("f", "two\n")
    await desk.checkpoints.apply(await desk.plan(start))
    await desk.write("g", "later\n")
    await desk.checkpoints.apply(await desk.checkpoints.undo_plan())
    assert desk.files() == {"f": b"two\n", "g": b"later\n"}
    await desk.write("f", "three\n")
    assert told(await desk.checkpoints.undo_plan()) == [("f", "write", "changed")]


JUNK: list[Any] = [
    None,
    "text",
    {},
    {"path": 7},
    {"path": "relative"},
    {"path": "/a\0b"},
    {"path": "/x", "before": "text"},
    {"path": "/x", "before": {}},
    {"path": "/x", "before": {"size": "1"}},
    {"path": "/x", "before": {"size": 1, "digest": "../../../etc/passwd"}},
    {"path": "/x", "before": {"size": 1, "digest": ["a"]}},
    {"path": "/x", "before": {"size": 1, "mode": -1}},
    {"path": "/x", "after": 5},
]


@pytest.mark.parametrize("junk", JUNK)
async def test_what_others_wrote_under_our_name_is_passed_over(desk: Any, junk: Any) -> None:
    start = await desk.say()
    desk.file.add(CustomEntry(custom_type="pi_term.file_change", data=junk))
    desk.file.add(CustomEntry(custom_type="somebody.else", data={"path": "/x"}))
    await desk.write("f", "one\n")
    desk.file.add(CustomEntry(custom_type="pi_term.file_change", data=junk))
    await desk.recorder.flush()
    desk.reopen()
    assert told(await desk.plan(desk.file.tree.get(start.id))) == [("f", "delete", None)]


async def test_changes_with_unknown_keys_are_understood(desk: Any) -> None:
    start = await desk.say()
    data = {"path": str(desk.work / "f"), "after": {"size": 0, "digest": "0" * 64, "new": 1}, "newer": [1]}
    desk.file.add(CustomEntry(custom_type="pi_term.file_change", data=data))
    (desk.work / "f").write_text("x")
    assert told(await desk.plan(start)) == [("f", "delete", "changed")]


async def test_a_plan_made_for_another_state_of_the_file_is_refused_even_if_confirmed(desk: Any) -> None:
    start = await desk.say()
    await desk.write("f", "one\n")
    (desk.work / "f").write_text("mine\n")
    plan = await desk.plan(start)
    (desk.work / "f").write_text("mine, newer\n")
    restored = await desk.checkpoints.apply(plan, confirmed=[plan.files[0].path])
    assert restored.done == ()
    assert desk.files() == {"f": b"mine, newer\n"}
