from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.coding.resources.project import ProjectFolder
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import Origin, SettingsStore


@pytest.fixture
def paths(tmp_path: Path) -> AppPaths:
    home = tmp_path / "home"
    home.mkdir()
    return AppPaths.from_env({"PI_TERM_HOME": str(home)})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "proj" / ".pi").mkdir(parents=True)
    return tmp_path / "proj"


def write_user(paths: AppPaths, text: str | bytes) -> Path:
    paths.settings_file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return paths.settings_file


def write_project(project: Path, data: dict[str, Any]) -> Path:
    file = project / ".pi" / "settings.json"
    file.write_text(json.dumps(data))
    return file


def test_defaults_without_any_file(paths: AppPaths) -> None:
    store = SettingsStore.load(paths)
    assert store.get(schema.DEFAULT_TOOLS) == ("read", "bash", "edit", "write")
    assert store.get("compaction.reserveTokens") == 16384
    assert store.get(schema.DEFAULT_MODEL) is None
    assert store.origin("theme") == Origin("default")
    assert store.diagnostics == []


def test_layers_override_each_other_and_each_value_knows_its_origin(paths: AppPaths, project: Path) -> None:
    user = write_user(paths, '{"theme": "light", "steeringMode": "all", "retry": {"maxRetries": 7}}')
    theirs = write_project(project, {"theme": "dark", "retry": {"enabled": False}})
    store = SettingsStore.load(paths, ProjectFolder(project, True), {"retry.maxRetries": 9})
    assert (store.get("theme"), store.origin("theme")) == ("dark", Origin("project", theirs))
    assert (store.get("steeringMode"), store.origin("steeringMode")) == ("all", Origin("user", user))
    assert (store.get(schema.RETRY_MAX), store.origin("retry.maxRetries")) == (9, Origin("flag"))
    assert store.get(schema.RETRY_ENABLED) is False


def test_an_untrusted_project_changes_nothing(paths: AppPaths, project: Path) -> None:
    write_project(project, {"theme": "evil", "httpProxy": "http://evil", "shellCommandPrefix": "touch x;"})
    store = SettingsStore.load(paths, ProjectFolder(project, False))
    assert store.get("theme") == "light/dark"
    assert store.get(schema.SHELL_PREFIX) is None
    assert store.get(schema.HTTP_PROXY) is None


def test_even_a_trusted_project_cannot_set_what_is_the_users(paths: AppPaths, project: Path) -> None:
    write_project(project, {"httpProxy": "http://evil", "defaultProjectTrust": "always"})
    store = SettingsStore.load(paths, ProjectFolder(project, True))
    assert store.get(schema.HTTP_PROXY) is None
    assert store.get(schema.DEFAULT_PROJECT_TRUST) == "ask"
    assert [found.key for found in store.diagnostics] == ["defaultProjectTrust", "httpProxy"]


def test_objects_merge_by_entry_and_tools_by_change(paths: AppPaths, project: Path) -> None:
    write_user(
        paths, '{"modelThinkingLevels": {"a/b": "low", "a/c": "high"}, "defaultTools": ["+grep", "-write"]}'
    )
    write_project(project, {"modelThinkingLevels": {"a/b": "off"}, "defaultTools": ["-bash"]})
    store = SettingsStore.load(paths, ProjectFolder(project, True))
    assert store.get(schema.MODEL_THINKING_LEVELS) == {"a/b": "off", "a/c": "high"}
    assert store.get(schema.DEFAULT_TOOLS) == ("read", "edit", "grep")


@pytest.mark.parametrize(
    ("base", "changes", "result"),
    [
        ("a b", [], ""),
        ("a b", ["c"], "c"),
        ("a b", ["+c", "-a"], "b c"),
        ("a b", ["-a", "+a"], "b a"),
        ("a b", ["c", "+d", "-c"], "d"),
        ("a b", ["-x"], "a b"),
    ],
)
def test_change_selection(base: str, changes: list[str], result: str) -> None:
    assert list(schema.change_selection(base.split(), changes)) == result.split()


