"""Every operation a user can ask for, as data: the table behind keys, palette and `/hotkeys`.

Ids are Pi's where Pi has the operation. Keys are not written here but in `keymaps/pi.json`. A row's
`handler` names the method that does the work: of the editor for the scope `editor`, else of whatever
the app's dispatcher picks. A handler answers whether it applied; if not, the next action on the same
key is tried, which is how Ctrl+D deletes in a text and quits on an empty line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_term.base.dataclass import dataclass
from pi_term.tui.action_rows import MAIN_ROWS
from pi_term.tui.screen_rows import SCREEN_ROWS


@dataclass(frozen=True, slots=True)
class Action:
    """One operation: `scope` is the context in which its keys apply, `title` what a menu shows."""

    id: str
    title: str
    scope: str
    handler: str
    description: str


EDITOR_CONTEXTS: Final = ("transcript", "editor", "app")
"""Contexts while the editor has the focus, the first that binds a key wins; `select` comes before them
while it shows a list."""

ACTIVE_TOGETHER: Final[tuple[frozenset[str], ...]] = (
    frozenset(EDITOR_CONTEXTS),
    frozenset(("search", "transcript")),
    frozenset(("marking", "transcript")),
    frozenset(("select", "browse", "tree")),
    frozenset(("select", "browse", "rewind")),
    frozenset(("select", "browse", "session-picker")),
    frozenset(("select", "models")),
    frozenset(("select", "queue")),
    frozenset(("select", "thinking")),
    frozenset(("select", "settings")),
    frozenset(("select", "browse", "lens")),
    frozenset(("select", "browse", "changes")),
)
"""Scopes that compete for a key. A list on top of the editor is not among them: it borrows its keys."""

ACTIONS: Final[tuple[Action, ...]] = tuple(
    Action(action_id, title, scope, handler, description)
    for scope, rows in {**MAIN_ROWS, **SCREEN_ROWS}.items()
    for action_id, title, handler, description in rows
)
"""All actions; where several share a key in one scope, the first has the first turn."""

BY_ID: Final[dict[str, Action]] = {action.id: action for action in ACTIONS}


def overlap(first: str, second: str) -> bool:
    """Whether keys of these two scopes can be asked for at the same moment."""
    return first == second or any(first in group and second in group for group in ACTIVE_TOGETHER)


def in_scope(scope: str, actions: Sequence[Action] = ACTIONS) -> tuple[Action, ...]:
    """The actions of one scope, in the order of the table."""
    return tuple(action for action in actions if action.scope == scope)
