"""The demo model's summary of a conversation: by rule, what was asked, what was done, what failed.

The harness asks for it with the conversation as labelled text inside of `<conversation>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from pi_term.ai.context import Context
from pi_term.ai.messages import UserMessage, text_of
from pi_term.base.dataclass import dataclass
from pi_term.base.text import shortened

_REQUEST = re.compile(
    r"<conversation>\n(?P<said>.*)\n</conversation>"
    r"(?:\n\n<previous-summary>\n(?P<previous>.*?)\n</previous-summary>)?\n\n(?P<task>.*)\Z",
    re.DOTALL,
)
_SECTION = re.compile(
    r"^\[(User|Assistant|Assistant tool calls|Tool result|Tool result, failed|Earlier summary|Continued)\]: ",
    re.MULTILINE,
)
_NOT_SAID = re.compile(r"Ran `|(?:The earlier part of|Work was also done on).*?<summary>", re.DOTALL)
"""What stands for the user's own commands and for summaries, and is no request."""
_CALL = re.compile(r"; (?=\w+\()")
_WISH = "what matters most in this summary:\n"
_NONE = "(none)"
_MOST = 12  # points under a heading
_LONGEST = 120  # characters of a point
_SOURCE = "This summary was made by rule: the demo model is a script."


@dataclass(slots=True)
class _Told:
    """What a conversation tells; each a point, in order."""

    asked: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    last_said: str = ""
    open: str = ""  # what was asked and has no answer yet


def summary(context: Context) -> str | None:
    """The summary, where the conversation is a request for one; None for every other."""
    last = context.messages[-1] if len(context.messages) == 1 else None
    found = _REQUEST.match(text_of(last.content)) if isinstance(last, UserMessage) else None
    if found is None:
        return None
    told = _told(found["said"])
    task = found["task"]
    if "### Request" in task:
        return _of_turn(told)
    return _whole(told, found["previous"] or "", task)


def _told(said: str) -> _Told:
    told = _Told()
    waiting: list[str] = []
    for label, body in _sections(said):
        match label:
            case "User" if not _NOT_SAID.match(body):
                told.open = _point(f"“{body}”")
                told.asked.append(told.open)
            case "Assistant":
                told.last_said, told.open = _point(body), ""
            case "Assistant tool calls":
                told.open = ""
                waiting = [_point(call) for call in _CALL.split(body)]
            case "Tool result" if waiting:
                told.done.append(f"`{waiting.pop(0)}`")
            case "Tool result, failed":
                call = waiting.pop(0) if waiting else "a tool"
                told.failed.append(_point(f"`{call}` failed: {body}"))
    return told


def _sections(said: str) -> Iterator[tuple[str, str]]:
    parts = _SECTION.split(said)
    yield from ((label, body.strip()) for label, body in zip(parts[1::2], parts[2::2], strict=True))


def _whole(told: _Told, previous: str, task: str) -> str:
    wish = task.partition(_WISH)[2].strip()
    sections = [
        ("Goal", [*_points(previous, "Goal", "Request"), *told.asked], ""),
        ("Constraints & Preferences", [f"Asked for with the summary: “{wish}”"] if wish else [], ""),
        ("Progress", None, ""),
        ("Done", [*_points(previous, "Done", "Done So Far"), *told.done], "[x] "),
        ("In Progress", [f"answer {told.open}"] if told.open else [], "[ ] "),
        ("Blocked", [*_points(previous, "Blocked"), *told.failed], ""),
        ("Key Decisions", [], ""),
        ("Next Steps", [f"answer {told.open}" if told.open else "wait for what is asked next"], ""),
    ]
    if "## Critical Context" in task:
        said = [f"The last answer began: {told.last_said}"] if told.last_said else []
        sections.append(("Critical Context", [*said, _SOURCE], ""))
    rows: list[str] = []
    for title, points, mark in sections:
        if title == "Blocked" and not points:
            continue
        inner = title in ("Done", "In Progress", "Blocked")
        rows += ["", f"{'###' if inner else '##'} {title}"]
        if points is not None:
            rows += _listed(points, mark, numbered=title == "Next Steps")
    return "\n".join(rows).strip()


def _of_turn(told: _Told) -> str:
    """The beginning of a turn."""
    rest = [*told.failed, *([f"The last answer began: {told.last_said}"] if told.last_said else [])]
    parts = (("Request", told.asked), ("Done So Far", told.done), ("Needed to Go On", rest))
    return "\n\n".join("\n".join([f"### {title}", *_listed(points)]) for title, points in parts)


def _listed(points: Iterable[str], mark: str = "", *, numbered: bool = False) -> Sequence[str]:
    """The points, each once; of very many the latest."""
    each_once = list(dict.fromkeys(points))
    left_out = len(each_once) - _MOST
    shown = each_once[-_MOST:]
    if left_out > 0:
        shown[:0] = [f"({left_out} earlier)"]
    if not shown:
        return [f"- {_NONE}"]
    return [f"{number}. {each}" if numbered else f"- {mark}{each}" for number, each in enumerate(shown, 1)]


def _points(summary: str, *titles: str) -> Iterator[str]:
    """What an earlier summary of these forms has under some headings."""
    for title in titles:
        section = re.search(rf"^##+ {title}\n(.*?)(?=\n\n|\n##|\Z)", summary, re.DOTALL | re.MULTILINE)
        for line in section[1].splitlines() if section is not None else ():
            point = re.sub(r"^- (?:\[.\] )?", "", line)
            if point != line and point != _NONE and not re.fullmatch(r"\(\d+ earlier\)", point):
                yield point


def _point(text: str) -> str:
    """The text on one line, shortened; a quotation stays one."""
    line = " ".join(text.split())
    if len(line) > _LONGEST and line.startswith("“"):
        return f"{shortened(line, _LONGEST)}”"
    return shortened(line, _LONGEST)
