"""What people call by `/name`: prompt templates and skills, as front ends list them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.coding.resources.places import Origin

CommandSource: TypeAlias = Literal["prompt", "skill"]

SKILL_PREFIX = "skill:"


@dataclass(frozen=True, slots=True)
class CommandInfo:
    """A command, without its slash. `argument_hint` tells what may follow it ("" where nothing does)."""

    name: str
    description: str
    source: CommandSource
    path: Path
    origin: Origin
    argument_hint: str = ""

    def to_json(self) -> JsonObject:
        """What RPC clients get."""
        return {
            "name": self.name,
            "description": self.description,
            "source": self.source,
            "sourceInfo": self.origin.to_json(self.path),
        }


def split_call(text: str) -> tuple[str, str]:
    """The name and the arguments in a text that begins with a slash."""
    name, *rest = text[1:].split(maxsplit=1) if text[1:2].strip() else [""]
    return name, rest[0].strip() if rest else ""
