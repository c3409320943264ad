"""Values of settings as people read and type them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonError, JsonValue, dumps_str
from pi_term.base.json_kinds import BAD
from pi_term.base.json_locate import loads_lenient
from pi_term.coding.settings.store import LayerName, SettingsStore
from pi_term.tui.setting_rows import SettingRow
from pi_term.tui.text import home_path

_JSON = ('"', "[", "{")  # what is not a word begins so

LAYER_NAMES: dict[LayerName, str] = {
    "default": "default",
    "user": "yours",
    "project": "project",
    "flag": "this run",
}


def value_text(value: Any) -> str:
    """A value for a list: words as they are, several with commas, everything else as JSON.

    `not set` stands for None, `none` for an empty list.
    """
    if value is None:
        return "not set"
    if isinstance(value, tuple | list):
        return editable_text(value) or "none"
    return value if isinstance(value, str) and value.strip() else dumps_str(plain(value))


def editable_text(value: Any) -> str:
    """A value as it is typed: words as they are, what would be read as something else as JSON."""
    if value is None:
        return ""
    if isinstance(value, tuple | list) and all(_is_item(each) for each in value):
        return ", ".join(value)
    is_word = isinstance(value, str) and value and value == value.strip() and not value.startswith(_JSON)
    return str(value) if is_word else dumps_str(plain(value))


def _is_item(value: Any) -> bool:
    return isinstance(value, str) and value.strip() == value != "" and not ("," in value or value[0] in _JSON)


def plain(value: Any) -> JsonValue:
    """The value as JSON knows it."""
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, tuple | list) else value


def read_value(row: SettingRow, text: str) -> JsonValue:
    """What somebody means who types `text`: a word, JSON, or a list with commas.

    Raises `PiTermError("bad_setting")` with what the value must be.
    """
    faults: list[str] = []
    for value in _readings(text.strip()):
        clean = row.kind.clean(value, lambda path, message: faults.append(message))
        if clean is not BAD and not faults:
            return value
        faults.clear()
    raise PiTermError("bad_setting", f"{row.key} must be {row.kind.description}.")


def _readings(text: str) -> list[JsonValue]:
    """What a text may stand for, the likeliest first."""
    readings: list[JsonValue] = []
    with suppress(JsonError):
        readings.append(loads_lenient(text))
    if not text.startswith(_JSON):
        readings += [text, [part.strip() for part in text.split(",") if part.strip()]]
    return readings


def origin_text(store: SettingsStore, row: SettingRow) -> str:
    """Where the value comes from, in a word."""
    layer = row.layer(store)
    origin = store.origin(row.setting)
    return LAYER_NAMES[layer] + (" (not saved)" if origin.held and origin.layer == layer else "")


def layers_text(store: SettingsStore, row: SettingRow) -> str:
    """What each layer says: `default medium · yours high · project low`."""
    parts = [f"default: {value_text(row.default())}"]
    for layer, value in row.given(store).items():
        parts.append(f"{LAYER_NAMES[layer]}: {value_text(value)}")
    return " · ".join(parts)


def origin_file(store: SettingsStore, row: SettingRow) -> str:
    """The file that the value stands in, "" where it is in none."""
    layer = row.layer(store)
    file = store.origin(row.setting).file
    if file is not None and (layer == "user" or layer == "project"):
        file = store.file_of(layer)
    return "" if file is None else home_path(file)
