"""Reading the command line.

Options may stand anywhere. What is no option is a message, or with `@` a file; an argument that begins
with a dash but holds white space is a message too, and after `--` there are no more options.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pi_term.base.errors import PiTermError
from pi_term.cli.options import BY_NAME, LEVELS, MODES, NO_COMMANDS, NOT_YET, Arguments, Option

_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def parse(argv: Sequence[str]) -> Arguments:
    """Read the arguments; raises `PiTermError("usage")` with one clear line."""
    found = Arguments()
    rest = list(argv)
    if rest and rest[0] in NO_COMMANDS:
        raise _usage(f"{rest[0]}: pi-term has no such command yet. As a message, it goes after --.")
    while rest:
        word = rest.pop(0)
        if word == "--":
            for each in rest:
                _take_text(found, each)
            break
        if not word.startswith("-") or word == "-" or any(char.isspace() for char in word):
            _take_text(found, word)
        else:
            _take_option(found, word, rest)
    _check(found)
    return found


def _take_text(found: Arguments, word: str) -> None:
    if word.startswith("@") and len(word) > 1:
        found.files.append(word[1:])
    else:
        found.messages.append(word)


def _take_option(found: Arguments, word: str, rest: list[str]) -> None:
    name, equals, attached = word.partition("=")
    option = BY_NAME.get(name)
    if option is None:
        raise _usage(_unknown(name))
    if option.take == "flag":
        if equals:
            raise _usage(f"{name} takes no value.")
        setattr(found, option.target, option.constant)
    elif equals:
        _set(found, option, attached)
    elif rest and rest[0] not in BY_NAME:
        _set(found, option, rest.pop(0))
    else:
        raise _usage(f"{name} needs a value: {option.usage}.")


def _set(found: Arguments, option: Option, value: str) -> None:
    if option.take == "one":
        setattr(found, option.target, value)
        return
    new = [value] if option.take == "many" else [word.strip() for word in value.split(",") if word.strip()]
    before = getattr(found, option.target) if option.take == "many" else []
    setattr(found, option.target, [*before, *new])


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    if name in NOT_YET:
        return f"{name}: {NOT_YET[name]}."
    close = get_close_matches(name, BY_NAME, n=2, cutoff=0.75)
    meant = f" Did you mean {' or '.join(close)}?" if close else ""
    return f"Unknown option {name}.{meant}"


def _check(found: Arguments) -> None:
    for problem in (
        _session_problem(found),
        _value_problem(found),
        _mode_problem(found),
        _model_problem(found),
    ):
        if problem:
            raise _usage(problem)


def _session_problem(found: Arguments) -> str | None:
    chosen = {
        "--session": found.session is not None,
        "--continue": found.continue_session,
        "--resume": found.resume,
        "--session-id": found.session_id is not None,
        "--fork": found.fork is not None,
    }
    given = [name for name, is_given in chosen.items() if is_given]
    if len(given) > 1 and given != ["--session-id", "--fork"]:  # these two: the copy gets that id
        return f"{given[0]} and {given[1]} exclude each other."
    opened = [name for name in given if name not in ("--continue", "--session-id")]
    if found.no_session and opened:
        return f"--no-session and {opened[0]} exclude each other."
    return None


def _value_problem(found: Arguments) -> str | None:
    if found.session_id is not None and not _SESSION_ID.fullmatch(found.session_id):
        return "--session-id takes letters and digits, inside also . _ and -."
    if found.name is not None and not found.name.strip():
        return "--name needs a name."
    if found.thinking is not None and found.thinking not in LEVELS:
        return f"{found.thinking!r} is no thinking level: {', '.join(LEVELS)}."
    if found.max_cost is not None and not re.fullmatch(r"\d+(\.\d*)?|\.\d+", found.max_cost):
        return f"--max-cost takes a number of dollars, not {found.max_cost!r}."
    changes = [name for name in found.tools or () if name[0] in "+-"]
    if changes and len(changes) < len(found.tools or ()):
        return "--tools takes names, or changes like +grep,-write, but not both."
    return None


def _mode_problem(found: Arguments) -> str | None:
    if found.mode not in MODES:
        return f"{found.mode!r} is no mode: {', '.join(MODES)}."
    if found.mode == "rpc" and found.files:
        return "@files are not supported in rpc mode: its prompts come from standard input."
    if found.mode == "rpc" and found.messages:
        return "Messages are not supported in rpc mode: its prompts come from standard input."
    return None


def _model_problem(found: Arguments) -> str | None:
    if found.local and not found.list_models:
        return "--local goes with --list-models."
    if found.api_key is not None and not (found.model or found.models or found.provider):
        return "--api-key goes with --model, --models or --provider."
    return None


def _usage(message: str) -> PiTermError:
    return PiTermError("usage", message, "See pi-term --help.")
