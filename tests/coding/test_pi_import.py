"""Taking over a folder of Pi's: all that can be, and nothing of ours changed."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pi_term.base import json
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.coding.pi_import import import_pi, is_pi_folder, summary_of

HEADER = {"type": "session", "version": 3, "id": "01a2", "timestamp": "2026-01-02T03:04:05.678Z", "cwd": "/w"}
SAID = {
    "type": "message",
    "id": "a1",
    "parentId": None,
    "timestamp": "2026-01-02T03:04:06.000Z",
    "message": {"role": "user", "content": "hello", "timestamp": 1},
}
SESSION = "sessions/--w--/2026-01-02T03-04-05-678Z_01a2.jsonl"
FILES = {
    SESSION: "".join(json.dumps_str(each) + "\n" for each in (HEADER, SAID)),
    "settings.json": '{"theme": "mine", "packages": ["npm:x"],'
    ' "compaction": {"enabled": false, "reserveTokens": 9}}',
    "models.json": '{"providers": {"mock": {"baseUrl": "http://x/v1", "api": "openai-completions"}}}',
    "auth.json": '{"openai": {"type": "api_key", "key": "sk-pi"},'
    ' "groq": {"type": "api_key", "key": "$GROQ"},'
    ' "anthropic": {"type": "oauth", "access": "a", "refresh": "r", "expires": 1}}',
    "themes/mine.json": '{"name": "mine"}',
    "prompts/review.md": "Review $1",
    "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: d\n---\n",
    "skills/pdf/run.sh": "#!/bin/sh\n",
    "AGENTS.md": "Be brief.",
    "keybindings.json": '{"app.session.tree": "alt+y"}',
}


@pytest.fixture
def pi(tmp_path: Path) -> Path:
    folder = tmp_path / "pi"
    write(folder, FILES)
    (folder / "skills/pdf/run.sh").chmod(0o755)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def paths_in(home: Path) -> AppPaths:
    return AppPaths(home, home, home, home)


def content(folder: Path) -> dict[str, bytes]:
    hidden = (".auth.json.lock", "locks")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not any(part in hidden for part in path.parts)
    }


async def test_everything_comes_over_and_a_second_time_changes_nothing(pi: Path, home: Path) -> None:
    original = content(pi)
    report = await import_pi(pi, paths_in(home))
    taken = {name: sorted(part.taken) for name, part in report.parts.items()}
    assert taken == {
        "sessions": [Path(SESSION).stem],
        "settings": ["compaction", "keybindings.json", "theme"],
        "models": ["mock"],
        "keys": ["groq", "openai"],
        "themes": ["mine.json"],
        "prompts": ["AGENTS.md", "review.md"],
        "skills": ["pdf"],
    }
    assert (home / SESSION).read_text() == FILES[SESSION]
    assert json.loads((home / "auth.json").read_bytes()) == {
        "openai": {"type": "api_key", "key": "sk-pi"},
        "groq": {"type": "api_key", "key": "$GROQ"},
    }
    assert stat.S_IMODE((home / "auth.json").stat().st_mode) == 0o600
    assert (home / "skills/pdf/run.sh").stat().st_mode & stat.S_IXUSR
    assert report["keys"].left == ["anthropic: two programs cannot share a sign-in"]
    assert "packages" in report.text()
    assert "sk-pi" not in report.text()

    after = content(home)
    again = await import_pi(pi, paths_in(home))
    assert again.taken == 0
    assert not any(part.differs for part in again.parts.values())
    assert content(home) == after
    assert content(pi) == original


async def test_what_is_here_already_stays_and_is_told(pi: Path, home: Path) -> None:
    ours = {
        "settings.json": '{\n  // mine\n  "theme": "light", "compaction": {"enabled": true}\n}\n',
        "models.json": '{"providers": {"mock": {"baseUrl": "http://y/v1", "api": "openai-completions"}}}',
        "auth.json": '{"openai": {"type": "api_key", "key": "sk-ours"}}',
        "themes/mine.json": '{"name": "mine", "of": "ours"}',
        "prompts/review.md": "Mine",
        "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: ours\n---\n",
        SESSION: FILES[SESSION].replace("hello", "other"),
    }
    write(home, ours)
    report = await import_pi(pi, paths_in(home))
    differs = {name: part.differs for name, part in report.parts.items() if part.differs}
    assert differs == {
        "sessions": [Path(SESSION).stem],
        "settings": ["theme", "compaction.enabled"],
        "models": ["mock"],
        "keys": ["openai"],
        "themes": ["mine.json"],
        "prompts": ["review.md"],
        "skills": ["pdf"],
    }
    untouched = [name for name in ours if name not in ("settings.json", "auth.json")]
    assert {name: (home / name).read_text() for name in untouched} == {name: ours[name] for name in untouched}
    settings = (home / "settings.json").read_text()
    assert '"theme": "light"' in settings
    assert "// mine" in settings
    assert '"reserveTokens": 9' in settings  # what was not set here came
    keys = json.loads((home / "auth.json").read_bytes())
    assert keys["openai"]["key"] == "sk-ours"
    assert keys["groq"]["key"] == "$GROQ"
    assert not (home / "skills/pdf/run.sh").exists()
    assert "kept as it is here: theme, compaction.enabled" in report.text()


async def test_a_session_that_went_on_here_is_there_already(pi: Path, home: Path) -> None:
    await import_pi(pi, paths_in(home))
    with (home / SESSION).open("a") as file:
        file.write(json.dumps_str({**SAID, "id": "a2", "parentId": "a1"}) + "\n")
    again = await import_pi(pi, paths_in(home))
    assert (again["sessions"].there, again["sessions"].differs) == ([Path(SESSION).stem], [])


async def test_broken_files_are_told_and_the_rest_comes(pi: Path, home: Path) -> None:
    write(
        pi, {"settings.json": '{"theme": ', "auth.json": "[]", "sessions/--w--/notes.jsonl": "no session\n"}
    )
    write(home, {"models.json": "{broken"})
    report = await import_pi(pi, paths_in(home))
    for name in ("settings", "keys", "models", "sessions"):
        assert report[name].left, name
    assert report["sessions"].taken
    assert report["themes"].taken
    assert (home / "models.json").read_text() == "{broken"


async def test_a_folder_that_is_not_pis_is_refused(pi: Path, home: Path, tmp_path: Path) -> None:
    with pytest.raises(PiTermError, match="no folder of Pi's"):
        await import_pi(tmp_path / "nowhere", paths_in(home))
    with pytest.raises(PiTermError, match="own folder"):
        await import_pi(pi, paths_in(pi))


def test_what_is_there_in_a_few_words(pi: Path) -> None:
    assert summary_of(pi) == "1 session · keys of openai, groq, anthropic · themes · prompts · skills"


@pytest.mark.parametrize(("name", "text", "is_something"), [
    ("auth.json", "{}", False),
    ("settings.json", "", False),
    ("settings.json", '{"theme": "dark"}', True),
    ("sessions/--work--/a.jsonl", "x", True),
])  # fmt: skip
def test_a_folder_that_holds_nothing_is_not_offered(
    tmp_path: Path, name: str, text: str, is_something: bool
) -> None:
    ours = AppPaths(*[tmp_path / "ours"] * 4)
    file = tmp_path / "pi" / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert is_pi_folder(tmp_path / "pi", ours) is is_something
