"""The merged bindings: defaults, keymap file, user and project, the later file winning per action.

Whoever binds a key wants that key: it is taken from the other actions that had it, where their scopes
compete. A key that an action shares by default (Ctrl+D deletes in a text and quits on an empty line)
stays shared when a file merely repeats it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.paths import shipped
from pi_term.tui.actions import ACTIONS, Action, overlap
from pi_term.tui.keymap.files import KeymapLayer, read_keymap
from pi_term.tui.keymap.names import Chord, chord_text, is_shifted_symbol, needs_kitty

_Bound: TypeAlias = dict[str, tuple[Chord, ...]]
_Defaults: TypeAlias = Mapping[str, Sequence[Chord]]
_Scopes: TypeAlias = Mapping[str, str]


class KeyTable:
    """Which keys ask for which action. Never changes: a reload makes a new one."""

    __slots__ = ("_by_scope", "_keys", "_prefixes")

    def __init__(self, keys: Mapping[str, tuple[Chord, ...]], actions: Sequence[Action] = ACTIONS) -> None:
        self._keys = dict(keys)
        self._by_scope: dict[str, dict[Chord, tuple[str, ...]]] = {}
        self._prefixes: dict[str, set[Chord]] = {}
        for action in actions:
            for chord in self._keys.get(action.id, ()):
                index = self._by_scope.setdefault(action.scope, {})
                index[chord] = (*index.get(chord, ()), action.id)
                prefixes = (chord[:length] for length in range(1, len(chord)))
                self._prefixes.setdefault(action.scope, set()).update(prefixes)

    def find(self, contexts: Iterable[str], chord: Chord) -> tuple[str, ...]:
        """The actions on `chord`, those of the first context first."""
        found: list[str] = []
        for context in contexts:
            found += self._by_scope.get(context, {}).get(chord, ())
        return tuple(found)

    def continues(self, contexts: Iterable[str], keys: Chord) -> bool:
        """Whether a longer chord begins with `keys`."""
        return any(keys in self._prefixes.get(context, ()) for context in contexts)

    def keys_for(self, action_id: str) -> tuple[str, ...]:
        """The keys of an action as keybinding files spell them, the preferred one first."""
        return tuple(chord_text(chord) for chord in self._keys.get(action_id, ()))

    def hint(self, action_id: str) -> str:
        """The preferred key of an action for a line of help, with `esc` for Escape, or "" if it has none."""
        return next(iter(self.keys_for(action_id)), "").replace("escape", "esc")


def load_table(
    *, keymap: Path | None = None, user: Path | None = None, project: Path | None = None
) -> tuple[KeyTable, list[Diagnostic]]:
    """The table of the shipped defaults and the given files, and what is wrong with them."""
    ids = {action.id for action in ACTIONS}
    layers: list[KeymapLayer] = []
    problems: list[Diagnostic] = []
    defaults = shipped("keymaps") / "pi.json"
    for path in (defaults, None if keymap == defaults else keymap, user, project):
        layer, found = (None, []) if path is None else read_keymap(path, ids)
        problems += found
        if layer is not None:
            layers.append(layer)
    table, clashes = build_table(layers)
    return table, problems + clashes


def build_table(
    layers: Sequence[KeymapLayer], actions: Sequence[Action] = ACTIONS
) -> tuple[KeyTable, list[Diagnostic]]:
    """Merge `layers`, the first being the defaults; clashes within a later one are reported."""
    scopes = {action.id: action.scope for action in actions}
    bound: _Bound = {}
    problems: list[Diagnostic] = []
    defaults = layers[0].bindings if layers else {}
    for number, layer in enumerate(layers):
        own = {action_id: chords for action_id, chords in layer.bindings.items() if action_id in scopes}
        bound.update(own)
        if number:
            _take_keys(own, bound, defaults, scopes)
            problems += _clashes(layer, own, defaults, scopes)
            if layer.file is None or layer.file.parent != shipped("keymaps"):
                problems += _unsendable(layer, own)
    return KeyTable(bound, actions), problems


def _take_keys(own: _Bound, bound: _Bound, defaults: _Defaults, scopes: _Scopes) -> None:
    """Remove the keys that `own` newly binds from the competing actions that a lower layer bound."""
    for action_id, chords in own.items():
        fresh = [chord for chord in chords if chord not in defaults.get(action_id, ())]
        if not fresh:
            continue
        for other, theirs in bound.items():
            if other not in own and overlap(scopes[action_id], scopes[other]):
                bound[other] = tuple(each for each in theirs if not any(_collide(each, key) for key in fresh))


def _clashes(layer: KeymapLayer, own: _Bound, defaults: _Defaults, scopes: _Scopes) -> Iterator[Diagnostic]:
    ids = list(own)
    for position, later in enumerate(ids):
        for earlier in ids[:position]:
            if not overlap(scopes[earlier], scopes[later]):
                continue
            for one, two in ((a, b) for a in own[earlier] for b in own[later] if _collide(a, b)):
                if one == two and one in defaults.get(earlier, ()) and two in defaults.get(later, ()):
                    continue
                message = f"{chord_text(two)} clashes with {chord_text(one)} of {earlier}"
                yield Diagnostic(
                    "warning",
                    message,
                    layer.file,
                    layer.lines.get(later),
                    later,
                    "give each action its own key",
                )


def _unsendable(layer: KeymapLayer, own: _Bound) -> Iterator[Diagnostic]:
    """Tell of actions whose every key is out of reach of some terminals, or of all."""
    for action_id, chords in own.items():
        for chord in chords:
            if any(is_shifted_symbol(key) for key in chord):
                hint = "name the character that the keys type"
                message = f"no terminal sends {chord_text(chord)}"
                yield Diagnostic("warning", message, layer.file, layer.lines.get(action_id), action_id, hint)
        if chords and all(any(needs_kitty(key) for key in chord) for chord in chords):
            message = f"{chord_text(chords[0])} needs a terminal with the Kitty keyboard protocol"
            hint = "add a second key for the others"
            yield Diagnostic("info", message, layer.file, layer.lines.get(action_id), action_id, hint)


def _collide(one: Chord, two: Chord) -> bool:
    """Equal, or one the beginning of the other, so that both can never be reached."""
    length = min(len(one), len(two))
    return one[:length] == two[:length]
