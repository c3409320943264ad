"""The difference that a call made, or is to make."""

from __future__ import annotations

from pi_term.render.diff.model import Diff, diff_of_args, diff_of_text, folded
from pi_term.render.diff.view import SHORT, DiffView
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.code import MOST_LINES
from pi_term.render.tools.panel import Panel

_FOR_SHORT = 4 * SHORT
"""Lines that are looked at while a difference is shown in short: its rows may be pairs of lines, and much of
it lines that are the same."""
_CONTEXT = 2
"""Of these, how many are shown around a change when all of them would be too much."""


def told_difference(call: ToolCallState) -> str | None:
    """The difference that the result tells, in Pi's form."""
    text = call.details.get("diff") if isinstance(call.details, dict) else None
    return text if isinstance(text, str) and text else None


def difference(call: ToolCallState) -> Diff:
    """The beginning of the difference: as done, else as asked for."""
    known: Diff | None = call.memo.get("difference")
    if known is None:
        text = told_difference(call)
        known = diff_of_args(call.args) if text is None else diff_of_text(text, _FOR_SHORT)
        call.memo["difference"] = known
    return known


def difference_view(call: ToolCallState, panel: Panel) -> DiffView:
    """The difference as rows."""
    key = "whole view" if panel.expanded else "short view"
    view: DiffView | None = call.memo.get(key)
    if view is None:
        diff, text = difference(call), told_difference(call)
        if panel.expanded and diff.hidden and text is not None:
            diff = diff_of_text(text, MOST_LINES)
        if not panel.expanded and len(diff.lines) + diff.hidden > SHORT + 1:
            diff = folded(diff, _CONTEXT)
        view = call.memo[key] = DiffView(diff, call.argument("path"))
    call.colours = view.colours
    return view
