"""Paths that ripgrep prints: reading them, keeping the first ones, showing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pi_term.base.json import dumps_str
from pi_term.base.text import without_surrogates

ROOT = "./"
"""What ripgrep is told to search, and puts before each path: no path looks like an option then."""
_GIT = ".git/"
_FEW = 20_000


def path_order(path: str) -> str:
    """Sorting by this puts what is in a folder right after the folder."""
    return path.replace("/", "\0")


def shown_path(path: str) -> str:
    """The path as text; a line break, or another control character, in quotes and as JSON writes it."""
    text = without_surrogates(path)
    return text if text.isprintable() else _quoted(text)


def _quoted(text: str) -> str:
    is_plain = all(char >= " " and char != "\x7f" for char in text)
    return text if is_plain else dumps_str(text)


def outside_git(paths: Iterable[str]) -> list[str]:
    """The paths that are not in what git keeps for itself."""
    return [path for path in paths if _GIT not in path or f"/{_GIT}" not in f"/{path}"]


class PathStream:
    """Reads paths that end in NUL from pieces of bytes. After an empty one, all is `log`."""

    def __init__(self, take: Callable[[list[str]], None], *, with_git: bool = True) -> None:
        """`take` gets the paths in groups, without `ROOT`. `with_git`: also what git keeps for itself."""
        self._take = take
        self._with_git = with_git
        self._rest = b""
        self._log: bytearray | None = None

    @property
    def log(self) -> str | None:
        """What came after the paths; None if nothing did."""
        return None if self._log is None else self._log.decode("utf-8", "replace")

    def feed(self, data: bytes) -> None:
        """Take another piece."""
        if self._log is not None:
            self._log += data
            return
        data = self._rest + data
        end = 0 if data.startswith(b"\0") else data.find(b"\0\0") + 1
        if end or data.startswith(b"\0"):
            self._log = bytearray(data[end + 1 :])
            self._rest = b""
        else:
            end = data.rfind(b"\0") + 1
            self._rest = data[end:]
        if end > 1:
            text = data[: end - 1].decode("utf-8", "surrogateescape")
            paths = text.removeprefix(ROOT).split(f"\0{ROOT}")
            self._take(paths if self._with_git or _GIT not in text else outside_git(paths))


class FirstPaths:
    """Keeps the first `limit` paths by their order, whatever comes; memory does not grow with the rest."""

    def __init__(self, limit: int) -> None:
        self._limit = min(limit, _FEW)
        self._most = 4 * self._limit
        self._paths: list[str] = []
        self._last: str | None = None

    def add(self, paths: Iterable[str]) -> None:
        """Take more paths."""
        last = self._last
        if last is not None:
            paths = [path for path in paths if path_order(path) < last]
        self._paths += paths
        if len(self._paths) > self._most:
            self._paths = self.sorted()
            self._last = path_order(self._paths[-1])

    def sorted(self) -> list[str]:
        """The paths that are kept."""
        return sorted(self._paths, key=path_order)[: self._limit]
