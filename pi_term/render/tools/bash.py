"""Calls of `bash`: a command and the end of what it prints."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pi_term.base.sanitize import sanitize_line
from pi_term.render.blocks.hints import duration
from pi_term.render.highlight import lexer_for_language
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.tools.call import ToolCallState
from pi_term.render.tools.code import MOST_LINES, CodeView
from pi_term.render.tools.failure import parted
from pi_term.render.tools.live import live_rows
from pi_term.render.tools.output import COLLAPSED, finished, has_more, tail_rows
from pi_term.render.tools.panel import Panel
from pi_term.render.tools.renderer import Title

_FAILED_ROWS = 2 * COLLAPSED
"""Rows shown of a command that failed: the reason is seldom in the last line."""
_NO_OUTPUT = "(no output)"
_NOTE = re.compile(r"(?:\A|\n\n)\[(Showing (?:lines \d|last )[^\n]*)\]\Z")
_CUT = re.compile(r"Showing lines (\d+)-\d+ of \d+(?: \([^)]*\))?\. ")
_LONGEST_NOTE = 5000
_STATUS = re.compile(r"Command (?:exited|killed|timed out|aborted)\b|Operation aborted")


class BashRenderer:
    """A command and the end of what it prints."""

    def title(self, call: ToolCallState) -> Title:
        """The first line of the command."""
        first, newline, _ = call.argument("command").strip().partition("\n")
        extra = []
        if timeout := call.number("timeout"):
            extra.append(f"timeout {f'{timeout:g} s' if timeout < 60 else duration(timeout)}")
        if call.status == "ok" and call.text == _NO_OUTPUT:
            extra.append("no output")
        return Title(sanitize_line(first) + (" …" if newline else ""), "  ".join(extra))

    def body(self, call: ToolCallState, panel: Panel) -> Sequence[Line]:
        """The end of the output, how it was cut, and expanded the whole command and its exit status."""
        command = call.argument("command").strip()
        long = "\n" in command or len(command) > panel.room // 2
        if call.status == "writing":
            return live_rows(call, "command", lexer_for_language("bash"), panel) if long else []
        output, note, status = _result(call)
        parts: list[Sequence[Line]] = []
        if panel.expanded and long:
            parts.append(self._command(call, command).rows(panel))
            if output or status:
                parts.append(panel.empty())
        limit = _FAILED_ROWS if call.status == "error" else COLLAPSED
        cut = _CUT.match(note)
        before = int(cut[1]) - 1 if cut else _left_out(call)
        parts.append(tail_rows(output, panel, limit=limit, before=before))
        if where := note[cut.end() :] if cut else note:
            parts.append(panel.words(where, "muted"))
        if status and panel.expanded:
            parts.append(panel.words(status, "error"))
        return JoinedLines(parts)

    def expandable(self, call: ToolCallState) -> bool:
        """Whether there is more output, or more of the command, than the rows show."""
        return has_more(call.text) or "\n" in call.argument("command").strip()

    def _command(self, call: ToolCallState, command: str) -> CodeView:
        view: CodeView | None = call.memo.get("command")
        if view is None:
            view = call.memo["command"] = CodeView(command, lexer_for_language("bash"), most=MOST_LINES)
        call.colours = view.colours
        return view


def _result(call: ToolCallState) -> tuple[str, str, str]:
    """What the command printed, how that was cut, and how it ended badly."""
    text, status = call.text, ""
    if not call.done:
        return finished(text), _whereabouts(call), ""
    if call.status == "error":
        output, last = parted(text)
        if not _STATUS.match(last):
            # What failed is not the command: there is no output, only a reason.
            return text, "", ""
        text, status = output, last
    note = _NOTE.search(text, max(0, len(text) - _LONGEST_NOTE))
    if note:
        text = text[: note.start()]
    return "" if text == _NO_OUTPUT else text, sanitize_line(note[1]) if note else "", status


def _whereabouts(call: ToolCallState) -> str:
    """Where all of the output is while the command still runs, if it is not here."""
    path = call.details.get("fullOutputPath") if isinstance(call.details, dict) else None
    return f"Full output: {sanitize_line(path)}" if isinstance(path, str) else ""


def _left_out(call: ToolCallState) -> int:
    """How many lines the command printed before those of the result."""
    cut = call.details.get("truncation") if isinstance(call.details, dict) else None
    if not isinstance(cut, dict):
        return 0
    total, kept = cut.get("totalLines"), cut.get("outputLines")
    return max(0, total - kept) if isinstance(total, int) and isinstance(kept, int) else 0
