"""The values of the settings, from every layer, with where each came from.

Layers, the later wins: defaults, the user's settings.json, the trusted project's, flags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonValue
from pi_term.base.json_kinds import BAD
from pi_term.base.json_locate import JsonFile, JsonPath, read_json_file
from pi_term.base.paths import AppPaths
from pi_term.coding.resources.project import ProjectFolder
from pi_term.coding.settings.schema import SCHEMA, Setting

T = TypeVar("T")

LayerName = Literal["default", "user", "project", "flag"]
Scope = Literal["user", "project"]

_USER_ONLY = "only the user's own settings file may set this"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from. `file` is None for defaults, flags and what was `held` for this run only."""

    layer: LayerName
    file: Path | None = None
    held: bool = False


@dataclass(slots=True)
class _Layer:
    """The clean values of one layer; `held` and `taken` are changes that could not be written."""

    name: LayerName
    path: Path | None = None
    values: dict[str, Any] = field(default_factory=dict)
    held: dict[str, Any] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def own(self, key: str) -> Any:
        """The value that this layer gives; None where it gives none."""
        return self.held.get(key, None if key in self.taken else self.values.get(key))

    def read(self) -> list[Diagnostic]:
        """Read the file again; returns what is wrong with it."""
        if self.path is None:
            return []
        file = read_json_file(self.path)
        if file.problem is not None:
            return [file.problem]
        self.values, problems = _clean(file, self.name)
        return problems


class SettingsStore:
    """Typed access to all settings.

    `diagnostics` tells what was wrong with the files; a bad value counts as not set, the others apply.
    """

    def __init__(
        self,
        user_file: Path | None = None,
        project_file: Path | None = None,
        *,
        overrides: Mapping[str, JsonValue] | None = None,
        locks: Path | None = None,
    ) -> None:
        """Read the files. Without `user_file` changes last as long as the store.

        `overrides` are flags by dotted key; a bad one raises `PiTermError("bad_setting")`. `locks` is the
        folder for lock files, needed to save changes.
        """
        if locks is None and (user_file or project_file):
            raise ValueError("settings files need a folder for their locks")
        self._layers: dict[LayerName, _Layer] = {
            "user": _Layer("user", user_file),
            "project": _Layer("project", project_file),
            "flag": _Layer("flag"),
        }
        self._locks = locks
        self.diagnostics: list[Diagnostic] = []
        for key, value in (overrides or {}).items():
            self._layers["flag"].values[key] = _checked(_known(key), value)
        self.reload()

    @classmethod
    def load(
        cls,
        paths: AppPaths,
        project: ProjectFolder | None = None,
        overrides: Mapping[str, JsonValue] | None = None,
    ) -> SettingsStore:
        """The settings of this user and of the project, if it is trusted."""
        file = None if project is None else project.path("settings.json")
        return cls(paths.settings_file, file, overrides=overrides, locks=paths.state / "locks")

    def reload(self) -> None:
        """Read the files again. Flags and changes held for this run stay."""
        self.diagnostics = [problem for layer in self._layers.values() for problem in layer.read()]

    @overload
    def get(self, setting: Setting[T]) -> T: ...
    @overload
    def get(self, setting: str) -> Any: ...
    def get(self, setting: Setting[Any] | str) -> Any:
        """The value in force. Lists come as tuples; do not change what you get."""
        known = _known(setting)
        value: Any = known.default
        for given in self._given(known.key).values():
            value = given if known.merge is None else known.merge(value, given)
        return value

    def origin(self, setting: Setting[Any] | str) -> Origin:
        """The layer whose value won; of merged values, the highest that took part."""
        key = _known(setting).key
        name = next(reversed(self._given(key)), None)
        if name is None:
            return Origin("default")
        layer = self._layers[name]
        held = key in layer.held
        return Origin(name, None if held else layer.path, held)

    def given(self, setting: Setting[T]) -> dict[LayerName, T]:
        """The values that layers give, lowest layer first, not merged."""
        return self._given(setting.key)

    def set(
        self,
        setting: Setting[Any] | str,
        value: JsonValue,
        scope: Scope = "user",
        member: Sequence[str] = (),
    ) -> Diagnostic | None:
        """Change a setting, or one `member` of an object, here and in its file; there only this is touched.

        Returns None, or what people should know when the value holds for this run only (the file is
        broken, locked or cannot be written). Raises `PiTermError`: `bad_setting` for a value of the wrong
        kind, `not_allowed` where a project may not set it. Waits for the disk: use a thread.
        """
        known = _known(setting)
        layer = self._layers[scope]
        clean = _checked(known, _with(layer.own(known.key), member, value), member)
        if scope == "project" and (layer.path is None or not known.project):
            why = _USER_ONLY if layer.path is not None else "the project's settings are not in use"
            raise PiTermError("not_allowed", f"{known.key}: {why}.")
        layer.held[known.key] = clean
        layer.taken.discard(known.key)
        if layer.path is None or self._locks is None:
            return None  # nothing lies on disk
        from pi_term.coding.settings.json_file import update_json_file

        try:
            update_json_file(layer.path, self._locks, (*known.path, *member), value)
        except PiTermError as error:
            message = f"{known.key} holds for this run only: {error.message}"
            return Diagnostic("warning", message, layer.path, key=known.key, hint=error.hint)
        del layer.held[known.key]
        self.reload()
        return None

    def unset(
        self, setting: Setting[Any] | str, scope: Scope = "user", member: Sequence[str] = ()
    ) -> Diagnostic | None:
        """Take a setting, or a `member`, out of a file: the layers below decide then. As `set` otherwise."""
        known = _known(setting)
        layer = self._layers[scope]
        left = _without(layer.own(known.key), member)
        layer.held.pop(known.key, None)
        if left:
            layer.held[known.key] = left
        else:
            layer.taken.add(known.key)
        if layer.path is None or self._locks is None:
            return None
        from pi_term.coding.settings.json_file import remove_json_key

        try:
            remove_json_key(layer.path, self._locks, (*known.path, *member), len(known.path))
        except PiTermError as error:
            message = f"{known.key} is reset for this run only: {error.message}"
            return Diagnostic("warning", message, layer.path, key=known.key, hint=error.hint)
        layer.held.pop(known.key, None)
        layer.taken.discard(known.key)
        self.reload()
        return None

    def file_of(self, scope: Scope) -> Path | None:
        """The file of a scope; None where there is none, as for a project without trust."""
        return self._layers[scope].path

    def keep_changes_of(self, other: SettingsStore) -> None:
        """Take over what could not be written from the store that this one replaces."""
        for name, layer in self._layers.items():
            layer.held |= other._layers[name].held
            layer.taken |= other._layers[name].taken

    def _given(self, key: str) -> dict[LayerName, Any]:
        """The values that layers give for `key`, lowest layer first."""
        out: dict[LayerName, Any] = {}
        for name, layer in self._layers.items():
            if key in layer.held:
                out[name] = layer.held[key]
            elif key in layer.values and key not in layer.taken:
                out[name] = layer.values[key]
        return out


