"""The simple requests that the demo model understands, and what it says to all others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pi_term.ai.context import Context
from pi_term.ai.demo import tour
from pi_term.ai.demo.history import Episode, episodes
from pi_term.ai.demo.sample import SAMPLE
from pi_term.ai.demo.summary import summary
from pi_term.ai.messages import ToolResultMessage, text_of
from pi_term.ai.scripted import Call, Part, Say, Think
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.text import fenced

_SHOWN = 10  # lines of a result that a report repeats

HELP = """\
I am the **demo model**: a script, not a language model. I understand a few requests and run the real \
tools in this folder:

| type | and I |
|---|---|
| `tour` | show reading, editing, running tests, steering and follow-ups (writes a small `pi-term-demo/` folder) |
| `read FILE` | read a file |
| `run COMMAND` | run a shell command |
| `write FILE: TEXT` | write a file |
| `edit FILE: OLD -> NEW` | replace a text in a file |
| `think` | reason before answering |
| `markdown` | stream a page of markdown |

While I work, **Enter** steers and **Alt+Enter** queues a follow-up. `/model` switches to a real model."""


@dataclass(frozen=True, slots=True)
class Request:
    """A form of words, and the tool call that it means."""

    pattern: re.Pattern[str]
    tool: str
    arguments: Callable[[re.Match[str]], JsonObject]


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:please\s+)?{pattern}\s*\Z", re.IGNORECASE | re.DOTALL)


def _bare(text: str) -> str:
    """Without the backticks that a user of markdown puts around it; those inside stay."""
    inside = text[1:-1]
    return inside if text[:1] == text[-1:] == "`" and inside and "`" not in inside else text


REQUESTS = (
    Request(_form(r"read\s+(?P<path>.+?)"), "read", lambda found: {"path": _bare(found["path"])}),
    Request(
        _form(r"(?:run\s+|\$\s*)(?P<command>.+?)"),
        "bash",
        lambda found: {"command": _bare(found["command"])},
    ),
    Request(
        _form(r"write\s+`?(?P<path>[^\s`:]+)`?:\s*(?P<content>.+?)"),
        "write",
        lambda found: {"path": found["path"], "content": found["content"] + "\n"},
    ),
    Request(
        _form(r"edit\s+`?(?P<path>[^\s`:]+)`?:\s*(?P<old>.+?)\s*->\s*(?P<new>.*?)"),
        "edit",
        lambda found: {
            "path": found["path"],
            "edits": [{"oldText": found["old"], "newText": found["new"]}],
        },
    ),
)


def answer(context: Context) -> Sequence[Part]:
    """The parts of the next answer, from the conversation alone."""
    summarised = summary(context)
    if summarised is not None:
        return [Say(summarised)]
    history = episodes(context)
    if not history:
        return [Say(HELP)]
    running = tour.running(history)
    if running is not None:
        return tour.answer(running, history)
    new = [episode for episode in history if not episode.answered]
    if not new:
        return _reports(history[-1]) or [Say(HELP)]
    before = history[-len(new) - 1 : -len(new)]
    late = [part for episode in before if not episode.concluded for part in _reports(episode)]
    # What people did not type as a prompt (the output of their commands, summaries, notes) stands before it.
    asked = [parts for episode in new[:-1] if (parts := _request(episode.text))]
    return [*late, *(part for parts in asked for part in parts), *_first_answer(new[-1])]


def _first_answer(episode: Episode) -> Sequence[Part]:
    unknown = [Say(f"I got {episode.quote}, but I am only a script.\n\n{HELP}")]
    return _request(episode.text) or unknown


def _request(text: str) -> Sequence[Part]:
    """What is done about a text that is understood; nothing about any other."""
    for request in REQUESTS:
        found = request.pattern.match(text)
        if found is not None:
            return [Call(request.tool, request.arguments(found))]
    match text.casefold().strip(" .!?"):
        case "think":
            return [
                Think("Somebody wants to see reasoning. This is what it looks like."),
                Say("Done thinking."),
            ]
        case "markdown":
            return [Say(SAMPLE)]
        case "help" | "":
            return [Say(HELP)]
    return []


def _reports(episode: Episode) -> list[Part]:
    """What the tools of an episode came to, for those who do not see their rows."""
    return [Say(_report(result)) for result in episode.results]


def _report(result: ToolResultMessage) -> str:
    lines = text_of(result.content).rstrip().splitlines()
    shown = lines[-_SHOWN:] if result.tool_name == "bash" else lines[:_SHOWN]
    end = "**failed**" if result.is_error else "is done"
    part = "" if len(lines) <= _SHOWN else f" ({len(lines)} lines, {len(shown)} of them here)"
    text = "\n".join(shown)
    return f"`{result.tool_name}` {end}{part}:\n\n{fenced(text)}\n"
