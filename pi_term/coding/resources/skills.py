"""Skills: instructions for one kind of work, which a model reads when it has such work.

A skill is a folder with a SKILL.md (https://agentskills.io); in the program's own folders, a single
Markdown file with a description is one, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.coding.resources.commands import SKILL_PREFIX, CommandInfo
from pi_term.coding.resources.documents import Documents
from pi_term.coding.resources.frontmatter import Document
from pi_term.coding.resources.markup import escaped
from pi_term.coding.resources.places import Origin, Place

KEYS = ("name", "description", "disable-model-invocation", "license", "compatibility", "allowed-tools")
_FILE = "SKILL.md"
_SUFFIX = ".md"
_SKIPPED = frozenset({"node_modules"})
_DEEPEST = 20  # folders in folders


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill. One that is `hidden` is used only when people call it."""

    name: str
    description: str
    path: Path
    origin: Origin
    body: str
    hidden: bool = False

    def expand(self, arguments: str) -> str:
        """The prompt that its command makes: its instructions, then the text behind the name."""
        place = f'name="{escaped(self.name)}" location="{escaped(str(self.path))}"'
        folder = f"References are relative to {self.path.parent}."
        told = f"<skill {place}>\n{folder}\n\n{self.body}\n</skill>"
        return f"{told}\n\n{arguments}" if arguments else told

    def info(self) -> CommandInfo:
        """How front ends list it."""
        return CommandInfo(f"{SKILL_PREFIX}{self.name}", self.description, "skill", self.path, self.origin)


class SkillFinder:
    """Goes through places one after the other; a file or folder counts once, however it is linked."""

    def __init__(self, documents: Documents, problems: list[Diagnostic]) -> None:
        self._documents = documents
        self._problems = problems
        self._seen: set[str] = set()

    def find(self, place: Place) -> Iterator[Skill]:
        """The skills of a place, by path. What is no whole skill is reported."""
        if not os.path.isdir(place.path):
            yield from self._read(place.path, place, given=True)
            return
        for path in self._files(place.path, 0, loose=place.loose):
            yield from self._read(path, place)

    def _files(self, folder: Path, depth: int, *, loose: bool) -> Iterator[Path]:
        if depth > _DEEPEST or self._is_known(folder):
            return
        if os.path.isfile(folder / _FILE):
            yield folder / _FILE
            return
        for each in _entries(folder):
            if each.name.startswith(".") or each.name in _SKIPPED:
                continue
            if _is_folder(each):
                yield from self._files(folder / each.name, depth + 1, loose=False)
            elif loose and each.name.endswith(_SUFFIX):
                yield folder / each.name

    def _read(self, path: Path, place: Place, *, given: bool = False) -> Iterator[Skill]:
        """The skill in a file. One that nobody `given` by name and that is no skill is some other text."""
        if self._is_known(path) or (place.listing is not None and not place.listing.allows(path)):
            return
        try:
            document = self._documents.read(path)
        except PiTermError as error:
            self._warn(path, error.message, error.hint)
            return
        if not document.fields.get("description"):
            if given or path.name == _FILE or "name" in document.fields:
                self._warn(path, "this skill has no description, so it is not loaded")
            return
        yield self._skill(path, document, place.origin)

    def _skill(self, path: Path, document: Document, origin: Origin) -> Skill:
        if not document.closed:
            self._warn(path, "the --- that ends its head is missing")
        own = path.parent.name if path.name == _FILE else path.stem
        name = document.fields.get("name") or own
        if any(letter.isspace() for letter in name):
            self._warn(path, f'nobody can call the skill "{name}": its name has spaces')
        hidden = document.flag("disable-model-invocation")
        return Skill(name, document.fields["description"], path, origin, document.body.strip(), hidden)

    def _is_known(self, path: Path) -> bool:
        real = os.path.realpath(path)
        if real in self._seen:
            return True
        self._seen.add(real)
        return False

    def _warn(self, path: Path, message: str, hint: str = "") -> None:
        self._problems.append(Diagnostic("warning", message, path, hint=hint))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda each: each.name)
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle
        return False
