from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from pi_term.base.paths import AppPaths
from pi_term.coding.resources.project import ProjectFolder, protected_resources
from pi_term.coding.trust import TrustDecision, TrustStore, resolve_trust
from pi_term.coding.ui_bridge import NullUi


class Person(NullUi):
    """Picks the option with this number and remembers what it was shown."""

    def __init__(self, pick: int) -> None:
        self.pick = pick
        self.asked: list[str] = []

    async def select(self, title: str, options: Sequence[str], *, timeout: float | None = None) -> str | None:
        self.asked.append(title)
        return options[self.pick]


TRUST, TRUST_PARENT, TRUST_NOW, REFUSE, REFUSE_NOW = range(5)


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppPaths:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return AppPaths.from_env({"PI_TERM_HOME": str(tmp_path / "home" / "cfg")})


@pytest.fixture
def store(paths: AppPaths) -> TrustStore:
    return TrustStore.of(paths)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that brings settings and a skill."""
    project = tmp_path / "code" / "project"
    put(project / ".pi" / "settings.json", "{}")
    put(project / ".agents" / "skills" / "x" / "SKILL.md", "")
    return project


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_what_needs_trust(tmp_path: Path, folder: Path) -> None:
    found = protected_resources(folder)
    assert found == (folder / ".pi" / "settings.json", folder / ".agents" / "skills")
    below = folder / "src"
    below.mkdir()
    assert protected_resources(below) == (folder / ".agents" / "skills",)
    (below / ".git").mkdir()
    assert protected_resources(below) == ()
    for name in ("SYSTEM.md", "APPEND_SYSTEM.md", "extensions/a.py", "themes/a.json", "keymaps/a.json"):
        each = tmp_path / name.replace("/", "_")
        put(each / ".pi" / name, "x")
        assert [str(path.relative_to(each / ".pi")) for path in protected_resources(each)] == [
            name.split("/")[0]
        ]


def test_the_users_own_skills_are_no_projects(paths: AppPaths, tmp_path: Path) -> None:
    put(tmp_path / "home" / ".agents" / "skills" / "x" / "SKILL.md", "")
    assert protected_resources(tmp_path / "home") == ()


@pytest.mark.parametrize("inside", [[], ["skills"], ["notes.txt"]])
async def test_an_empty_configuration_folder_does_not_ask(
    store: TrustStore, tmp_path: Path, inside: list[str]
) -> None:
    own = tmp_path / "project" / ".pi"
    own.mkdir(parents=True)
    for name in inside:
        (own / name).mkdir() if "." not in name else (own / name).write_text("")
    person = Person(TRUST)
    decision = await resolve_trust(own.parent, store, "ask", person)
    assert (decision.trusted, decision.source, person.asked) == (False, "nothing", [])
    assert decision.notice() is None


@pytest.mark.parametrize(
    ("pick", "trusted", "stored"),
    [
        (TRUST, True, {"code/project": True}),
        (TRUST_PARENT, True, {"code": True}),
        (TRUST_NOW, True, None),
        (REFUSE, False, {"code/project": False}),
        (REFUSE_NOW, False, None),
    ],
)
async def test_the_answer_is_stored_as_pi_stores_it(
    paths: AppPaths,
    store: TrustStore,
    tmp_path: Path,
    folder: Path,
    pick: int,
    trusted: bool,
    stored: dict[str, bool] | None,
) -> None:
    person = Person(pick)
    decision = await resolve_trust(folder, store, "ask", person)
    assert (decision.trusted, decision.source) == (trusted, "asked")
    assert str(folder) in person.asked[0]
    assert ".pi/settings.json" in person.asked[0]
    if stored is None:
        assert not paths.trust_file.exists()
    else:
        expected = {str(tmp_path / name): value for name, value in stored.items()}
        assert json.loads(paths.trust_file.read_text()) == expected


async def test_a_no_holds_for_the_next_start_and_a_yes_for_subfolders(
    store: TrustStore, folder: Path
) -> None:
    await resolve_trust(folder, store, "ask", Person(REFUSE))
    person = Person(TRUST)
    decision = await resolve_trust(folder, store, "always", person)
    assert (decision.trusted, decision.source, person.asked) == (False, "saved", [])

    below = folder / "sub"
    put(below / ".pi" / "SYSTEM.md", "x")
    assert (await resolve_trust(below, store, "ask", person)).source == "saved"
    store.remember(below, True)
    assert (await resolve_trust(below, store, "ask", person)).trusted
    assert store.decision(folder) is False
    assert store.decision(folder.parent) is None


async def test_a_link_to_a_folder_is_that_folder(store: TrustStore, folder: Path, tmp_path: Path) -> None:
    store.remember(folder, True)
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert store.decision(link) is True


async def test_nobody_there_means_no_and_says_what_was_skipped(
    paths: AppPaths, store: TrustStore, folder: Path
) -> None:
    decision = await resolve_trust(folder, store, "ask", NullUi())
    assert (decision.trusted, decision.source) == (False, "unanswered")
    notice = decision.notice()
    assert notice is not None
    assert ".pi/settings.json, .agents/skills" in notice.text()
    assert str(folder) in notice.text()
    assert not paths.trust_file.exists()


@pytest.mark.parametrize(("default", "trusted"), [("always", True), ("never", False)])
async def test_the_setting_decides_without_asking(
    store: TrustStore, folder: Path, default: str, trusted: bool
) -> None:
    person = Person(TRUST)
    decision = await resolve_trust(folder, store, default, person)  # type: ignore[arg-type]
    assert (decision.trusted, decision.source, person.asked) == (trusted, "setting", [])


async def test_a_flag_wins_over_everything_and_stores_nothing(
    paths: AppPaths, store: TrustStore, folder: Path
) -> None:
    assert (await resolve_trust(folder, store, "never", NullUi(), override=True)).trusted
    assert not paths.trust_file.exists()
    store.remember(folder, True)
    refused = await resolve_trust(folder, store, "always", NullUi(), override=False)
    assert (refused.trusted, refused.source) == (False, "flag")
    assert len(refused.skipped) == 2


async def test_a_broken_store_asks_again_and_is_left_alone(
    paths: AppPaths, store: TrustStore, folder: Path
) -> None:
    put(paths.trust_file, '{"/": true')
    decision = await resolve_trust(folder, store, "ask", Person(TRUST))
    assert decision.trusted
    assert store.problem is not None
    assert decision.problem is not None
    assert "this run only" in decision.problem.message
    assert paths.trust_file.read_text() == '{"/": true'


async def test_other_entries_stay(paths: AppPaths, store: TrustStore, folder: Path) -> None:
    put(paths.trust_file, '{"/elsewhere": false, "/odd": null}')
    store.remember(folder, True)
    assert json.loads(paths.trust_file.read_text()) == {
        "/elsewhere": False,
        "/odd": None,
        str(folder): True,
    }


async def test_a_hostile_folder_name_cannot_steer_the_terminal(store: TrustStore, tmp_path: Path) -> None:
    folder = tmp_path / "a\x1b]0;evil\x07b\nc"
    put(folder / ".pi" / "settings.json", "{}")
    person = Person(REFUSE_NOW)
    await resolve_trust(folder, store, "ask", person)
    assert "\x1b" not in person.asked[0]
    assert "\x07" not in person.asked[0]


def test_the_gate_gives_no_path_without_trust(folder: Path) -> None:
    assert ProjectFolder(folder, False).path("settings.json") is None
    assert ProjectFolder(folder, True).path("settings.json") == folder / ".pi" / "settings.json"
    assert TrustDecision(folder, True, "flag", (folder,)).skipped == ()
