"""The pieces a Markdown text consists of: leaves (paragraph, code, …) inside containers (quote, list)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Literal, TypeAlias

from pi_term.base.dataclass import dataclass

LeafKind: TypeAlias = Literal["paragraph", "heading", "code", "table", "rule"]
ContainerKind: TypeAlias = Literal["quote", "list", "item"]
Align: TypeAlias = Literal["left", "center", "right"]


@dataclass(slots=True)
class Container:
    """An open quote, list or list item.

    `offset`: columns by which the lines of an item are indented. `marker`: what stands before an item
    (`-`, `3.`). `delimiter`: the character that makes markers belong to one list. `number`: that of
    the next item of an ordered list. `filled`: something is in it; `used`: a leaf is.
    """

    kind: ContainerKind
    uid: int
    offset: int = 0
    marker: str = ""
    delimiter: str = ""
    number: int = 0
    filled: bool = False
    used: bool = False


@dataclass(slots=True)
class Leaf:
    """A block without blocks in it.

    `uid` is the same whenever the same text is read, however it arrives. `path` are the containers from
    the outside in, the last `opening` of which begin with this leaf. `lines` grow while the leaf is the
    open one; `partial` is a last line that may still grow. `level`: of a heading. `info`: the word after
    a code fence; `fence`: the fence itself, "" for indented code. `aligns`: the columns of a table.
    """

    kind: LeafKind
    uid: int
    path: tuple[Container, ...]
    opening: int
    blank_before: bool
    lines: list[str] = field(default_factory=list)
    partial: str | None = None
    level: int = 0
    info: str = ""
    fence: str = ""
    fence_indent: int = 0
    aligns: tuple[Align, ...] = ()
    header_possible: bool = True

    @property
    def block(self) -> int:
        """Which top-level block of the document the leaf belongs to."""
        return self.path[0].uid if self.path else self.uid

    def all_lines(self) -> Iterator[str]:
        """The complete lines and the partial one."""
        yield from self.lines
        if self.partial is not None:
            yield self.partial

    def text(self) -> str:
        """The lines as one text, blanks at both ends removed."""
        return "\n".join(self.all_lines()).strip(" \t")
