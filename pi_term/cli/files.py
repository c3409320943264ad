"""The files that a command line names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.cli.options import Arguments
from pi_term.coding.resources.options import Kind, ResourceOptions

if TYPE_CHECKING:
    from pi_term.ai.messages import ImageContent
    from pi_term.coding.settings.store import SettingsStore


def attached(names: Sequence[str], cwd: Path, settings: SettingsStore) -> tuple[str, Sequence[ImageContent]]:
    """What the files given with `@` put before the first message, and their images, as `settings` want them.

    Raises `PiTermError`. Blocks.
    """
    if not names:
        return "", ()
    from pi_term.cli.attachments import read_attachments
    from pi_term.coding.settings import schema
    from pi_term.coding.tools.definition import ImageLimits

    return read_attachments(names, cwd, ImageLimits(resize=settings.get(schema.AUTO_RESIZE_IMAGES)))


def resources_of(args: Arguments, cwd: Path) -> ResourceOptions:
    """What the command line says about files that people write."""
    off: dict[Kind, bool] = {
        "skills": args.no_skills,
        "prompts": args.no_templates,
        "themes": args.no_themes,
    }
    return ResourceOptions(
        explicit={
            "skills": [_path(cwd, each) for each in args.skills],
            "prompts": [_path(cwd, each) for each in args.templates],
            "themes": [_path(cwd, each) for each in args.themes],
        },
        off=frozenset(kind for kind, is_off in off.items() if is_off),
        context_files=args.context_files,
        system_prompt=args.system_prompt,
        appended=args.append,
    )


def _path(cwd: Path, text: str) -> Path:
    return Path(os.path.abspath(cwd / os.path.expanduser(text)))
