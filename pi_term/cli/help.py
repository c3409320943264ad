"""The text of `--help`."""

from __future__ import annotations

from pi_term.cli.options import GROUPS, OPTIONS

_HEAD = """\
pi-term: a terminal coding agent

usage: pi-term [options] [@file ...] [message ...]     the full-screen program
       pi-term -p [options] [@file ...] [message ...]  print the answer and exit
       pi-term auth login|logout|check [provider]      keys of providers
       pi-term import-pi [folder]                      take over from Pi
       pi-term completions bash|zsh|fish               for your shell

Messages are prompts, sent one after the other. @file puts a text or an image
into the first, and so does what is piped in. After -- nothing is an option."""

_EXAMPLES = """\
Examples:
  pi-term --demo                          try it without a key
  pi-term "why does test_parser fail?"
  git diff | pi-term -p "review this change"
  pi-term -p @notes.md @screen.png "what is wrong here?"
  pi-term -c                              go on where you stopped in this folder
  pi-term --model sonnet:high --tools read,grep,find,ls -p "review src/"
  pi-term --mode json "run the tests" > events.jsonl
  pi-term -p -- "--- a text that begins with dashes ---"

Keys come from pi-term auth login, the environment (ANTHROPIC_API_KEY, ...) or
models.json. PI_TERM_HOME puts settings, sessions and all else into one folder."""


def help_text() -> str:
    """All options by group, with examples."""
    width = max(len(option.usage) for option in OPTIONS)
    groups = (
        "\n".join([f"{group.title}:", *(f"  {each.usage:<{width}}  {each.help}" for each in group.options)])
        for group in GROUPS
    )
    return "\n\n".join((_HEAD, *groups, _EXAMPLES))
