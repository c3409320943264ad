"""The prompt editor of the whole program: what it completes, attaches, keeps and lends to other editors."""

from __future__ import annotations

from pathlib import Path

from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import ScriptedModel


def project(folder: Path) -> Path:
    """A working folder with files whose names are awkward."""
    work = folder / "work"
    for name in (
        *("src/tui/app.py", "src/tui/editor.py", "README.md", "app/[id]/page.tsx", "a(b).txt", "c++.md"),
        *("my docs/read me.txt", "node_modules/x.js", ".git/config", ".github/ci.yml"),
    ):
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (work / ".gitignore").write_text("node_modules\n")
    return work


def offered(driver: AppDriver) -> list[str]:
    return [each.label for each in driver.app.main.editor.query_one("CompletionList").offers]  # type: ignore[attr-defined]


async def test_files_are_found_by_parts_of_their_names(tmp_path: Path) -> None:
    """B-062."""
    project(tmp_path)
    async with run_app(ScriptedModel(), tmp_path) as driver:
        await driver.type("see @")
        await driver.wait_for(lambda text: "README.md" in text)
        print(offered(driver))
        print(driver.text())
        for typed, found in (
            ("[id", "app/[id]/page.tsx"),
            ("a(", "a(b).txt"),
            ("c++", "c++.md"),
            ("ci", ".github/ci.yml"),
            ("tuied", "src/tui/editor.py"),
        ):
            await driver.type(typed)
            await driver.pilot.pause()
            assert found in offered(driver), typed
            await driver.press(*["backspace"] * len(typed))
