"""What the command line or a program says about resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Literal, TypeAlias

from pi_term.base.dataclass import dataclass

NamedKind: TypeAlias = Literal["themes", "keymaps"]
Kind: TypeAlias = Literal["themes", "keymaps", "prompts", "skills"]
Layer: TypeAlias = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class ResourceOptions:
    """For one run.

    `explicit` are files and folders that come before all others; kinds in `off` are not looked for
    elsewhere. `system_prompt` and `appended` are texts, or paths of files.
    """

    explicit: Mapping[Kind, Sequence[Path]] = field(default_factory=dict)
    off: frozenset[Kind] = frozenset()
    context_files: bool = True
    system_prompt: str | None = None
    appended: Sequence[str] = ()
