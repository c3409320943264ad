"""Slash commands: names for actions."""

from __future__ import annotations

import re
from pathlib import Path

from pi_term.base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """`/name`: does the action `action_id`; `argument` is the hint of what may follow, "" for nothing."""

    name: str
    action_id: str
    description: str
    argument: str = ""


COMMANDS: tuple[SlashCommand, ...] = (
    SlashCommand("model", "app.model.select", "Choose a model", "[name]"),
    SlashCommand("scoped-models", "app.model.scoped", "Choose the models that Ctrl+P goes through"),
    SlashCommand("thinking", "app.thinking.select", "How hard the model thinks", "[level]"),
    SlashCommand("login", "app.login", "Give a provider's key, or sign in", "[provider]"),
    SlashCommand("logout", "app.logout", "Remove what is stored for a provider", "[provider]"),
    SlashCommand("settings", "app.settings", "See and change every setting"),
    SlashCommand("resume", "app.session.resume", "Go on with an earlier session"),
    SlashCommand("new", "app.session.new", "Start a new session"),
    SlashCommand("name", "app.session.name", "Name the session, or show its name", "[name]"),
    SlashCommand("session", "app.session.info", "Show file, messages, tokens and cost"),
    SlashCommand("tree", "app.session.tree", "Go to another place in the session"),
    SlashCommand("fork", "app.session.fork", "New session from before one of your prompts"),
    SlashCommand("rewind", "app.session.rewind", "Take files and conversation back to before a prompt"),
    SlashCommand("clone", "app.session.clone", "Copy this branch into a new session"),
    SlashCommand("compact", "app.session.compact", "Shorten what the model sees", "[instructions]"),
    SlashCommand("queue", "app.queue.edit", "Edit, move or delete what waits"),
    SlashCommand("import", "app.session.import", "Take in a session file and open it", "[path]"),
    SlashCommand("export", "app.session.export", "Write the session as HTML or JSONL", "[path]"),
    SlashCommand("copy", "app.message.copy", "Copy the last answer"),
    SlashCommand("search", "tui.altScreen.search", "Look through all that was said and done", "[text]"),
    SlashCommand("trust", "app.trust", "Whether this folder's own configuration counts"),
    SlashCommand("reload", "app.reload", "Read settings, keys, themes and resources again"),
    SlashCommand("hotkeys", "app.hotkeys", "Show what every key does"),
    SlashCommand("changelog", "app.changelog", "Show what is new"),
    SlashCommand("theme", "app.theme", "Choose colours", "[name]"),
    SlashCommand("keymap", "app.keymap", "Choose which keys do what", "[name]"),
    SlashCommand("context", "app.context.lens", "See and change what the model gets next"),
    SlashCommand("changes", "app.changes", "See what the agent changed, and take it back"),
    SlashCommand("quit", "app.exit", "Quit"),
)
_BY_NAME = {command.name: command for command in COMMANDS}
_FORM = re.compile(r"/([a-z][a-z-]*)(?:\s+(.*))?\Z", re.DOTALL)


def find_command(text: str) -> tuple[SlashCommand, str] | None:
    """The command that a prompt calls, with its argument; None for any other text."""
    found = _FORM.match(text.strip())
    command = _BY_NAME.get(found[1]) if found else None
    if found is None or command is None:
        return None
    argument = (found[2] or "").strip()
    return None if argument and not command.argument else (command, argument)


def no_command(text: str) -> str | None:
    """What to say of a text that calls a command there is none of; None for any other text.

    A path is no command, nor is what follows a known one that takes nothing.
    """
    found = _FORM.match(text.strip())
    if found is None or found[1] in _BY_NAME or Path(f"/{found[1]}").exists():
        return None
    from difflib import get_close_matches

    close = get_close_matches(found[1], _BY_NAME, n=1, cutoff=0.6)
    known = f"Did you mean /{close[0]}?" if close else f"There are /{', /'.join(_BY_NAME)}."
    return f"There is no command /{found[1]}. {known}"