def test_disabled_timeouts_are_zero(paths: AppPaths) -> None:
    write_user(paths, '{"httpIdleTimeoutMs": "disabled"}')
    store = SettingsStore.load(paths)
    assert store.get(schema.HTTP_IDLE_TIMEOUT) == 0


def test_one_bad_key_is_named_and_the_others_apply(paths: AppPaths) -> None:
    text = '{\n  "theme": "light",\n  "retry": {\n    "maxRetries": "many"\n  },\n  "compaction": false\n}'
    file = write_user(paths, text)
    store = SettingsStore.load(paths)
    assert store.get("theme") == "light"
    assert store.get("retry.maxRetries") == 3
    assert store.get("compaction.enabled") is True
    assert [found.text() for found in store.diagnostics] == [
        f"{file}:6: compaction: must be an object",
        f"{file}:4: retry.maxRetries: must be a whole number of at least 0",
    ]


@pytest.mark.parametrize("text", ['{"theme": "light"', '{"a": 1\n "theme": "x"}', "[]"])
def test_a_broken_file_is_named_never_overwritten_and_changes_hold_for_the_run(
    paths: AppPaths, project: Path, text: str
) -> None:
    file = write_user(paths, text)
    write_project(project, {"steeringMode": "all"})
    store = SettingsStore.load(paths, ProjectFolder(project, True))
    assert store.diagnostics[0].file == file
    assert store.diagnostics[0].severity == "error"
    assert store.get("steeringMode") == "all"

    told = store.set("theme", "dark")
    assert told is not None
    assert "this run only" in told.message
    assert str(file) in told.text()
    assert store.get("theme") == "dark"
    assert store.origin("theme") == Origin("user", None, held=True)
    assert file.read_text() == text

    file.write_text("{}")
    store.reload()
    assert store.get("theme") == "dark"
    assert store.set("theme", "dark") is None
    assert json.loads(file.read_text()) == {"theme": "dark"}
    assert store.origin("theme") == Origin("user", file)


def test_a_comment_and_a_byte_order_mark_are_kept(paths: AppPaths) -> None:
    file = write_user(paths, b'\xef\xbb\xbf{\r\n  // mine\r\n  "theme": "light"\r\n}\r\n')
    store = SettingsStore.load(paths)
    assert store.diagnostics == []
    assert store.get("theme") == "light"
    assert store.set(schema.THEME, "dark") is None
    assert file.read_bytes() == b'\xef\xbb\xbf{\r\n  // mine\r\n  "theme": "dark"\r\n}\r\n'


def test_set_keeps_references_foreign_keys_and_what_another_process_wrote(paths: AppPaths) -> None:
    file = write_user(paths, '{"zeta": "$MY_KEY", "theme": "light", "lsp": {"b": 1, "a": "$X"}}')
    store = SettingsStore.load(paths)
    file.write_text(
        '{"zeta": "$MY_KEY", "theme": "light", "lsp": {"b": 1, "a": "$X"}, "steeringMode": "all"}'
    )
    assert store.set("theme", "dark") is None
    assert file.read_text() == (
        '{"zeta": "$MY_KEY", "theme": "dark", "lsp": {"b": 1, "a": "$X"}, "steeringMode": "all"}'
    )
    assert store.get("steeringMode") == "all"


def test_a_new_file_is_private_and_nothing_is_left_beside_it(paths: AppPaths, tmp_path: Path) -> None:
    deep = AppPaths(tmp_path / "c", tmp_path / "d", tmp_path / "s", tmp_path / "k")
    assert SettingsStore.load(deep).set("retry.maxRetries", 8) is None
    assert [each.name for each in deep.config.iterdir()] == ["settings.json"]
    assert deep.settings_file.stat().st_mode & 0o777 == 0o600
    assert json.loads(deep.settings_file.read_text()) == {"retry": {"maxRetries": 8}}


