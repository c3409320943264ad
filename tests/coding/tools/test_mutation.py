"""The queue of changes: order and independence."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

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
    for round_ in range(20):
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
    found = threading.Event()

    def slowly() -> Path:
        found.wait()
        return tmp_path / "f"

    first = asyncio.create_task(queue.run(slowly, lambda path: done.append("first")))
    await asyncio.sleep(0)
    second = asyncio.create_task(queue.run(tmp_path / "f", lambda path: done.append("second")))
    await asyncio.sleep(0.05)
    found.set()
    await asyncio.gather(first, second)
    assert done == ["first", "second"]


async def test_different_files_do_not_wait_for_each_other(tmp_path: Path) -> None:
    queue, both = MutationQueue(), threading.Barrier(2, timeout=10)
    await asyncio.gather(
        queue.run(tmp_path / "a", lambda path: both.wait()),
        queue.run(tmp_path / "b", lambda path: both.wait()),
    )


async def test_a_change_given_up_while_waiting_lets_the_next_one_through(tmp_path: Path) -> None:
    queue, done = MutationQueue(), list[str]()
    go = threading.Event()

    def wait(path: Path) -> None:
        go.wait()
        done.append("first")

    first = asyncio.create_task(queue.run(tmp_path / "f", wait))
    await asyncio.sleep(0.05)
    second = asyncio.create_task(queue.run(tmp_path / "f", lambda path: done.append("second")))
    third = asyncio.create_task(queue.run(tmp_path / "f", lambda path: done.append("third")))
    await asyncio.sleep(0.05)
    second.cancel()
    go.set()
    await asyncio.gather(first, third)
    assert done == ["first", "third"]


async def test_work_that_has_begun_keeps_its_place_when_cancelled(tmp_path: Path) -> None:
    queue, done = MutationQueue(), list[str]()
    begun, go = threading.Event(), threading.Event()

    def work(path: Path) -> None:
        begun.set()
        go.wait()
        done.append("first")

    first = asyncio.create_task(queue.run(tmp_path / "f", work))
    await asyncio.to_thread(begun.wait)
    first.cancel()
    second = asyncio.create_task(queue.run(tmp_path / "f", lambda path: done.append("second")))
    await asyncio.sleep(0.05)
    assert done == []
    go.set()
    await second
    assert done == ["first", "second"]


async def test_a_failing_change_does_not_hold_up_the_next(tmp_path: Path) -> None:
    queue = MutationQueue()

    def fail(path: Path) -> None:
        raise RuntimeError("broken")

    first = asyncio.create_task(queue.run(tmp_path / "f", fail))
    assert await queue.run(tmp_path / "f", lambda path: path.name) == "f"
    with pytest.raises(RuntimeError, match="broken"):
        await first
