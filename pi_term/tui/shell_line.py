"""What a text that begins with `!` asks for."""

from __future__ import annotations


def shell_line(text: str) -> tuple[str, bool] | None:
    """The command for the user's shell, and whether models are not to see it (`!!`); None without any."""
    line = text.strip()
    excluded = line.startswith("!!")
    command = line[2 if excluded else 1 :].strip()
    return (command, excluded) if command else None
