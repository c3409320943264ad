"""Prompt history: in memory, in a file that several programs share, and the walk through it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pi_term.tui.widgets.editor import history as module
from pi_term.tui.widgets.editor.history import Browser, PromptHistory
from pi_term.tui.widgets.editor.paste import Block, Draft


def texts(history: PromptHistory) -> list[str]:
    return [draft.text for draft in history.entries]


def test_prompts_outlive_the_program_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "history.jsonl"
    first = PromptHistory(path)
    first.add(Draft.of("one"))
    first.add(Draft(("see ", Block(1, "a\nb\n" * 20), " and\nthis")))
    second = PromptHistory(path)
    assert texts(second) == ["one", "see " + "a\nb\n" * 20 + " and\nthis"]
    assert isinstance(second.entries[1].parts[1], Block)
    assert second.entries[1].cursor == second.entries[1].length
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_repeats_and_blanks_are_not_remembered(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "h.jsonl")
    for text in ("one", "one", " \n", "two", "one"):
        history.add(Draft.of(text))
    assert texts(history) == ["one", "two", "one"]
    assert texts(PromptHistory(tmp_path / "h.jsonl")) == ["one", "two", "one"]


def test_what_may_be_a_key_is_not_remembered(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "h.jsonl")
    for text in ("/login", "/login sk-secret", " /login anthropic sk-secret", "login later"):
        history.add(Draft.of(text))
    assert texts(history) == ["/login", "login later"]
    assert "sk-secret" not in (tmp_path / "h.jsonl").read_text()


def test_two_programs_append_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    one, two = PromptHistory(path), PromptHistory(path)
    one.add(Draft.of("from one"))
    two.add(Draft.of("from two"))
    one.add(Draft.of("again one"))
    assert texts(PromptHistory(path)) == ["from one", "from two", "again one"]


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    path.write_bytes(b'{"text": "good"}\n{"text": "to\n[]\n{"text": 7}\n\xff\xfe\n{"text": "better"}')
    assert texts(PromptHistory(path)) == ["good", "better"]


def test_a_file_that_cannot_be_used_costs_only_itself(tmp_path: Path) -> None:
    folder = tmp_path / "h.jsonl"
    folder.mkdir()
    history = PromptHistory(folder)
    history.add(Draft.of("kept"))
    assert texts(history) == ["kept"]


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "KEPT", 3)
    history = PromptHistory(tmp_path / "h.jsonl")
    for number in range(5):
        history.add(Draft.of(str(number)))
    assert texts(history) == ["2", "3", "4"]
    assert texts(PromptHistory(tmp_path / "h.jsonl")) == ["2", "3", "4"]


def test_a_large_file_is_read_from_its_end_and_cut_down(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "_READ_BYTES", 400)
    monkeypatch.setattr(module, "_SHRINK_BYTES", 1000)
    path = tmp_path / "h.jsonl"
    writer = PromptHistory(path)
    for number in range(100):
        writer.add(Draft.of(f"prompt {number}"))
    size = path.stat().st_size
    kept = texts(PromptHistory(path))
    assert kept[-1] == "prompt 99"
    assert 5 < len(kept) < 100
    assert kept == [f"prompt {number}" for number in range(100 - len(kept), 100)]
    assert path.stat().st_size < size / 3
    assert texts(PromptHistory(path)) == kept


def test_a_huge_prompt_stays_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "_LINE_BYTES", 100)
    history = PromptHistory(tmp_path / "h.jsonl")
    history.add(Draft.of("x" * 200))
    assert texts(history) == ["x" * 200]
    assert texts(PromptHistory(tmp_path / "h.jsonl")) == []


def test_a_prompt_is_found_by_its_text_with_its_paste_folded() -> None:
    history = PromptHistory()
    draft = Draft(("x", Block(1, "content")))
    history.add(draft)
    history.add(Draft.of("other"))
    found = history.find("xcontent")
    assert found is not None
    assert found.parts == draft.parts
    assert history.find("nothing") is None


def test_walking_back_and_forth_keeps_draft_and_changes() -> None:
    history = PromptHistory()
    for text in ("old", "new"):
        history.add(Draft.of(text))
    walk = Browser(history)
    draft = Draft.of("draft")
    assert walk.newer(draft) is None
    shown = walk.older(draft)
    assert shown is not None
    assert shown.text == "new"
    assert walk.active
    assert walk.draft == draft
    edited = Draft.of("new, edited")
    shown = walk.older(edited)
    assert shown is not None
    assert shown.text == "old"
    assert walk.older(shown) is None
    assert walk.newer(shown) == edited
    assert walk.newer(edited) == draft
    assert not walk.active
    assert walk.newer(draft) is None


def test_an_empty_history_has_nothing_older() -> None:
    walk = Browser(PromptHistory())
    assert walk.older(Draft.of("x")) is None
    assert not walk.active
