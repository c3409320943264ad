"""Unsent drafts on the disk."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

from pi_term.ai.messages import ImageContent
from pi_term.testing.scripted import until
from pi_term.tui.drafts import DraftKeeper
from pi_term.tui.widgets.editor.paste import Attachment, Block, Draft


class Program:
    """A program with an editor."""

    def __init__(self, folder: Path, session: str = "s1") -> None:
        self.folder = folder
        self.draft = Draft(())
        self.session = session
        self.told: list[str] = []
        self.keeper = DraftKeeper(folder, lambda: self.draft, lambda: self.session, self.told.append)

    def write(self, *parts: str | Block) -> None:
        self.draft = Draft(parts, 1)
        self.keeper.touch(empty=not parts)

    async def restored(self) -> str | None:
        found = await self.keeper.restore(self.session, load)
        return None if found is None else found.draft.text

    def die(self) -> None:
        """As after kill -9: the lock goes, the file stays."""
        assert self.keeper._file is not None
        self.keeper._file.close()


def load(path: str) -> Attachment | None:
    return Attachment(ImageContent("AA==", "image/png"), path) if path == "/there.png" else None


def stored(folder: Path) -> list[str]:
    return [json.loads(path.read_text())["text"] for path in sorted(folder.glob("*.json"))]


async def left_behind(folder: Path, text: str, session: str = "s1") -> None:
    program = Program(folder, session)
    program.write(text)
    await until(lambda: text in stored(folder), pause=0.01)
    program.die()


async def test_a_draft_is_stored_for_its_owner_only_and_goes_when_it_was_sent(tmp_path: Path) -> None:
    program = Program(tmp_path / "d")
    program.write("hello")
    await until(lambda: stored(program.folder) == ["hello"], pause=0.01)
    assert all(path.stat().st_mode & 0o077 == 0 for path in program.folder.iterdir())
    program.write()
    await until(lambda: stored(program.folder) == [], pause=0.01)
    program.keeper.end()
    assert [*program.folder.iterdir()] == []


async def test_nothing_written_leaves_nothing(tmp_path: Path) -> None:
    program = Program(tmp_path / "d")
    program.write("  ")
    program.keeper.end()
    assert not program.folder.exists()
    assert await Program(program.folder).restored() is None


async def test_the_end_stores_what_was_typed_last(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.write("last words")
    program.keeper.end()
    assert await Program(tmp_path).restored() is None  # the program still lives
    program = Program(tmp_path)
    assert stored(tmp_path) == ["last words"]


async def test_the_next_program_takes_it_over_but_never_from_a_living_one(tmp_path: Path) -> None:
    await left_behind(tmp_path, "draft")
    second, third = Program(tmp_path), Program(tmp_path)
    assert await second.restored() == "draft"
    assert await third.restored() is None
    second.write("draft and more")
    await until(lambda: stored(tmp_path) == ["draft and more"], pause=0.01)


async def test_that_of_the_session_goes_before_the_newest(tmp_path: Path) -> None:
    await left_behind(tmp_path, "mine", "s1")
    await left_behind(tmp_path, "newer", "s2")
    for path in tmp_path.glob("*.json"):
        if "mine" in path.read_text():
            os.utime(path, (1_700_000_000 + 10**8, 1_700_000_000 + 10**8))
    assert await Program(tmp_path, "s1").restored() == "mine"
    assert await Program(tmp_path, "s3").restored() == "newer"


async def test_damaged_and_old_ones_are_removed(tmp_path: Path) -> None:
    (tmp_path / "1-a.json").write_text("{")
    (tmp_path / "2-b.json").write_text('{"text": "old"}')
    os.utime(tmp_path / "2-b.json", (0, 0))
    (tmp_path / "3-c.lock").write_text("")
    assert await Program(tmp_path).restored() is None
    assert [*tmp_path.iterdir()] == []


async def test_pastes_and_images_come_back(tmp_path: Path) -> None:
    program = Program(tmp_path)
    image = Attachment(ImageContent("AA==", "image/png"), "/there.png")
    gone = Attachment(ImageContent("AA==", "image/png"), "/gone.png")
    program.write("a ", Block(1, "x\n" * 20), " b ", Block.of_image(image), " c ", Block.of_image(gone))
    await until(lambda: len(stored(tmp_path)) == 1, pause=0.01)
    program.die()
    found = await Program(tmp_path).keeper.restore("s1", load)
    assert found is not None
    kinds = [part if isinstance(part, str) else part.attachment or part.content for part in found.draft.parts]
    assert kinds[:4] == ["a ", "x\n" * 20, " b ", image]
    assert isinstance(kinds[4], str)
    assert kinds[4].startswith(" c [image #")
    assert found.draft.cursor == 1


async def test_a_burst_of_keys_is_written_once(tmp_path: Path) -> None:
    program = Program(tmp_path)
    for number in range(100):
        program.write("x" * number)
        await asyncio.sleep(0)
    assert stored(tmp_path) == []
    await until(lambda: stored(tmp_path) == ["x" * 99], pause=0.01)


async def test_that_it_cannot_be_kept_is_told_once_until_it_can(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.write_text("a file where a folder should be")
    program = Program(folder)
    program.write("one")
    await until(lambda: len(program.told) == 1, pause=0.01)
    assert "not kept" in program.told[0]
    assert str(folder) in program.told[0]
    program.write("two")
    await until(lambda: program.keeper._stored == 2, pause=0.01)
    folder.unlink()
    program.write("three")
    await until(lambda: folder.is_dir() and stored(folder) == ["three"], pause=0.01)
    assert len(program.told) == 1
    program.keeper.end()


async def test_a_draft_that_cannot_be_taken_over_stays(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    await left_behind(folder, "hello")
    (lock,) = folder.glob("*.lock")
    lock.unlink()
    lock.mkdir()  # nobody can hold this one
    assert await Program(folder).restored() is None
    assert stored(folder) == ["hello"]
