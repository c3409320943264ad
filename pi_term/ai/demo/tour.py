"""The guided tour: five tool calls on a small project of its own, steered and followed up by the user.

Where the tour stands is read off the conversation: its results so far say which step is next.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shlex import quote
from shutil import which

from pi_term.ai.demo.history import Episode
from pi_term.ai.scripted import Call, Part, Say, Think

FOLDER = "pi-term-demo"
_PROGRAM = '''\
def greet(name):
    """A friendly greeting."""
    return f"Hello, {name}"


if __name__ == "__main__":
    print(greet("world"))
'''
_CHECK = """\
import time

from greet import greet

for number, name in enumerate(["Ada", "Grace", "Alan", "Edsger"], start=1):
    time.sleep(SECONDS)
    text = greet(name)
    assert text == f"Hello, {name}!", text
    print(f"check {number}: {text}", flush=True)
print("all checks passed")
"""
CHECK_SECONDS = 2.0  # a check: long enough to type a steering message while four of them run


def steps() -> Sequence[Sequence[Part]]:
    """What the tour says and does, turn by turn; each turn but the farewell ends with tool calls."""
    return (
        (
            Think(
                "A tour needs something to work on. I make a small project of my own, so nothing here is touched."
            ),
            Say(
                f"Welcome! I am a script, but the tools are real. First I **write** a small program into `{FOLDER}/`."
            ),
            Call("write", {"path": f"{FOLDER}/greet.py", "content": _PROGRAM}),
            Call(
                "write",
                {"path": f"{FOLDER}/check.py", "content": _CHECK.replace("SECONDS", f"{CHECK_SECONDS:g}")},
            ),
        ),
        (
            Say(
                "Both rows above are tool calls: `Ctrl+O` opens and closes what they hold. Now I **read** a file back."
            ),
            Call("read", {"path": f"{FOLDER}/greet.py"}),
        ),
        (
            Say(
                "The greeting lacks its exclamation mark. I **edit** just that line; the row shows the difference."
            ),
            Call(
                "edit",
                {
                    "path": f"{FOLDER}/greet.py",
                    "edits": [{"oldText": 'f"Hello, {name}"', "newText": 'f"Hello, {name}!"'}],
                },
            ),
        ),
        (
            Say(
                "Now I **run** the checks, which take a few seconds. **Type something and press `Enter`** while they "
                "run: it steers me, and I answer in my next turn. `Alt+Enter` queues a follow-up for the end. "
                "`Escape` stops me."
            ),
            Call("bash", {"command": f"cd {FOLDER} && {_python()} check.py"}),
        ),
    )


def _python() -> str:
    """A Python for the shell: the short name where there is one, else the one that runs us."""
    return "python3" if which("python3") else quote(sys.executable)


FAREWELL = f"""\
**That was the tour.** Everything is on disk: `pi-term -c` resumes this session, and `{FOLDER}/` can be deleted.

- `/new` starts afresh, `/model` picks a real model, `/quit` leaves.
- Now that I am done, anything you queued with `Alt+Enter` is delivered as a follow-up."""


def running(history: Sequence[Episode]) -> int | None:
    """The index of the episode that started a tour which is not over, or None."""
    for index in range(len(history) - 1, -1, -1):
        if history[index].text.casefold().strip(" .!`") == "tour":
            return None if _is_over(history, index) else index
    return None


def answer(start: int, history: Sequence[Episode]) -> Sequence[Part]:
    """The tour's next step; a steering message that has come in is answered first."""
    steered = [episode for episode in history[start + 1 :] if not episode.answered]
    opening: list[Part] = [
        Say(f"You steered me: {each.quote}. I heard you, and go on.\n\n") for each in steered
    ]
    results = [result for episode in history[start:] for result in episode.results]
    failed = next((result for result in results if result.is_error), None)
    if failed is not None:
        return [
            *opening,
            Say(f"`{failed.tool_name}` failed, so the tour ends here. `tour` starts it again."),
        ]
    reached = 0
    for step in steps():
        reached += sum(isinstance(part, Call) for part in step)
        if len(results) < reached:
            return [*opening, *step]
    return [*opening, Say(FAREWELL)]


def _is_over(history: Sequence[Episode], start: int) -> bool:
    """A tour ends with an answer that asks for no tool; what the user says later is not steering."""
    return any(episode.concluded for episode in history[start:])
