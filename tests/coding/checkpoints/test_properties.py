"""Whatever the agent, other people and restores do to files, a model in memory knows what comes of it."""

from __future__ import annotations

import asyncio
import os
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.coding.checkpoints import Plan

NAMES = ("a", "folder/b")
UMASK = 0o022


class File(NamedTuple):
    content: bytes
    mode: int


@dataclass
class Change:
    """What the agent did to a file, as part of the restore with this number, if it was one."""

    name: str
    before: File | None
    after: File | None
    restore: int | None = None


def content(file: File | None) -> bytes | None:
    return None if file is None else file.content


@dataclass
class Model:
    """The files, all that the agent did to them, and how much of that there was at each entry."""

    files: dict[str, File] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    entries: list[tuple[str, int]] = field(default_factory=list)
    restores: int = 0

    def put(self, name: str, data: bytes | None, mode: int = 0o644) -> None:
        there = self.files.get(name)
        if data is None:
            self.files.pop(name, None)
        else:
            self.files[name] = File(data, mode if there is None else there.mode)

    def agent(self, name: str, data: bytes | None, mode: int = 0o644, restore: int | None = None) -> None:
        before = self.files.get(name)
        self.put(name, data, mode)
        if content(before) != data:
            self.changes.append(Change(name, before, self.files.get(name), restore))

    def plan(self, changes: Iterable[Change]) -> dict[str, tuple[File | None, str | None]]:
        """By name: what a restore leads to, and what is in the way."""
        found: dict[str, list[Change]] = {}
        for change in changes:
            found.setdefault(change.name, []).append(change)
        targets = {name: each[0].before for name, each in found.items()}
        return {
            name: (targets[name], self.obstacle(name, found[name]))
            for name in found
            if content(targets[name]) != content(self.files.get(name))
        }

    def obstacle(self, name: str, changes: list[Change]) -> str | None:
        now = content(self.files.get(name))
        if now not in (content(changes[-1].after), content(changes[-1].before)):
            return "gone" if now is None else "changed"
        for number, change in enumerate(changes[:-1]):
            known = (content(change.after), content(change.before))
            if content(changes[number + 1].before) not in known:
                return "changed_between"
        return None

    def restore(self, plan: dict[str, tuple[File | None, str | None]], confirmed: set[str]) -> None:
        self.restores += any(obstacle is None or name in confirmed for name, (_, obstacle) in plan.items())
        for name, (target, obstacle) in sorted(plan.items()):
            if obstacle is None or name in confirmed:
                self.agent(name, content(target), 0o644 if target is None else target.mode, self.restores)