def _known(setting: Setting[Any] | str) -> Setting[Any]:
    """The setting of that key; raises `PiTermError("unknown_setting")`."""
    if isinstance(setting, Setting):
        return setting
    found = SCHEMA.get(setting)
    if found is None:
        raise PiTermError("unknown_setting", f"There is no setting {setting!r}.")
    return found


def _checked(setting: Setting[Any], value: JsonValue, member: Sequence[str] = ()) -> Any:
    faults: list[str] = []
    clean = setting.kind.clean(value, lambda path, message: faults.append(message))
    if clean is BAD or faults:
        raise PiTermError("bad_setting", f"{'.'.join((setting.key, *member))} {faults[0]}.")
    return clean


def _with(own: Any, member: Sequence[str], value: JsonValue) -> JsonValue:
    """The object with `value` at `member`; what is no object becomes one."""
    if not member:
        return value
    out = dict(own) if isinstance(own, Mapping) else {}
    out[member[0]] = _with(out.get(member[0]), member[1:], value)
    return out


def _without(own: Any, member: Sequence[str]) -> dict[str, Any]:
    """What is left of the object without `member`; objects that are empty then go too."""
    if not member or not isinstance(own, Mapping):
        return {}
    out = dict(own)
    inner = _without(out.pop(member[0], None), member[1:])
    return {**out, member[0]: inner} if inner else out


def _clean(file: JsonFile, layer: LayerName) -> tuple[dict[str, Any], list[Diagnostic]]:
    """The good values of a file, and a warning for each bad one."""
    values: dict[str, Any] = {}
    problems = _blocked_groups(file)

    def report(path: JsonPath, message: str) -> None:
        problems.append(file.diagnostic(path, message))

    for setting in SCHEMA.values():
        value = file.value(setting.path)
        if value is None:
            continue
        if layer == "project" and not setting.project:
            report(setting.path, _USER_ONLY)
            continue
        clean = setting.kind.clean(value, report, setting.path)
        if clean is not BAD:
            values[setting.key] = clean
    return values, problems


def _blocked_groups(file: JsonFile) -> list[Diagnostic]:
    """Values that stand where an object of settings belongs (`"compaction": true`)."""
    groups = {setting.path[:depth] for setting in SCHEMA.values() for depth in range(1, len(setting.path))}
    found = [(group, file.value(group)) for group in sorted(groups)]
    return [
        file.diagnostic(group, "must be an object")
        for group, value in found
        if value is not None and not isinstance(value, dict)
    ]
