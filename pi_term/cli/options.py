"""The options of the command line, as a table: it is read, explained and completed from here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pi_term.coding.tools.operations import Operations

# As in `pi_term.ai.models`, which takes too long to load for a `--help`.
LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
MODES = ("text", "json", "rpc")

Take: TypeAlias = Literal["flag", "one", "many", "words"]
"""What follows an option: nothing, a value, a value each time it is given, or a list with commas."""
Fill: TypeAlias = Literal["", "file", "folder", "model", "provider", "tool"]
"""What a shell offers for a value."""


class Option(NamedTuple):  # no dataclass: this is on the way of every start
    """One option: its names, the attribute it sets, what it does, and the value it takes.

    One that takes no value sets `constant`. `choices` are the values that there are.
    """

    names: tuple[str, ...]
    target: str
    help: str
    value: str = ""
    take: Take = "flag"
    constant: bool = True
    choices: tuple[str, ...] = ()
    fill: Fill = ""

    @property
    def usage(self) -> str:
        """The names and the value, as the help shows them."""
        return ", ".join(self.names) + (f" {self.value}" if self.value else "")


class Group(NamedTuple):
    """Options that belong together."""

    title: str
    options: tuple[Option, ...]


def _flag(names: str, target: str, help: str, constant: bool = True) -> Option:
    return Option(tuple(names.split()), target, help, constant=constant)


def _one(
    names: str, target: str, value: str, help: str, *, fill: Fill = "", choices: tuple[str, ...] = ()
) -> Option:
    return Option(tuple(names.split()), target, help, value, "one", fill=fill, choices=choices)


def _many(names: str, target: str, value: str, help: str, fill: Fill = "") -> Option:
    return Option(tuple(names.split()), target, help, value, "many", fill=fill)


def _words(names: str, target: str, value: str, help: str, fill: Fill = "") -> Option:
    return Option(tuple(names.split()), target, help, value, "words", fill=fill)


GROUPS: tuple[Group, ...] = (
    Group(
        "Output",
        (
            _flag("--print -p", "print_mode", "print the final answer and exit"),
            _flag("--plain", "plain", "labelled lines, as for screen readers"),
            _one("--mode", "mode", "MODE", "text, json (events as JSON lines) or rpc", choices=MODES),
            _one("--export", "export", "FILE", "write a session file as HTML and exit", fill="file"),
        ),
    ),
    Group(
        "Model",
        (
            _one("--model", "model", "NAME", "provider/id or part of a name, with :LEVEL", fill="model"),
            _one("--provider", "provider", "NAME", "the provider of --model", fill="provider"),
            _one("--api-key", "api_key", "KEY", "the key of its provider, for this run"),
            _one("--thinking", "thinking", "LEVEL", " ".join(LEVELS), choices=LEVELS),
            _words("--models", "models", "NAMES", "go through these only: openai/*,*sonnet*", "model"),
            _flag("--list-models", "list_models", "list usable models (with these words); exit"),
            _flag("--local", "local", "with --list-models: local servers, too"),
            _flag("--demo", "demo", "a scripted model: no key, no network"),
            _one("--max-cost", "max_cost", "USD", "ask (or end) before more is spent"),
        ),
    ),
    Group(
        "Session",
        (
            _flag("--continue -c", "continue_session", "go on with this folder's last session"),
            _flag("--resume -r", "resume", "choose a session to go on with"),
            _one("--session", "session", "FILE|ID", "open a session; ids may be cut short", fill="file"),
            _one("--session-id", "session_id", "ID", "open this folder's session ID, or begin it"),
            _one("--fork", "fork", "FILE|ID", "go on in a copy of a session", fill="file"),
            _one("--session-dir", "session_dir", "DIR", "keep sessions in this folder", fill="folder"),
            _flag("--no-session", "no_session", "keep nothing on disk"),
            _one("--name -n", "name", "NAME", "name the session"),
        ),
    ),
    Group(
        "Tools",
        (
            _words("--tools -t", "tools", "NAMES", "only these, or changes: +NAME,-NAME", "tool"),
            _words(
                "--exclude-tools -xt",
                "exclude_tools",
                "NAMES",
                "without these; * stands for anything",
                "tool",
            ),
            _flag("--no-builtin-tools -nbt", "builtin_tools", "no built-in tools but those named", False),
            _flag("--no-tools -nt", "any_tools", "no tools but those named", False),
        ),
    ),
    Group(
        "Instructions and files",
        (
            _one(
                "--system-prompt", "system_prompt", "TEXT|FILE", "instead of the built-in prompt", fill="file"
            ),
            _many("--append-system-prompt", "append", "TEXT|FILE", "add to the prompt; repeatable", "file"),
            _many("--skill", "skills", "PATH", "a skill, or a folder; repeatable", "file"),
            _flag("--no-skills -ns", "no_skills", "no skills but those given"),
            _many("--prompt-template", "templates", "PATH", "a template, or a folder; repeatable", "file"),
            _flag("--no-prompt-templates -np", "no_templates", "no templates but those given"),
            _flag("--no-context-files -nc", "context_files", "no AGENTS.md, no CLAUDE.md", False),
            _many("--theme", "themes", "PATH", "a theme, or a folder; repeatable", "file"),
            _one("--use-theme", "theme", "NAME", "the theme of this run"),
            _flag("--no-themes", "no_themes", "only shipped themes, and those given"),
        ),
    ),
    Group(
        "This run",
        (
            _flag("--approve -a", "trust", "trust this project's .pi folder"),
            _flag("--no-approve -na", "trust", "do not trust it", False),
            _flag("--offline", "offline", "ask nothing of the network but the model"),
            _flag("--debug", "debug", "write a log (see docs/troubleshooting.md)"),
            _flag("--version -v", "version", "print the version and exit"),
            _flag("--help -h", "help", "print this and exit"),
        ),
    ),
)
OPTIONS = tuple(option for group in GROUPS for option in group.options)
BY_NAME = {name: option for option in OPTIONS for name in option.names}

_NO_EXTENSIONS = "pi-term has no extensions yet"
_ONE_INTERFACE = "pi-term has one interface yet, the full screen"
NOT_YET = {
    "--extension": _NO_EXTENSIONS,
    "-e": _NO_EXTENSIONS,
    "--no-extensions": _NO_EXTENSIONS,
    "-ne": _NO_EXTENSIONS,
    "--no-mcp": "pi-term has no MCP yet",
    "--tui-mode": _ONE_INTERFACE,
    "--verbose": "pi-term always shows what it has loaded",
}
"""Options of Pi that mean nothing here yet, and why."""
NO_COMMANDS = ("install", "remove", "uninstall", "update", "list", "config", "mcp")
"""Commands of Pi about packages and MCP, which are not here yet."""


class Arguments:
    """What the user asked for on the command line. `files` are those given with `@`."""

    print_mode: bool = False
    plain: bool = False
    mode: str = "text"
    export: str | None = None
    model: str | None = None
    provider: str | None = None
    api_key: str | None = None
    thinking: str | None = None
    list_models: bool = False
    local: bool = False
    demo: bool = False
    max_cost: str | None = None
    continue_session: bool = False
    resume: bool = False
    session: str | None = None
    session_id: str | None = None
    fork: str | None = None
    session_dir: str | None = None
    no_session: bool = False
    name: str | None = None
    tools: list[str] | None = None
    builtin_tools: bool = True
    any_tools: bool = True
    system_prompt: str | None = None
    no_skills: bool = False
    no_templates: bool = False
    context_files: bool = True
    theme: str | None = None
    no_themes: bool = False
    trust: bool | None = None
    offline: bool = False
    debug: bool = False
    version: bool = False
    help: bool = False

    operations: Operations | None = None  # of the program that starts this one

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.files: list[str] = []
        self.models: list[str] = []
        self.exclude_tools: list[str] = []
        self.append: list[str] = []
        self.skills: list[str] = []
        self.templates: list[str] = []
        self.themes: list[str] = []

    @property
    def settings(self) -> dict[str, object]:
        """The settings that these arguments override, by dotted key."""
        given = {"theme": self.theme, "spendLimit": None if self.max_cost is None else float(self.max_cost)}
        return {key: value for key, value in given.items() if value is not None}
