"""Small texts that tell what is not shown."""

from __future__ import annotations


def more_lines(count: int, key: str, what: str = "more") -> str:
    """`…12 more lines, ctrl+o`."""
    noun = "line" if count == 1 else "lines"
    return f"…{count:,} {what} {noun}" + (f", {key}" if key else "")


def duration(seconds: float) -> str:
    """A time for people: `0.3 s`, `12 s`, `3 min 5 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def running_for(seconds: int) -> str:
    """The time of what still runs, in whole seconds: `7 s`, `3 min 5 s`."""
    return duration(seconds) if seconds >= 10 else f"{seconds} s"


def count_of(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
