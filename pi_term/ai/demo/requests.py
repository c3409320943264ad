"""The simple requests that the demo model understands, and what it says to all others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pi_term.ai.context import Context
from pi_term.ai.demo import tour
from pi_term.ai.demo.history import Episode, episodes
from pi_term.ai.demo.sample import SAMPLE
from pi_term.ai.messages import text_of
from pi_term.ai.scripted import Call, Part, Say, Think
from pi_term.base.json import JsonObject

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


REQUESTS = (
    Request(_form(r"read\s+`?(?P<path>[^`]+?)`?"), "read", lambda found: {"path": found["path"]}),
    Request(
        _form(r"(?:run\s+|\$\s*)`?(?P<command>[^`]+?)`?"), "bash", lambda found: {"command": found["command"]}
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
    history = episodes(context)
    if not history:
        return [Say(HELP)]
    running = tour.running(history)
    if running is not None:
        return tour.answer(running, history)
    return _simple(history[-1])


def _simple(episode: Episode) -> Sequence[Part]:
    text = episode.text
    for request in REQUESTS:
        found = request.pattern.match(text)
        if found is not None:
            return _report(episode) if episode.results else [Call(request.tool, request.arguments(found))]
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
    return [Say(f"I got “{_short(text)}”, but I am only a script.\n\n{HELP}")]


def _report(episode: Episode) -> Sequence[Part]:
    result = episode.results[-1]
    size = len(text_of(result.content).splitlines())
    if result.is_error:
        return [Say(f"`{result.tool_name}` **failed**; the row above says why.")]
    return [Say(f"`{result.tool_name}` is done: {size} line{'' if size == 1 else 's'}.")]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"
