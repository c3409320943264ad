"""Reading theme files: Pi's JSON format, checked key by key, with every fault told and the rest kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic, Severity
from pi_term.base.errors import PiTermError
from pi_term.base.files import read_text
from pi_term.base.json import JsonObject
from pi_term.base.json_locate import JsonFile, parse_json_file
from pi_term.base.paths import shipped
from pi_term.render.colour import Colour, from_index, luminance, parse_colour
from pi_term.render.theme_tokens import (
    ALL_TOKENS,
    EXPORT_TOKENS,
    OPTIONAL_TOKENS,
    REQUIRED_TOKENS,
    TOP_LEVEL_KEYS,
)

Appearance: TypeAlias = Literal["dark", "light"]

_RESERVED_NAME = "system"


@dataclass(slots=True)
class ThemeSpec:
    """A theme as its file describes it, all colours resolved and all tokens present."""

    name: str
    appearance: Appearance
    colours: dict[str, Colour]
    export: dict[str, Colour]


@dataclass(slots=True)
class _Reader:
    """The file that is read, and what was found wrong with it."""

    file: JsonFile
    found: list[Diagnostic] = field(default_factory=list)

    def report(self, severity: Severity, message: str, *key: str, hint: str = "") -> None:
        self.found.append(self.file.diagnostic(key, message, hint, severity))


def read_theme_file(path: Path) -> tuple[ThemeSpec | None, list[Diagnostic]]:
    """The theme in a file; None (and why) when nothing of it is usable."""
    try:
        text = read_text(path)
    except PiTermError as error:
        return None, [Diagnostic("error", error.message, path, hint=error.hint)]
    return read_theme(parse_json_file(path, text))


def read_theme(file: JsonFile) -> tuple[ThemeSpec | None, list[Diagnostic]]:
    """The theme in a JSON object that has been read already."""
    if file.problem is not None:
        return None, [file.problem]
    reader = _Reader(file)
    return _read(file.data, reader), reader.found


def _read(data: JsonObject, reader: _Reader) -> ThemeSpec | None:
    for key in data.keys() - TOP_LEVEL_KEYS:
        reader.report("warning", "unknown key, ignored", key, hint=_suggest(key, TOP_LEVEL_KEYS))
    name = _name(data.get("name"), reader)
    colours = data.get("colors")
    if not isinstance(colours, dict):
        reader.report("error", "must be an object of colours", "colors")
        return None
    if name is None:
        return None
    values = _Variables(_section(data, "vars", reader), reader)
    given = _colours(colours, ALL_TOKENS, "colors", values, reader)
    export = _colours(_section(data, "export", reader), frozenset(EXPORT_TOKENS), "export", values, reader)
    appearance = _appearance(data.get("appearance"), given, reader)
    return ThemeSpec(name, appearance, _completed(given, appearance, reader, colours), export)


def _name(value: Any, reader: _Reader) -> str | None:
    if not isinstance(value, str) or not value:
        reader.report("error", "a theme needs a name", "name")
    elif "/" in value:
        reader.report("error", "a name cannot contain '/'; it separates a light from a dark theme", "name")
    elif value == _RESERVED_NAME and not _is_shipped(reader.file.path):
        reader.report("error", f"the name {_RESERVED_NAME!r} is taken by the terminal's own colours", "name")
    else:
        return value
    return None


def _is_shipped(path: Path | None) -> bool:
    return path is not None and path.resolve().parent == shipped("themes").resolve()


def _section(data: dict[str, Any], key: str, reader: _Reader) -> dict[str, Any]:
    value = data.get(key, {})
    if isinstance(value, dict):
        return value
    reader.report("error", "must be an object", key)
    return {}


class _Variables:
    """The values of `vars`, followed through chains of references."""

    def __init__(self, values: dict[str, Any], reader: _Reader) -> None:
        self._values = values
        for key in values:
            try:
                self.resolve(values[key], key)
            except ValueError as error:
                reader.report("error", str(error), "vars", key)

    def resolve(self, value: Any, *seen: str) -> Colour:
        """The colour that a value of the file stands for; `ValueError` in words for people."""
        if isinstance(value, int) and not isinstance(value, bool):
            return from_index(value)
        if not isinstance(value, str):
            raise ValueError("a colour is a string or a number from 0 to 255")
        if not value:
            return value
        colour = None if value in self._values else parse_colour(value)
        if colour is not None:
            return colour
        if value in seen:
            raise ValueError(f"refers to itself: {' -> '.join((*seen, value))}")
        if value not in self._values:
            raise ValueError(f"no variable {value!r}{_suggest(value, self._values, ', ')}")
        return self.resolve(self._values[value], *seen, value)


def _colours(
    given: dict[str, Any], known: frozenset[str], section: str, values: _Variables, reader: _Reader
) -> dict[str, Colour]:
    resolved: dict[str, Colour] = {}
    for key, value in given.items():
        if key not in known:
            reader.report("warning", "unknown colour, ignored", section, key, hint=_suggest(key, known))
            continue
        try:
            resolved[key] = values.resolve(value)
        except ValueError as error:
            reader.report("error", str(error), section, key)
    return resolved


def _appearance(value: Any, colours: Mapping[str, Colour], reader: _Reader) -> Appearance:
    if value in ("dark", "light"):
        return "light" if value == "light" else "dark"
    if value is not None:
        reader.report("error", 'must be "dark" or "light"', "appearance")
    return detect_appearance(colours)


def detect_appearance(colours: Mapping[str, Colour]) -> Appearance:
    """Dark or light, judged by the backgrounds of a theme, else by its text."""
    backgrounds = _luminances(colours, [token for token in REQUIRED_TOKENS if token.endswith("Bg")])
    if backgrounds:
        return "light" if sum(backgrounds) / len(backgrounds) > 0.3 else "dark"
    texts = _luminances(colours, [token for token in REQUIRED_TOKENS if not token.endswith("Bg")])
    return "light" if texts and sum(texts) / len(texts) < 0.18 else "dark"


def _luminances(colours: Mapping[str, Colour], tokens: list[str]) -> list[float]:
    values = [colours.get(token) for token in tokens]
    return [luminance(value) for value in values if isinstance(value, str) and value]


def _completed(
    given: dict[str, Colour], appearance: Appearance, reader: _Reader, written: Mapping[str, Any]
) -> dict[str, Colour]:
    """All tokens: the given ones, the optional ones by their rule, the missing ones from our own theme."""
    missing = [token for token in REQUIRED_TOKENS if token not in given]
    absent = [token for token in missing if token not in written]
    if absent:
        reader.report("error", f"missing colours: {', '.join(absent)}", "colors")
    stand_in = _shipped_colours(appearance, reader.file.path) if missing else {}
    colours = {token: given.get(token, stand_in.get(token, "")) for token in REQUIRED_TOKENS}
    for token, fallback in OPTIONAL_TOKENS.items():
        colours[token] = given.get(token, colours[fallback])
    return colours


def _shipped_colours(appearance: Appearance, asking: Path | None) -> dict[str, Colour]:
    path = shipped("themes") / f"{appearance}.json"
    if asking is not None and asking.resolve() == path.resolve():
        return {}
    spec, _ = read_theme_file(path)
    return spec.colours if spec else {}


def _suggest(wrong: str, known: Mapping[str, Any] | frozenset[str], before: str = "") -> str:
    from difflib import get_close_matches

    close = get_close_matches(wrong, list(known), 1)
    return f"{before}did you mean {close[0]!r}?" if close else ""