def test_a_linked_file_stays_a_link(paths: AppPaths, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    paths.settings_file.symlink_to(real)
    assert SettingsStore.load(paths).set("theme", "dark") is None
    assert paths.settings_file.is_symlink()
    assert json.loads(real.read_text()) == {"theme": "dark"}


def test_a_folder_in_the_way_holds_the_change_for_the_run(paths: AppPaths) -> None:
    paths.settings_file.mkdir()
    store = SettingsStore.load(paths)
    told = store.set("theme", "dark")
    assert told is not None
    assert store.get("theme") == "dark"


def test_project_scope_writes_the_projects_file(paths: AppPaths, project: Path) -> None:
    store = SettingsStore.load(paths, ProjectFolder(project, True))
    assert store.set("theme", "dark", "project") is None
    assert json.loads((project / ".pi" / "settings.json").read_text()) == {"theme": "dark"}
    assert sorted(each.name for each in (project / ".pi").iterdir()) == ["settings.json"]
    assert not paths.settings_file.exists()
    for refused in (store, SettingsStore.load(paths, ProjectFolder(project, False))):
        with pytest.raises(PiTermError) as caught:
            refused.set(schema.HTTP_PROXY, "http://x", "project")
        assert caught.value.code == "not_allowed"


def test_bad_values_and_unknown_keys_are_refused(paths: AppPaths) -> None:
    store = SettingsStore.load(paths)
    for key, value in (("retry.maxRetries", "x"), ("defaultTools", ["a", 1]), ("theme", None)):
        with pytest.raises(PiTermError) as caught:
            store.set(key, value)
        assert caught.value.code == "bad_setting"
        assert key in caught.value.message
    assert not paths.settings_file.exists()
    with pytest.raises(PiTermError):
        store.get("nosuch")
    with pytest.raises(PiTermError):
        SettingsStore.load(paths, overrides={"editorPaddingX": 7})


def test_a_store_without_files_remembers_for_its_life() -> None:
    store = SettingsStore(overrides={"theme": "light"})
    assert store.set("steeringMode", "all") is None
    assert store.get("steeringMode") == "all"
    assert store.get("theme") == "light"
    with pytest.raises(ValueError, match="locks"):
        SettingsStore(Path("settings.json"))


def set_many(home: str, key: str, values: list[Any]) -> None:
    store = SettingsStore.load(AppPaths.from_env({"PI_TERM_HOME": home}))
    for value in values:
        assert store.set(key, value) is None


def test_two_processes_lose_nothing(paths: AppPaths) -> None:
    write_user(paths, '{"own": "$KEEP"}')
    spawn = multiprocessing.get_context("spawn")
    changes: list[tuple[str, list[Any]]] = [
        ("retry.maxRetries", list(range(15))),
        ("theme", [f"t{number}" for number in range(15)]),
    ]
    workers = [
        spawn.Process(target=set_many, args=(str(paths.config), key, values)) for key, values in changes
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert json.loads(paths.settings_file.read_text()) == {
        "own": "$KEEP",
        "retry": {"maxRetries": 14},
        "theme": "t14",
    }


def test_a_reset_setting_leaves_the_rest_of_the_file_as_it_is(paths: AppPaths) -> None:
    file = write_user(paths, '{\n  // mine\n  "theme": "light",\n  "odd": [1],\n}\n')
    store = SettingsStore.load(paths)
    assert store.unset("theme") is None
    assert store.get("theme") == "light/dark"
    assert store.origin("theme") == Origin("default")
    assert file.read_text() == '{\n  // mine\n  "odd": [1],\n}\n'
    assert store.unset("theme") is None


def test_a_reset_that_cannot_be_written_holds_for_this_run(paths: AppPaths) -> None:
    write_user(paths, '{"theme": "light"}')
    store = SettingsStore.load(paths)
    write_user(paths, '{"theme": "light", oops')
    problem = store.unset("theme")
    assert problem is not None
    assert "for this run only" in problem.text()
    assert store.get("theme") == "light/dark"


def test_a_store_takes_over_what_another_could_not_write(paths: AppPaths) -> None:
    write_user(paths, '{"theme": "light", "steeringMode": "all"}')
    old = SettingsStore.load(paths)
    broken = '{"theme": "light", oops'
    write_user(paths, broken)
    old.set("retry.maxRetries", 9)
    old.unset("steeringMode")
    write_user(paths, '{"theme": "light", "steeringMode": "all"}')
    new = SettingsStore.load(paths)
    new.keep_changes_of(old)
    assert (new.get("retry.maxRetries"), new.get("steeringMode")) == (9, "one-at-a-time")
    assert new.get("theme") == "light"


FOREIGN = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda key: key not in {"theme", "retry"}),
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=5) | st.just("$SECRET"),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
        max_leaves=6,
    ),
    max_size=4,
)


