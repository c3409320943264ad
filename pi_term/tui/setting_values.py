"""Values of settings as people read and type them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonError, JsonValue, dumps_str
from pi_term.base.json_kinds import BAD
from pi_term.base.json_locate import loads_lenient
from pi_term.coding.settings.schema import Setting
from pi_term.coding.settings.store import LayerName, SettingsStore
from pi_term.tui.text import home_path

_JSON = ('"', "[", "{")  # what is not a word begins so

LAYER_NAMES: dict[LayerName, str] = {
    "default": "default",
    "user": "yours",
    "project": "project",
    "flag": "this run",
}


def value_text(value: Any) -> str:
    """A value for a list: words as they are, everything else as JSON; `not set` for None."""
    if value is None:
        return "not set"
    return value if isinstance(value, str) and value.strip() else dumps_str(plain(value))


def editable_text(value: Any) -> str:
    """A value as it is typed: a word as it is, what would be read as something else as JSON."""
    if value is None:
        return ""
    is_word = isinstance(value, str) and value and value == value.strip() and not value.startswith(_JSON)
    return str(value) if is_word else dumps_str(plain(value))


def plain(value: Any) -> JsonValue:
    """The value as JSON knows it."""
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, tuple | list) else value


def read_value(setting: Setting[Any], text: str) -> JsonValue:
    """What somebody means who types `text`: a word, JSON, or a list with commas.

    Raises `PiTermError("bad_setting")` with what the setting must be.
    """
    faults: list[str] = []
    for value in _readings(text.strip()):
        clean = setting.kind.clean(value, lambda path, message: faults.append(message))
        if clean is not BAD and not faults:
            return value
        faults.clear()
    raise PiTermError("bad_setting", f"{setting.key} must be {setting.kind.description}.")


def _readings(text: str) -> list[JsonValue]:
    """What a text may stand for, the likeliest first."""
    readings: list[JsonValue] = []
    with suppress(JsonError):
        readings.append(loads_lenient(text))
    if not text.startswith(_JSON):
        readings += [text, [part.strip() for part in text.split(",") if part.strip()]]
    return readings


def origin_text(store: SettingsStore, setting: Setting[Any]) -> str:
    """Where the value comes from, in a word."""
    origin = store.origin(setting)
    return LAYER_NAMES[origin.layer] + (" (not saved)" if origin.held and origin.file is None else "")


def layers_text(store: SettingsStore, setting: Setting[Any]) -> str:
    """What each layer says: `default medium · yours high · project low`."""
    parts = [f"default: {value_text(setting.default)}"]
    for layer, value in store.given(setting).items():
        parts.append(f"{LAYER_NAMES[layer]}: {value_text(value)}")
    return " · ".join(parts)


def origin_file(store: SettingsStore, setting: Setting[Any]) -> str:
    """The file that the value stands in, "" where it is in none."""
    file = store.origin(setting).file
    return "" if file is None else home_path(file)
