"""Settings as people read and type them."""

from __future__ import annotations

from typing import Any

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.settings import schema
from pi_term.coding.settings.schema import SCHEMA, Setting
from pi_term.coding.settings.store import SettingsStore
from pi_term.tui.setting_rows import SettingRow, setting_rows
from pi_term.tui.setting_values import editable_text, read_value, value_text


@pytest.mark.parametrize(
    ("setting", "typed", "meant"),
    [
        (schema.THEME, "dark", "dark"),
        (schema.THEME, '"my theme"', "my theme"),
        (schema.DEFAULT_MODEL, "123", "123"),
        (schema.RETRY_MAX, " 7 ", 7),
        (schema.HTTP_IDLE_TIMEOUT, "disabled", "disabled"),
        (schema.ENABLED_MODELS, "a/*, b/c:high", ["a/*", "b/c:high"]),
        (schema.ENABLED_MODELS, '["a, b"]', ["a, b"]),
        (schema.THINKING_BUDGETS, '{"low": 100}', {"low": 100}),
    ],
)
def test_what_is_typed(setting: Setting[Any], typed: str, meant: object) -> None:
    assert read_value(SettingRow(setting), typed) == meant


@pytest.mark.parametrize(
    ("setting", "typed"),
    [
        (schema.RETRY_MAX, "many"),
        (schema.RETRY_MAX, "-1"),
        (schema.ENABLED_MODELS, '["a"'),
        (schema.THINKING_BUDGETS, '{"sometimes": 100}'),
    ],
)
def test_what_is_no_value_is_told_with_what_would_be(setting: Setting[Any], typed: str) -> None:
    with pytest.raises(PiTermError, match=r"must be"):
        read_value(SettingRow(setting), typed)


@pytest.mark.parametrize("key", SCHEMA)
def test_what_is_shown_to_be_edited_can_be_typed(key: str) -> None:
    setting = SCHEMA[key]
    if setting.default is None or setting.kind.options is not None:
        return
    typed = read_value(SettingRow(setting), editable_text(setting.default))
    clean = setting.kind.clean(typed, lambda path, message: pytest.fail(message))
    assert clean == setting.default


def test_values_in_a_list() -> None:
    assert value_text(None) == "not set"
    assert value_text("  ") == '"  "'
    assert value_text(("a", "b")) == "a, b"
    assert value_text(()) == "none"
    assert value_text(("a, b", "c")) == '["a, b","c"]'


def test_every_setting_has_a_row_in_a_group() -> None:
    rows = list(setting_rows(SettingsStore()))
    assert all(group for group, _ in rows)
    assert {row.setting.key for _, row in rows} == set(SCHEMA)
    assert [row.key for _, row in rows if row.member] == [
        f"thinkingBudgets.{level}" for level in ("minimal", "low", "medium", "high")
    ]
