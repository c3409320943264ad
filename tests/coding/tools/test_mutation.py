"""The queue of changes: order and independence."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pi_term.agent.tools import ToolError
from pi_term.base import files
from pi_term.coding.tools.mutation import MutationQueue


async def test_b021_changes_of_one_batch_are_all_made_in_order(bench: Any) -> None:
    path = bench.cwd / "f"
    path.write_text("".join(f"line {n}\n" for n in range(1, 11)))
    (bench.cwd / "link").symlink_to("f")
    edits = [
        ("f", "line 1\n", "A\n"),
        ("link", "line 9\n", "I\n"),
        ("f", "line 5\n", "E\n"),
        ("link", "A\n", "B\n"),
    ]
    for round_ in range(5):
        path.write_text("".join(f"line {n}\n" for n in range(1, 11)))
        results = await asyncio.gather(
            *(
                bench.run("edit", path=name, edits=[{"oldText": old, "newText": new}])
                for name, old, new in edits
            )
        )
        assert not any(result.is_error for result in results), round_
        lines = path.read_text().splitlines()
        assert (lines[0], lines[4], lines[8]) == ("B", "E", "I")


async def test_a_write_and_an_edit_of_a_new_file_keep_their_order(bench: Any) -> None:
    results = await asyncio.gather(
        bench.run("write", path="new/f", content="one\n"),
        bench.run("edit", path="new/f", edits=[{"oldText": "one", "newText": "two"}]),
        bench.run("write", path="new/../new/g", content="x"),
    )
    assert not any(result.is_error for result in results)
    assert (bench.cwd / "new/f").read_text() == "two\n"


async def test_order_is_that_of_asking_even_if_a_path_is_slow_to_find(tmp_path: Path) -> None:
    queue, done = MutationQueue(), list[str]()
    found = asyncio.Event()

    async def slowly() -> str:
        await found.wait()
        return f"{tmp_path}/f"

    first = asyncio.create_task(queue.run(slowly, noting(done, "first")))
    await asyncio.sleep(0)
    second = asyncio.create_task(queue.run(tmp_path / "f", noting(done, "second")))
    await asyncio.sleep(0.05)
    found.set()
    await asyncio.gather(first, second)
    assert done == ["first", "second"]


async def test_different_files_do_not_wait_for_each_other(tmp_path: Path) -> None:
    queue, both = MutationQueue(), asyncio.Barrier(2)

    async def meet(path: str) -> None:
        await both.wait()

    async with asyncio.timeout(10):
        await asyncio.gather(queue.run(f"{tmp_path}/a", meet), queue.run(f"{tmp_path}/b", meet))


async def test_a_change_given_up_while_waiting_lets_the_next_one_through(tmp_path: Path) -> None:
    queue, done = MutationQueue(), list[str]()
    go = asyncio.Event()

    async def wait(path: str) -> None:
        await go.wait()
        done.append("first")

    first = asyncio.create_task(queue.run(f"{tmp_path}/f", wait))
    await asyncio.sleep(0.05)
    second = asyncio.create_task(queue.run(f"{tmp_path}/f", noting(done, "second")))
    third = asyncio.create_task(queue.run(f"{tmp_path}/f", noting(done, "third")))
    await asyncio.sleep(0.05)
    second.cancel()
    go.set()
    await asyncio.gather(first, third)
    assert done == ["first", "third"]


async def test_a_cancelled_change_keeps_its_place_until_it_has_really_ended(tmp_path: Path) -> None:
    queue, done = MutationQueue(), list[str]()
    begun, go = asyncio.Event(), asyncio.Event()

    async def stubborn(path: str) -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            await go.wait()
            done.append("first")

    first = asyncio.create_task(queue.run(f"{tmp_path}/f", stubborn))
    await begun.wait()
    first.cancel()
    second = asyncio.create_task(queue.run(f"{tmp_path}/f", noting(done, "second")))
    await asyncio.sleep(0.05)
    assert done == []
    go.set()
    await second
    assert done == ["first", "second"]
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_write_that_was_called_off_cannot_undo_a_later_one(
    local_bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = threading.Event(), threading.Event()
    really_write = files.atomic_write

    def slowly(path: Path, data: bytes, **options: Any) -> None:
        if data == b"first":
            begun.set()
            go.wait(20)
        really_write(path, data, **options)

    monkeypatch.setattr(files, "atomic_write", slowly)
    first = asyncio.create_task(local_bench.run("write", path="f", content="first"))
    await asyncio.to_thread(begun.wait, 20)
    first.cancel()
    second = asyncio.create_task(local_bench.run("write", path="f", content="second"))
    await asyncio.sleep(0.1)
    assert not second.done()
    go.set()
    await second
    assert (local_bench.cwd / "f").read_text() == "second"


def fail_at_once(path: str) -> Awaitable[None]:
    raise RuntimeError("broken")


async def fail_later(path: str) -> None:
    await asyncio.sleep(0)
    raise RuntimeError("broken")


@pytest.mark.parametrize("fail", [fail_at_once, fail_later])
async def test_a_failing_change_does_not_hold_up_the_next(
    tmp_path: Path, fail: Callable[[str], Awaitable[None]]
) -> None:
    queue, done = MutationQueue(), list[str]()
    first = asyncio.create_task(queue.run(f"{tmp_path}/f", fail))
    await queue.run(f"{tmp_path}/f", noting(done, "second"))
    assert done == ["second"]
    with pytest.raises(RuntimeError, match="broken"):
        await first


async def test_a_target_that_cannot_be_found_does_not_hold_up_the_next(tmp_path: Path) -> None:
    queue, done = MutationQueue(), list[str]()

    async def nowhere() -> str:
        raise ToolError("path must not be empty.")

    first = asyncio.create_task(queue.run(nowhere, noting(done, "first")))
    await asyncio.sleep(0)
    await queue.run(f"{tmp_path}/f", noting(done, "second"))
    assert done == ["second"]
    with pytest.raises(ToolError):
        await first


def noting(done: list[str], what: str) -> Callable[[str], Awaitable[None]]:
    async def work(path: str) -> None:
        done.append(what)

    return work
