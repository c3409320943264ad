"""The rows of the settings screen: settings and, of those that are objects, their members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pi_term.base.dataclass import dataclass
from pi_term.base.json_kinds import TEXT, Kind, ListOf, MapOf, Shape
from pi_term.coding.settings.groups import grouped_settings
from pi_term.coding.settings.schema import Setting
from pi_term.coding.settings.store import LayerName, Scope, SettingsStore


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting, or the value at `member` in it."""

    setting: Setting[Any]
    member: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """How it is called, dotted."""
        return ".".join((self.setting.key, *self.member))

    @property
    def kind(self) -> Kind[Any]:
        """What its value may be."""
        kind = self.setting.kind
        for name in self.member:
            if isinstance(kind, MapOf):
                kind = kind.item
            elif isinstance(kind, Shape):
                kind = kind.fields[name]
        return kind

    @property
    def opens(self) -> bool:
        """Whether it stands for members that people name themselves, such as models."""
        return isinstance(self.kind, MapOf) and not self.member

    @property
    def form(self) -> str:
        """How its value is written."""
        if self.opens:
            return "Enter adds one for a model; each that is there has rows of its own."
        if isinstance(self.kind, ListOf):
            return 'Words with commas between them; with a comma inside of one, as JSON: ["a, b", "c"].'
        return "Any text." if self.kind is TEXT else f"Must be {self.kind.description}."

    def get(self, store: SettingsStore) -> Any:
        """The value in force; None where there is none."""
        return self._within(store.get(self.setting))

    def default(self) -> Any:
        """What holds where nobody says anything."""
        return self._within(self.setting.default)

    def given(self, store: SettingsStore) -> dict[LayerName, Any]:
        """What each layer says, lowest first."""
        values = {layer: self._within(value) for layer, value in store.given(self.setting).items()}
        return {layer: value for layer, value in values.items() if value is not None}

    def layer(self, store: SettingsStore) -> LayerName:
        """Where the value in force comes from; of merged ones, the highest layer."""
        return next(reversed(self.given(store)), "default")

    def own(self, store: SettingsStore, scope: Scope) -> Any:
        """What stands in the file that is written to; of values that are not merged, what holds."""
        if self.setting.merge is None:
            return self.get(store)
        return self.given(store).get(scope, self.default())

    def _within(self, value: Any) -> Any:
        for name in self.member:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value


def setting_rows(store: SettingsStore) -> Iterator[tuple[str, SettingRow]]:
    """Every row with the group it stands in. Objects whose members have fixed names are those members."""
    for group, setting in grouped_settings():
        row = SettingRow(setting)
        if not isinstance(setting.kind, MapOf):
            yield group, row
            continue
        if setting.kind.keys is None:
            yield group, row
        for name in setting.kind.keys or sorted(store.get(setting)):
            for member in members_of(setting, name):
                yield group, member


def members_of(setting: Setting[Any], name: str) -> list[SettingRow]:
    """The rows for the member `name` of a setting that is an object: one, or one for each of its fields."""
    row = SettingRow(setting, (name,))
    kind = row.kind
    return [SettingRow(setting, (name, each)) for each in kind.fields] if isinstance(kind, Shape) else [row]
