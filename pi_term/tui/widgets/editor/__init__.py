"""The prompt editor: `Editor`, its messages and what can be plugged into it.

`buffer`, `layout`, `paste`, `history`, `motions` and `document` are plain Python; `paint`, `completion`
and `editor` draw and listen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.tui.widgets.editor.completion import Completion, CompletionSource
    from pi_term.tui.widgets.editor.editor import Editor, EditorChanged, EditorSubmitted
    from pi_term.tui.widgets.editor.history import PromptHistory
    from pi_term.tui.widgets.editor.paste import Draft

_HOMES = {
    "completion": (
        "Completion",
        "CompletionSource",
    ),
    "paste": ("Draft",),
    "editor": (
        "Editor",
        "EditorChanged",
        "EditorSubmitted",
    ),
    "history": ("PromptHistory",),
}
__all__ = [
    "Completion",
    "CompletionSource",
    "Draft",
    "Editor",
    "EditorChanged",
    "EditorSubmitted",
    "PromptHistory",
]

__getattr__ = lazy_exports(__name__, _HOMES)
