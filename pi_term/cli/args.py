"""The command line as data, and its reader.

Options may stand anywhere. What is not an option is a message; an argument that begins with a dash but
holds white space is a message too, and after `--` everything is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pi_term.base.errors import PiTermError


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its names, the attribute it sets, what it does, and the value it takes.

    One that takes no value ("") sets `constant`.
    """

    names: tuple[str, ...]
    target: str
    help: str
    value: str = ""
    constant: bool = True

    @property
    def usage(self) -> str:
        """The names and the value, as the help shows them."""
        return ", ".join(self.names) + (f" {self.value}" if self.value else "")


OPTIONS: tuple[Option, ...] = (
    Option(("--print", "-p"), "print_mode", "print the final answer and exit"),
    Option(("--demo",), "demo", "use the built-in scripted model: no key, no network"),
    Option(("--model",), "model", "provider/id, or a part of a name; id:LEVEL sets thinking", "NAME"),
    Option(("--provider",), "provider", "the provider of --model", "NAME"),
    Option(("--api-key",), "api_key", "the key for the model's provider, for this run", "KEY"),
    Option(("--thinking",), "thinking", "off, minimal, low, medium, high, xhigh or max", "LEVEL"),
    Option(("--continue", "-c"), "continue_session", "go on with the last session of this folder"),
    Option(("--session",), "session", "open a session: a file, or the beginning of its id", "FILE|ID"),
    Option(("--session-dir",), "session_dir", "keep sessions in this folder", "DIR"),
    Option(("--no-session",), "no_session", "keep nothing on disk"),
    Option(("--approve", "-a"), "trust", "trust this project's .pi folder for this run"),
    Option(("--no-approve", "-na"), "trust", "do not trust it for this run", constant=False),
    Option(("--use-theme",), "theme", "the theme for this run", "NAME"),
    Option(("--list-models",), "list_models", "list the models that can be used, and exit"),
    Option(("--debug",), "debug", "write a log (see docs/troubleshooting.md)"),
    Option(("--version", "-v"), "version", "print the version and exit"),
    Option(("--help", "-h"), "help", "print this and exit"),
)
_BY_NAME = {name: option for option in OPTIONS for name in option.names}


@dataclass(slots=True)
class Arguments:
    """What the user asked for on the command line."""

    messages: list[str] = field(default_factory=list)
    print_mode: bool = False
    demo: bool = False
    model: str | None = None
    provider: str | None = None
    api_key: str | None = field(default=None, repr=False)
    thinking: str | None = None
    continue_session: bool = False
    session: str | None = None
    session_dir: str | None = None
    no_session: bool = False
    trust: bool | None = None
    theme: str | None = None
    list_models: bool = False
    debug: bool = False
    version: bool = False
    help: bool = False

    @property
    def settings(self) -> dict[str, object]:
        """The settings that these arguments override, by dotted key."""
        return {} if self.theme is None else {"theme": self.theme}


def parse(argv: Sequence[str]) -> Arguments:
    """Read the arguments; raises `PiTermError("usage")` with one clear line."""
    found = Arguments()
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            found.messages += rest
            break
        if not word.startswith("-") or word == "-" or any(char.isspace() for char in word):
            found.messages.append(word)
            continue
        _take(found, word, rest)
    _check(found)
    return found


def _take(found: Arguments, word: str, rest: list[str]) -> None:
    name, equals, attached = word.partition("=")
    option = _BY_NAME.get(name)
    if option is None:
        raise _usage(f"Unknown option {name}.{_suggestion(name)}")
    if not option.value:
        if equals:
            raise _usage(f"{name} takes no value.")
        setattr(found, option.target, option.constant)
    elif equals:
        setattr(found, option.target, attached)
    elif rest and rest[0] not in _BY_NAME:
        setattr(found, option.target, rest.pop(0))
    else:
        raise _usage(f"{name} needs a value: {option.usage}.")


def _check(found: Arguments) -> None:
    if found.session is not None and found.continue_session:
        raise _usage("--session and --continue exclude each other.")
    if found.no_session and (found.session is not None or found.continue_session):
        raise _usage("--no-session cannot open a session.")


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, _BY_NAME, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _usage(message: str) -> PiTermError:
    return PiTermError("usage", message, "See pi-term --help.")


def help_text() -> str:
    """The text of `--help`."""
    width = max(len(option.usage) for option in OPTIONS)
    rows = "\n".join(f"  {option.usage:<{width}}  {option.help}" for option in OPTIONS)
    return f"""\
pi-term: a terminal coding agent

usage: pi-term [options] [message ...]
       pi-term -p [options] [message ...] < more-text

  Without -p, messages are sent as the first prompts of the full-screen program.
  A message that begins with a dash goes after --.

options:
{rows}

Keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY) or from models.json.
PI_TERM_HOME puts settings, sessions and everything else under one folder."""
