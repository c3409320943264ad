"""Which paths are meant."""

from __future__ import annotations

from pi_term.tui.completions.index import SHOWN, PathIndex

FILES = [
    *("README.md", "src/tui/app.py", "src/tui/editor.py", "src/tui/widgets/editor/view.py", "a(b).txt"),
    *("app/[id]/page.tsx", "c++.md", ".github/ci.yml", "docs/edit.md", "Makefile", "src/credits.py"),
]


def best(query: str, files: list[str] = FILES, recent: dict[str, int] | None = None) -> list[str]:
    index = PathIndex()
    index.add(files)
    search = index.search(query, recent or {})
    for _ in search:
        pass
    return search.best()


def test_a_name_goes_before_its_beginning_and_that_before_parts() -> None:
    found = best("edit")
    assert found[:3] == ["docs/edit.md", "src/tui/editor.py", "src/tui/widgets/editor/"]
    assert found.index("src/credits.py") > found.index("src/tui/editor.py")


def test_signs_are_taken_literally() -> None:
    assert "app/[id]/page.tsx" in best("[id")
    assert best("a(") == ["a(b).txt"]
    assert best("c++") == ["c++.md"]
    assert best("[idpage") == ["app/[id]/page.tsx"]


def test_parts_of_the_path_in_their_order() -> None:
    assert best("tuied")[0] == "src/tui/editor.py"
    assert best("tui/ed")[0] == "src/tui/editor.py"
    assert best("zzz") == []


def test_a_folder_shows_what_lies_in_it() -> None:
    assert best("src/")[:3] == ["src/tui/", "src/credits.py", "src/tui/app.py"]


def test_nothing_typed_shows_the_top_and_what_was_used() -> None:
    assert best("")[:4] == ["app/", "docs/", "src/", ".github/"]
    assert best("", recent={"src/tui/app.py": 0, "gone.py": 1})[0] == "src/tui/app.py"
    assert "gone.py" not in best("", recent={"gone.py": 1})


def test_what_was_used_comes_first() -> None:
    assert best("e", recent={"src/credits.py": 0})[0] == "src/credits.py"


def test_a_hundred_thousand_paths_are_looked_through_in_small_steps() -> None:
    files = [f"package{number % 1000}/module{number}.py" for number in range(100_000)]
    index = PathIndex()
    index.add(files)
    search = index.search("package77/module99077", {})
    steps = sum(1 for _ in search)
    assert steps > 20
    assert search.best() == ["package77/module99077.py"]
    assert len(index.search("e", {}).best()) <= SHOWN


def test_names_with_line_breaks_cannot_be_mentioned() -> None:
    assert best("bad", ["bad\nname.py"]) == []
