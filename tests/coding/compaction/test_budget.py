"""How many tokens start a compaction, and how many it keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.models import Model
from pi_term.base import json
from pi_term.base.errors import PiTermError
from pi_term.coding.compaction.budget import Budget, budget_of
from pi_term.coding.settings.store import SettingsStore

BIG = Model("big/one", "some", "api", context_window=1_000_000)
USUAL = Model("usual", "some", "api", context_window=200_000)


def settings(folder: Path, **compaction: Any) -> SettingsStore:
    file = folder / "settings.json"
    file.write_text(json.dumps_str({"compaction": compaction}, indent=True))
    return SettingsStore(file, locks=folder)


def test_defaults() -> None:
    assert budget_of(SettingsStore(), USUAL) == Budget(16_384, 20_000, 200_000 - 16_384)


def test_each_number_of_an_override_falls_back_by_itself(tmp_path: Path) -> None:
    store = settings(
        tmp_path,
        keepRecentTokens=30_000,
        modelOverrides={"some/big/one": {"reserveTokens": 400_000}, "some/other": {"keepRecentTokens": 1}},
    )
    assert budget_of(store, BIG) == Budget(400_000, 30_000, 600_000)
    assert budget_of(store, USUAL) == Budget(16_384, 30_000, 200_000 - 16_384)


def test_a_small_window_keeps_room_for_what_comes() -> None:
    budget = budget_of(SettingsStore(), Model("small", "some", "api", context_window=8_000))
    assert budget == Budget(4_000, 2_000, 4_000)


@pytest.mark.parametrize("number", [-1, 2.5, "12", True, [], 2**53])
def test_a_bad_override_is_named_and_not_replaced_by_another_number(tmp_path: Path, number: object) -> None:
    store = settings(tmp_path, modelOverrides={"some/big/one": {"reserveTokens": number}})
    with pytest.raises(PiTermError) as caught:
        budget_of(store, BIG)
    assert caught.value.code == "bad_setting"
    assert "compaction.modelOverrides.some/big/one.reserveTokens" in caught.value.message
    assert "whole number" in caught.value.message
    assert "settings.json, line 5" in caught.value.hint
    budget_of(store, USUAL)  # is not concerned


@pytest.mark.parametrize(
    ("compaction", "key"),
    [
        ({"modelOverrides": {"some/usual": 3}}, "compaction.modelOverrides.some/usual"),
        ({"modelOverrides": []}, "compaction.modelOverrides"),
        ({"keepRecentTokens": -5}, "compaction.keepRecentTokens"),
    ],
)
def test_other_bad_shapes_are_named_too(tmp_path: Path, compaction: dict[str, Any], key: str) -> None:
    with pytest.raises(PiTermError, match=f"^{key} must be"):
        budget_of(settings(tmp_path, **compaction), USUAL)
