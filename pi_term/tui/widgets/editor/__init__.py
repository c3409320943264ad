"""The prompt editor: `Editor`, its messages and what can be plugged into it.

`buffer`, `layout`, `paste`, `history`, `motions` and `document` are plain Python; `paint`, `completion`
and `editor` draw and listen.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_term.tui.widgets.editor.completion import Completion, CompletionSource
    from pi_term.tui.widgets.editor.editor import Editor, EditorChanged, EditorSubmitted
    from pi_term.tui.widgets.editor.history import PromptHistory
    from pi_term.tui.widgets.editor.paste import Draft

_HOMES = {
    "Completion": "completion",
    "CompletionSource": "completion",
    "Draft": "paste",
    "Editor": "editor",
    "EditorChanged": "editor",
    "EditorSubmitted": "editor",
    "PromptHistory": "history",
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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
