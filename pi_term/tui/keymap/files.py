"""Keymap and keybindings files: JSON objects `{action id: key or list of keys}`.

An empty list takes all keys from an action. A mistake costs the entry it is in, never the file; a file
that is not JSON costs the file, never the others.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import field
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.files import read_text
from pi_term.base.json import JsonError, JsonValue, loads
from pi_term.tui.keymap.names import Chord, KeyNameError, parse_chord

_NOT_ACTIONS = frozenset(("$schema",))
_MEMBER = re.compile(r'"((?:[^"\\]|\\.)*)"(?=\s*:)|"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class KeymapLayer:
    """What one file binds: chords by action id, and the line of each id for messages about it."""

    file: Path | None
    bindings: Mapping[str, tuple[Chord, ...]]
    lines: Mapping[str, int] = field(default_factory=dict)


def key_lines(text: str) -> dict[str, int]:
    """The line, from 1, of each member that JSON `text` names; of repeated ones the last, which wins."""
    lines: dict[str, int] = {}
    line, done = 1, 0
    for match in _MEMBER.finditer(text):
        line += text.count("\n", done, match.start())
        done = match.start()
        if match[1] is not None:
            lines[match[1]] = line
    return lines


def read_keymap(path: Path, actions: Container[str]) -> tuple[KeymapLayer | None, list[Diagnostic]]:
    """What `path` binds, and what is wrong with it; no layer where the file is missing or unusable.

    `actions` are the ids that can be bound.
    """
    if not path.exists():
        return None, []
    try:
        text = read_text(path)
    except PiTermError as error:
        return None, [Diagnostic("error", error.message, path)]
    return _parse(text, path, actions)


def _parse(text: str, path: Path, actions: Container[str]) -> tuple[KeymapLayer | None, list[Diagnostic]]:
    """What the text of a file binds; `path` only goes into messages."""
    try:
        data = loads(text)
    except JsonError as error:
        place = text.count("\n", 0, error.position) + 1
        return None, [Diagnostic("error", f"not valid JSON: {error}", path, place)]
    if not isinstance(data, dict):
        return None, [Diagnostic("error", "must be an object of action ids and keys", path, 1)]
    bindings: dict[str, tuple[Chord, ...]] = {}
    lines = key_lines(text)
    problems: list[Diagnostic] = []
    for action_id, value in data.items():
        if action_id in _NOT_ACTIONS:
            continue
        line = lines.get(action_id)
        if action_id not in actions:
            problems.append(Diagnostic("warning", "unknown action", path, line, action_id))
            continue
        chords, mistakes = _parse_keys(value)
        problems += [Diagnostic("warning", mistake, path, line, action_id) for mistake in mistakes]
        # Keys that were all wrong leave the action as it was: a typing mistake must not unbind it.
        if chords or not mistakes:
            bindings[action_id] = chords
    return KeymapLayer(path, bindings, lines), problems


def _parse_keys(value: JsonValue) -> tuple[tuple[Chord, ...], list[str]]:
    chords: list[Chord] = []
    mistakes: list[str] = []
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, str):
            mistakes.append("must be a key or a list of keys")
            continue
        try:
            chord = parse_chord(item)
        except KeyNameError as error:
            mistakes.append(str(error))
            continue
        if chord not in chords:
            chords.append(chord)
    return tuple(chords), mistakes