@given(FOREIGN, st.booleans(), st.integers(0, 99))
@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_set_changes_nothing_else(
    paths: AppPaths, foreign: dict[str, Any], nested: bool, retries: int
) -> None:
    start = {**foreign, "retry": {"other": "$X"}} if nested else foreign
    write_user(paths, json.dumps(start, ensure_ascii=False))
    assert SettingsStore.load(paths).set("retry.maxRetries", retries) is None
    after = json.loads(paths.settings_file.read_text())
    retry = after.pop("retry")
    assert retry == ({"other": "$X", "maxRetries": retries} if nested else {"maxRetries": retries})
    assert json.dumps(after) == json.dumps(foreign)


def test_a_member_of_an_object_is_changed_and_taken_out_alone(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    begun = '{\n  // mine\n  "thinkingBudgets": {"low": 100}, // few\n  "odd": 1\n}\n'
    file.write_text(begun)
    store = SettingsStore(file, locks=tmp_path / "locks")
    assert store.set("thinkingBudgets", 900, member=["high"]) is None
    assert store.get("thinkingBudgets") == {"low": 100, "high": 900}
    assert file.read_text() == begun.replace("100}", '100, "high": 900}')
    with pytest.raises(PiTermError, match=r"thinkingBudgets\.low must be a whole number"):
        store.set("thinkingBudgets", "few", member=["low"])
    store.unset("thinkingBudgets", member=["high"])
    assert file.read_text() == begun
    overrides = "compaction.modelOverrides"
    for name, size in (("reserveTokens", 5), ("keepRecentTokens", 6)):
        store.set(overrides, size, member=["p/m.1", name])
    store.set(overrides, 7, member=["p/n", "reserveTokens"])
    store.unset(overrides, member=["p/m.1", "reserveTokens"])
    assert store.get(overrides) == {"p/m.1": {"keepRecentTokens": 6}, "p/n": {"reserveTokens": 7}}
    store.unset(overrides, member=["p/m.1", "keepRecentTokens"])
    assert "p/m.1" not in file.read_text()
    store.unset(overrides, member=["p/n", "reserveTokens"])
    assert "modelOverrides" not in file.read_text()
    assert store.get(overrides) == {}


def test_a_member_that_cannot_be_read_stays_when_another_one_is_taken_out(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"thinkingBudgets": {"low": 100, "high": "many"}}')
    store = SettingsStore(file, locks=tmp_path / "locks")
    store.reload()
    assert store.get("thinkingBudgets") == {"low": 100}
    store.unset("thinkingBudgets", member=["low"])
    assert json.loads(file.read_text()) == {"thinkingBudgets": {"high": "many"}}


def test_a_member_of_what_cannot_be_written_holds_for_this_run(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{broken")
    store = SettingsStore(file, locks=tmp_path / "locks")
    assert store.set("thinkingBudgets", 900, member=["high"]) is not None
    assert store.set("thinkingBudgets", 100, member=["low"]) is not None
    assert store.get("thinkingBudgets") == {"high": 900, "low": 100}
    assert store.unset("thinkingBudgets", member=["high"]) is not None
    assert store.get("thinkingBudgets") == {"low": 100}


def test_where_nothing_can_be_written_a_setting_holds_for_this_run(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where a folder should be")
    store = SettingsStore.load(AppPaths.from_env({"PI_TERM_HOME": str(tmp_path / "home")}))
    for problem in (store.set(schema.HIDE_THINKING, True), store.set("hideThinkingBlock", True)):
        assert problem is not None
        assert "hideThinkingBlock holds for this run only: Cannot write" in problem.text()
    assert store.get(schema.HIDE_THINKING) is True
