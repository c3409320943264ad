"""Where instructions, templates, skills, themes and keymaps come from.

No other place reads files of the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.files import read_text
from pi_term.base.paths import AppPaths, shipped
from pi_term.coding.resources.options import NamedKind, ResourceOptions
from pi_term.coding.resources.places import Source, Surroundings
from pi_term.coding.resources.project import ProjectFolder

if TYPE_CHECKING:
    from pi_term.coding.resources.commands import CommandInfo
    from pi_term.coding.resources.listing import Listings
    from pi_term.coding.resources.shelf import Shelf
    from pi_term.coding.resources.skills import Skill
    from pi_term.coding.resources.templates import PromptTemplate

_CONTEXT_NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class ContextFile:
    """Instructions for the model from one folder."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class Resource:
    """A file that can be chosen by name (its own, without the suffix)."""

    name: str
    path: Path
    source: Source


class _Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> Path: ...


N = TypeVar("N", bound=_Named)


class ResourceLoader:
    """Finds resources for one user in one folder.

    Every method looks at the disk anew. `diagnostics` tells what was wrong when each was last called.
    """

    def __init__(
        self,
        paths: AppPaths,
        project: ProjectFolder,
        options: ResourceOptions | None = None,
        listings: Listings | None = None,
    ) -> None:
        """`listings` are the lists of the settings files."""
        self._paths = paths
        self._project = project
        self._options = options or ResourceOptions()
        self._around = Surroundings(paths, project, self._options, listings or {})
        self._problems: dict[str, list[Diagnostic]] = {}
        self._told: set[Diagnostic] = set()

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was wrong with the files, in the order of the calls."""
        return [problem for problems in self._problems.values() for problem in problems]

    def news(self) -> list[Diagnostic]:
        """What of `diagnostics` this method has not told before."""
        found = [problem for problem in dict.fromkeys(self.diagnostics) if problem not in self._told]
        self._told.update(found)
        return found

    # --- prompts that people call

    def templates(self) -> dict[str, PromptTemplate]:
        """The prompt templates by name."""
        problems = self._problems["prompts"] = []
        places = list(self._around.places("prompts", problems))
        return first_of_each(self._shelf.templates(places, problems), problems) if places else {}

    def skills(self) -> dict[str, Skill]:
        """The skills by name."""
        problems = self._problems["skills"] = []
        places = list(self._around.places("skills", problems))
        return first_of_each(self._shelf.skills(places, problems), problems) if places else {}

    def commands(self) -> list[CommandInfo]:
        """What people can call: templates, then skills."""
        templates = [each.info() for each in self.templates().values()]
        return [*templates, *(each.info() for each in self.skills().values())]

    def called(self, text: str) -> CommandInfo | None:
        """The template or skill that a prompt calls; None for any other text."""
        found = self._call(text)
        return None if found is None else found[0].info()

    def expand(self, text: str) -> str:
        """What is sent for a prompt: for `/name arguments` what the template or skill makes of it.

        Any other text, of unknown names too, stays as it is.
        """
        found = self._call(text)
        return text if found is None else found[0].expand(found[1])

    def _call(self, text: str) -> tuple[PromptTemplate | Skill, str] | None:
        if not text.startswith("/"):
            return None
        from pi_term.coding.resources.commands import SKILL_PREFIX, split_call

        name, arguments = split_call(text)
        found: PromptTemplate | Skill | None = None
        if name.startswith(SKILL_PREFIX):
            found = self.skills().get(name.removeprefix(SKILL_PREFIX))
        found = found or self.templates().get(name)
        return None if found is None else (found, arguments)

    @cached_property
    def _shelf(self) -> Shelf:
        from pi_term.coding.resources.shelf import Shelf

        return Shelf()

    # --- what the model is told

    def context_files(self) -> list[ContextFile]:
        """The user's instructions, then those of each folder from the root down to the working one.

        A folder gives one file; these load without trust, because they are only told to the model.
        """
        problems = self._problems["context"] = []
        if not self._options.context_files:
            return []
        root = self._project.root
        folders = dict.fromkeys((self._paths.config, *reversed(root.parents), root))
        files = [_context_file(folder, problems) for folder in folders]
        return [file for file in files if file is not None]

    def system_prompt(self) -> str | None:
        """What replaces the built-in prompt: what the options give, else SYSTEM.md."""
        problems = self._problems["SYSTEM.md"] = []
        given = self._options.system_prompt
        if given is not None:
            return self._text_or_file(given, problems)
        return self._instructions("SYSTEM.md", problems)

    def appended_prompt(self) -> str | None:
        """What is added to the prompt: all that the options give, else APPEND_SYSTEM.md."""
        problems = self._problems["APPEND_SYSTEM.md"] = []
        given = self._options.appended
        if given:
            return "\n\n".join(self._text_or_file(each, problems) for each in given)
        return self._instructions("APPEND_SYSTEM.md", problems)

    # --- looks

    def named(self, kind: NamedKind) -> dict[str, Resource]:
        """All resources of a kind by name. Of one name the first source wins; the others are reported."""
        problems = self._problems[kind] = []
        return first_of_each(self._candidates(kind, problems), problems)

    def find(self, kind: NamedKind, name: str) -> Resource | None:
        """The resource of that name."""
        return self.named(kind).get(name)

    def _candidates(self, kind: NamedKind, problems: list[Diagnostic]) -> Iterator[Resource]:
        for place in self._around.places(kind, problems):
            for found in _named_files(place.path, place.origin.source):
                if place.listing is None or place.listing.allows(found.path):
                    yield found
        yield from _named_files(shipped(kind), "shipped")

    def _text_or_file(self, value: str, problems: list[Diagnostic]) -> str:
        try:
            path = self._project.root / Path(value).expanduser()
            is_file = path.is_file()
        except (OSError, ValueError, RuntimeError):  # too long for a name, a NUL in it, no such user
            return value
        text = _read(path, problems) if is_file else None
        return value if text is None else text

    def _instructions(self, name: str, problems: list[Diagnostic]) -> str | None:
        """The trusted project's file, else the user's; a blank or unreadable one counts as missing."""
        for path in (self._project.path(name), self._paths.config / name):
            if path is not None and path.is_file():
                text = _read(path, problems)
                if text is not None and text.strip():
                    return text
        return None


def _context_file(folder: Path, problems: list[Diagnostic]) -> ContextFile | None:
    for name in _CONTEXT_NAMES:
        path = folder / name
        if path.is_file():
            text = _read(path, problems)
            return None if text is None else ContextFile(path, text)
    return None


def _read(path: Path, problems: list[Diagnostic]) -> str | None:
    try:
        return read_text(path)
    except PiTermError as error:
        problems.append(Diagnostic("warning", error.message, path, hint=error.hint))
        return None


def _named_files(path: Path, source: Source) -> Iterator[Resource]:
    """The file `path` itself, or the files directly in the folder `path`, by name."""
    if path.is_file():
        yield Resource(path.stem, path, source)
    elif path.is_dir():
        for file in sorted(path.glob(f"*{_SUFFIX}")):
            if file.is_file():
                yield Resource(file.stem, file, source)


def first_of_each(found: Iterable[N], problems: list[Diagnostic]) -> dict[str, N]:
    """By name. Of one name the first wins; the others are reported."""
    first: dict[str, N] = {}
    for each in found:
        winner = first.setdefault(each.name, each)
        if winner.path != each.path:
            problems.append(_clash(winner, each))
    return first


def _clash(winner: _Named, loser: _Named) -> Diagnostic:
    """Replacing a shipped file is what people do on purpose; anything else may be a mistake."""
    is_shipped = isinstance(loser, Resource) and loser.source == "shipped"
    severity: Literal["info", "warning"] = "info" if is_shipped else "warning"
    return Diagnostic(severity, f'"{winner.name}" is taken from {winner.path} instead', loser.path)
