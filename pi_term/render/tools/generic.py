"""Calls of any other tool: its arguments in short, and the beginning of what it says."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.base.sanitize import sanitize_line
from pi_term.render.cells import fit
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.tools.arguments import argument_lines, compact
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.live import live_rows
from pi_term.render.tools.output import head_rows, reason_rows
from pi_term.render.tools.panel import Panel
from pi_term.render.tools.renderer import Title

_VALUE_WIDTH = 60
_MOST_NAMED = 12
_MOST_LINES = 500
_LONG = 200


class GenericRenderer:
    """Any other tool: its arguments in short, and the beginning of its output."""

    def title(self, call: ToolCallState) -> Title:
        """The arguments: `query=a b  limit=5`."""
        known: str | None = call.memo.get("title")
        if known is None:
            names = list(call.args)[:_MOST_NAMED]
            known = call.memo["title"] = "  ".join(_named(name, call.args[name]) for name in names)
        return Title(known)

    def body(self, call: ToolCallState, panel: Panel) -> Sequence[Line]:
        """Expanded all arguments, a line each; then the output, and what else came back."""
        if call.status == "writing":
            return _written(call, panel)
        parts: list[Sequence[Line]] = []
        if panel.expanded and call.args:
            parts.append(_arguments(call, panel))
            if call.content:
                parts.append(panel.empty())
        failed = call.status == "error"
        parts.append(reason_rows(call.text, panel) if failed else head_rows(call.text, panel))
        parts += [panel.words(f"[image: {sanitize_line(image.mime_type)}]", "muted") for image in call.images]
        return JoinedLines(parts)

    def expandable(self, call: ToolCallState) -> bool:
        """Whether there are arguments or output to be seen whole."""
        return bool(call.args or call.text)


def _named(name: str, value: object) -> str:
    is_text = isinstance(value, str)
    text = sanitize_line(str(value)[: _VALUE_WIDTH * 4]) if is_text else compact(value, _VALUE_WIDTH)
    return f"{fit(sanitize_line(name), _VALUE_WIDTH)}={fit(text, _VALUE_WIDTH)}"


def _written(call: ToolCallState, panel: Panel) -> Sequence[Line]:
    """The argument that is being written, if it is a long text."""
    name = next(reversed(call.args), "")
    text = call.argument(name)
    return live_rows(call, name, None, panel) if "\n" in text[:_LONG] or len(text) > _LONG else []


def _arguments(call: ToolCallState, panel: Panel) -> list[Line]:
    lines, more = argument_lines(call.args, _MOST_LINES)
    rows: list[Line] = []
    for level, label, value in lines:
        runs = [("  " * level, panel.fill), (label, panel.style("syntaxVariable"))]
        if value:
            runs.append((f" {value}" if label else value, panel.style("muted")))
        rows += panel.rows(runs)
    return [*rows, *(panel.words("…more arguments", "muted") if more else [])]