class Player:
    """Does the same to the real thing and to the model."""

    def __init__(self, desk: Any) -> None:
        self.desk = desk
        self.model = Model()

    def files(self) -> dict[str, File]:
        found = (path for path in self.desk.work.rglob("*") if path.is_file())
        return {
            str(path.relative_to(self.desk.work)): File(path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
            for path in found
        }

    async def play(self, what: str, *args: Any) -> None:
        await getattr(self, f"do_{what}")(*args)
        assert self.files() == self.model.files

    async def do_say(self) -> None:
        entry = await self.desk.say()
        self.model.entries.append((entry.id, len(self.model.changes)))

    async def do_write(self, name: str, text: bytes) -> None:
        await self.desk.write(name, text.decode())
        self.model.agent(name, text)

    async def do_edit(self, name: str, text: bytes) -> None:
        there = self.model.files.get(name)
        if there is not None and there.content not in (b"", text):
            await self.desk.edit(name, there.content.decode(), text.decode())
            self.model.agent(name, text)

    async def do_own_way(self, name: str, text: bytes | None) -> None:
        """A tool that needs nothing but its turn in the queue."""

        async def work(path: str) -> None:
            self.put(Path(path), text)

        await self.desk.checkpoints.mutations.run(self.desk.work / name, work)
        self.model.agent(name, text)

    async def do_somebody(self, name: str, text: bytes | None) -> None:
        self.put(self.desk.work / name, text)
        self.model.put(name, text)

    async def do_mode(self, name: str, mode: int) -> None:
        there = self.model.files.get(name)
        if there is not None:
            (self.desk.work / name).chmod(mode)
            self.model.files[name] = File(there.content, mode)

    async def do_go(self, number: int) -> None:
        """To another place in the tree, without restoring anything."""
        entries = self.desk.file.tree.entries
        self.desk.file.tree.leaf = entries[number % len(entries)]

    async def do_reopen(self) -> None:
        self.desk.reopen()

    async def do_restore(self, number: int, confirmed: frozenset[str]) -> None:
        id, before = self.model.entries[number % len(self.model.entries)]
        plan = await self.desk.checkpoints.restore_plan(id)
        await self.counts_agree()
        await self.apply(plan, self.model.plan(self.model.changes[before:]), confirmed)
        if confirmed == frozenset(NAMES):
            assert (await self.desk.checkpoints.restore_plan(id)).files == ()

    async def do_undo(self, confirmed: frozenset[str]) -> None:
        plan = await self.desk.checkpoints.undo_plan()
        if plan is None:
            assert not self.model.restores
            return
        changes = [each for each in self.model.changes if each.restore == self.model.restores]
        await self.apply(plan, self.model.plan(changes), confirmed)

    async def do_restore_and_undo(self, number: int) -> None:
        before = self.files()
        plans = self.model.restores
        await self.do_restore(number, frozenset(NAMES))
        if self.model.restores > plans:
            await self.do_undo(frozenset())
            assert {name: file.content for name, file in self.files().items()} == {
                name: file.content for name, file in before.items()
            }

    async def apply(self, plan: Plan, wanted: Any, confirmed: frozenset[str]) -> None:
        told = {os.path.relpath(each.path, self.desk.work): each for each in plan.files}
        assert {name: each.obstacle for name, each in told.items()} == {
            name: obstacle for name, (_, obstacle) in wanted.items()
        }
        for name, (target, _) in wanted.items():
            assert told[name].size == (None if target is None else len(target.content))
        paths = [str(self.desk.work / name) for name in confirmed]
        restored = await self.desk.checkpoints.apply(plan, paths)
        self.model.restore(wanted, set(confirmed))
        left = {os.path.relpath(each.path, self.desk.work) for each in restored.left}
        assert left == {
            name for name, (_, obstacle) in wanted.items() if obstacle is not None and name not in confirmed
        }

    async def counts_agree(self) -> None:
        """How many files a list tells for each place is how many there would be in its plan."""
        tree = self.desk.file.tree
        places = [tree.by_id[id] for id, _ in self.model.entries]
        assert await self.desk.checkpoints.differing(places) == {
            id: len(self.model.plan(self.model.changes[before:])) for id, before in self.model.entries
        }

    def put(self, path: Path, text: bytes | None) -> None:
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text)


_NAME = st.sampled_from(NAMES)
_TEXT = st.sampled_from([b"", b"one\n", b"two\xc3\xa9\n", b"three", b"four\n"])
_CONFIRMED = st.frozensets(_NAME)
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say")),
        st.tuples(st.just("write"), _NAME, _TEXT),
        st.tuples(st.just("write"), _NAME, _TEXT),
        st.tuples(st.just("edit"), _NAME, _TEXT),
        st.tuples(st.just("own_way"), _NAME, st.none() | _TEXT),
        st.tuples(st.just("somebody"), _NAME, st.none() | _TEXT),
        st.tuples(st.just("mode"), _NAME, st.sampled_from([0o600, 0o755])),
        st.tuples(st.just("go"), st.integers(0, 30)),
        st.tuples(st.just("reopen")),
        st.tuples(st.just("restore"), st.integers(0, 30), _CONFIRMED),
        st.tuples(st.just("undo"), _CONFIRMED),
        st.tuples(st.just("restore_and_undo"), st.integers(0, 30)),
    ),
    min_size=12,
    max_size=40,
)


@pytest.fixture
def plain_umask() -> Any:
    before = os.umask(UMASK)
    yield
    os.umask(before)


@pytest.mark.usefixtures("plain_umask")
@settings(max_examples=100)
@given(steps=_STEPS)
def test_the_model_knows_what_comes_of_it(desk_class: Any, steps: list[tuple[Any, ...]]) -> None:
    async def play() -> None:
        with tempfile.TemporaryDirectory() as folder:
            player = Player(desk_class(Path(folder)))
            await player.play("say")
            for step in steps:
                await player.play(*step)
            await player.desk.checkpoints.aclose()
            player.desk.file.close()
            assert not player.desk.reported

    asyncio.run(play())
