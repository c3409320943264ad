"""`@` and Tab against real folders."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pi_term.coding.tools.local.operations import LOCAL
from pi_term.testing.scripted import until
from pi_term.tui.completions.files import FileCompletions
from pi_term.tui.completions.listing import FilePlace


class Prompt:
    """Asks the source as the editor would."""

    def __init__(self, folder: Path, prompts: list[str]) -> None:
        self.tasks: list[asyncio.Task[None]] = []
        self.news = 0
        place = FilePlace(str(folder), LOCAL)
        self.source = FileCompletions(lambda: place, self._spawn, lambda: prompts)
        self.source.news = self._count

    def _spawn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work()))

    def _count(self) -> None:
        self.news += 1

    def offers(self, text: str, *, forced: bool = False) -> list[str]:
        found = self.source.complete(text, len(text), forced=forced) or ()
        return [each.label for each in found]

    async def all(self, text: str, *, forced: bool = False) -> list[str]:
        self.offers(text, forced=forced)
        await until(lambda: not self.source.pending, pause=0.005)
        return self.offers(text, forced=forced)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "src/app.py",
        "src/.hidden",
        "node_modules/x.js",
        ".git/config",
        ".github/ci.yml",
        "b c/d.txt",
    ):
        path = tmp_path / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "work" / ".gitignore").write_text("node_modules\n")
    (tmp_path / "beside.txt").write_text("")
    return tmp_path / "work"


async def test_ignored_files_and_the_store_of_git_are_not_offered(folder: Path) -> None:
    """B-062."""
    prompt = Prompt(folder, [])
    found = await prompt.all("@")
    assert {"src/", "b c/", ".github/", ".gitignore"} == set(found)
    assert await prompt.all("@conf") == []
    assert await prompt.all("@x.js") == []
    assert (await prompt.all("@ci"))[0] == ".github/ci.yml"
    assert "src/.hidden" in await prompt.all("@hid")


async def test_new_files_are_found_by_the_next_mention(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_term.tui.completions.listing._FRESH", 0.0)
    monkeypatch.setattr("pi_term.tui.completions.listing._SHARE", 0)
    prompt = Prompt(folder, [])
    assert await prompt.all("@fresh") == []
    (folder / "fresh.py").write_text("")
    prompt.offers("no mention")
    prompt.offers("@fresh")
    await until(lambda: prompt.offers("@fresh") == ["fresh.py"], pause=0.005)


async def test_a_search_under_way_is_brought_to_its_end_by_whoever_takes_an_offer(folder: Path) -> None:
    prompt = Prompt(folder, [])
    await prompt.all("@")
    prompt.source._begin("app")
    prompt.source.finish()
    assert prompt.offers("@app") == ["src/app.py"]


async def test_prompts_tell_what_is_used(folder: Path) -> None:
    prompt = Prompt(folder, ["read @src/app.py", 'and @"b c/d.txt"'])
    assert (await prompt.all("@"))[:2] == ["b c/d.txt", "src/app.py"]
    prompt.source.taken(prompt.source.complete("@app", 4)[0])  # type: ignore[index]
    assert (await prompt.all("@"))[0] == "src/app.py"


async def test_tab_goes_through_folders(folder: Path) -> None:
    prompt = Prompt(folder, [])
    assert await prompt.all("cat s", forced=True) == ["src/"]
    assert await prompt.all("cat src/", forced=True) == ["src/app.py"]
    assert await prompt.all("cat src/.", forced=True) == ["src/.hidden"]
    assert await prompt.all("cat ../bes", forced=True) == ["../beside.txt"]
    assert await prompt.all(f"cat {folder}/s", forced=True) == [f"{folder}/src/"]
    assert await prompt.all("!!sr", forced=True) == ["src/"]
    assert await prompt.all("cat none/", forced=True) == []
    assert prompt.offers("cat s") == []
    assert prompt.offers("!git log @") == []


async def test_a_mention_leads_out_of_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    prompt = Prompt(folder, [])
    assert await prompt.all("@../bes") == ["../beside.txt"]
    assert await prompt.all("@~/sr") == ["~/src/"]
    found = prompt.source.complete('@"../bes" x', 8)
    assert found is not None
    assert (found[0].insert, found[0].after) == ('@"../beside.txt" ', 1)
