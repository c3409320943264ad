"""`@file` on the command line: texts and images for the first prompt."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from pathlib import Path

from pi_term.agent.tools import ToolError
from pi_term.ai.messages import ImageContent
from pi_term.base.errors import PiTermError
from pi_term.coding.resources.markup import escaped
from pi_term.coding.tools.definition import ImageLimits
from pi_term.coding.tools.encodings import encoding_of
from pi_term.coding.tools.images import NotAnImage, examine, signature
from pi_term.coding.tools.pictures import fit_picture

_MOST_BYTES = 64 * 1024 * 1024
"""Larger files are refused unread: no model takes them."""


def read_attachments(names: Iterable[str], cwd: Path, limits: ImageLimits) -> tuple[str, list[ImageContent]]:
    """The texts as a model is told of them, and the images, made to fit `limits`; empty files are left out.

    Raises `PiTermError("bad_file")`. Blocks.
    """
    texts: list[str] = []
    images: list[ImageContent] = []
    for name in names:
        path = Path(os.path.abspath(cwd / os.path.expanduser(name)))
        data = _read(path)
        if not data:
            continue
        image, note = _image(path, data, limits)
        if image is None:
            encoding = encoding_of(data, whole=True)
            text = data[len(encoding.mark) :].decode(encoding.codec, "replace")
            texts.append(f'<file name="{escaped(str(path))}">\n{text}\n</file>\n')
        else:
            images.append(image)
            texts.append(f'<file name="{escaped(str(path))}">{note}</file>\n')
    return "".join(texts), images


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise _refusal(f"Cannot read {path}: {reason}.") from error
    if len(data) > _MOST_BYTES:
        raise _refusal(f"{path} is larger than {_MOST_BYTES // 2**20} MB.")
    return data


def _image(path: Path, data: bytes, limits: ImageLimits) -> tuple[ImageContent | None, str]:
    """The image in the file, if it is one, and what to say of it."""
    promised = signature(data)
    if promised is None:
        return None, ""
    try:
        picture = fit_picture(examine(promised, data), data, limits, str(path))
    except NotAnImage:
        return None, ""
    except ToolError as error:
        raise _refusal(str(error)) from None
    encoded = base64.b64encode(picture.data).decode("ascii")
    return ImageContent(data=encoded, mime_type=picture.mime_type), picture.note


def _refusal(message: str) -> PiTermError:
    return PiTermError("bad_file", message, "A message that begins with @ is the name of a file.")
