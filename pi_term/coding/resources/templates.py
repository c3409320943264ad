"""Prompt templates: Markdown files that people send by name, with arguments."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.coding.resources.arguments import split_arguments, substitute
from pi_term.coding.resources.commands import CommandInfo
from pi_term.coding.resources.documents import Documents
from pi_term.coding.resources.places import Origin, Place

KEYS = ("description", "argument-hint")
_SUFFIX = ".md"
_LONGEST = 60  # letters of a first line that stands for a description


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A template; it is called by its `name`, which is that of its file."""

    name: str
    path: Path
    origin: Origin
    description: str
    argument_hint: str
    body: str

    def expand(self, arguments: str) -> str:
        """The prompt that it makes with the text behind its name."""
        return substitute(self.body, split_arguments(arguments))

    def info(self) -> CommandInfo:
        """How front ends list it."""
        return CommandInfo(self.name, self.description, "prompt", self.path, self.origin, self.argument_hint)


def find_templates(
    place: Place, documents: Documents, problems: list[Diagnostic]
) -> Iterator[PromptTemplate]:
    """The templates of a place: the file itself, or the Markdown files directly in the folder, by name."""
    for path in _files(place.path):
        if place.listing is not None and not place.listing.allows(path):
            continue
        try:
            document = documents.read(path)
        except PiTermError as error:
            problems.append(Diagnostic("warning", error.message, path, hint=error.hint))
            continue
        if not document.closed:
            problems.append(Diagnostic("warning", "the --- that ends its head is missing", path, line=1))
        description = document.fields.get("description") or _first_line(document.body)
        hint = document.fields.get("argument-hint", "")
        yield PromptTemplate(path.stem, path, place.origin, description, hint, document.body)


def _files(path: Path) -> list[Path]:
    if not os.path.isdir(path):
        return [path]
    try:
        with os.scandir(path) as entries:
            names = sorted(each.name for each in entries if each.name.endswith(_SUFFIX))
    except OSError:
        return []
    return [path / name for name in names if name[0] != "." and os.path.isfile(path / name)]


def _first_line(body: str) -> str:
    line = next((line.strip() for line in body.split("\n") if line.strip()), "")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
