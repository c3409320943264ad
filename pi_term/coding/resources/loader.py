"""Where instructions, themes and keymaps come from. No other place reads files of the project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.files import read_text
from pi_term.base.paths import AppPaths, shipped
from pi_term.coding.resources.project import ProjectFolder

NamedKind: TypeAlias = Literal["themes", "keymaps"]
Source: TypeAlias = Literal["flag", "project", "user", "shipped"]

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


class ResourceLoader:
    """Finds resources for one user in one folder.

    Every method looks at the disk anew. `diagnostics` tells what was wrong when each was last called.
    """

    def __init__(
        self,
        paths: AppPaths,
        project: ProjectFolder,
        *,
        explicit: Mapping[NamedKind, Sequence[Path]] | None = None,
        use_context_files: bool = True,
    ) -> None:
        """`explicit` are files and folders from the command line, which come before all others."""
        self._paths = paths
        self._project = project
        self._explicit = explicit or {}
        self._use_context_files = use_context_files
        self._problems: dict[str, list[Diagnostic]] = {}

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was wrong with the files, in the order of the calls."""
        return [problem for problems in self._problems.values() for problem in problems]

    def context_files(self) -> list[ContextFile]:
        """The user's instructions, then those of each folder from the root down to the working one.

        A folder gives one file; these load without trust, because they are only told to the model.
        """
        problems = self._problems["context"] = []
        if not self._use_context_files:
            return []
        root = self._project.root
        folders = dict.fromkeys((self._paths.config, *reversed(root.parents), root))
        files = [_context_file(folder, problems) for folder in folders]
        return [file for file in files if file is not None]

    def system_prompt(self, given: str | None = None) -> str | None:
        """What replaces the built-in prompt: `given` (text, or the path of a file), else SYSTEM.md."""
        problems = self._problems["SYSTEM.md"] = []
        if given is not None:
            return _text_or_file(given, problems)
        return self._instructions("SYSTEM.md", problems)

    def appended_prompt(self, given: Sequence[str] = ()) -> str | None:
        """What is added to the prompt: all of `given` (texts or paths), else APPEND_SYSTEM.md."""
        problems = self._problems["APPEND_SYSTEM.md"] = []
        if given:
            return "\n\n".join(_text_or_file(each, problems) for each in given)
        return self._instructions("APPEND_SYSTEM.md", problems)

    def named(self, kind: NamedKind) -> dict[str, Resource]:
        """All resources of a kind by name. Of one name the first source wins; the others are reported."""
        problems = self._problems[kind] = []
        found: dict[str, Resource] = {}
        for resource in self._candidates(kind, problems):
            winner = found.setdefault(resource.name, resource)
            if winner.path != resource.path:
                problems.append(_clash(winner, resource))
        return found

    def find(self, kind: NamedKind, name: str) -> Resource | None:
        """The resource of that name."""
        return self.named(kind).get(name)

    def _candidates(self, kind: NamedKind, problems: list[Diagnostic]) -> Iterator[Resource]:
        for path in self._explicit.get(kind, ()):
            if not path.exists():
                problems.append(Diagnostic("error", "does not exist", path))
            yield from _named_files(path, "flag")
        project = self._project.path(kind)
        if project is not None:
            yield from _named_files(project, "project")
        yield from _named_files(self._paths.config / kind, "user")
        yield from _named_files(shipped(kind), "shipped")

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


def _text_or_file(value: str, problems: list[Diagnostic]) -> str:
    try:
        is_file = Path(value).expanduser().is_file()
    except (OSError, ValueError, RuntimeError):  # too long for a name, a NUL in it, no such user
        is_file = False
    text = _read(Path(value).expanduser(), problems) if is_file else None
    return value if text is None else text


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


def _clash(winner: Resource, loser: Resource) -> Diagnostic:
    """Replacing a shipped file is what people do on purpose; anything else may be a mistake."""
    severity: Literal["info", "warning"] = "info" if loser.source == "shipped" else "warning"
    return Diagnostic(severity, f'"{winner.name}" is taken from {winner.path} instead', loser.path)
