"""Images that go with a prompt: dropped or pasted files, and what the clipboard holds."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pi_term.agent.tools import ToolError
from pi_term.ai.messages import ImageContent
from pi_term.base.errors import PiTermError
from pi_term.base.files import atomic_write, private_dir
from pi_term.coding.tools.definition import ImageLimits
from pi_term.coding.tools.images import NotAnImage, examine, signature
from pi_term.coding.tools.pictures import fit_picture
from pi_term.tui.widgets.editor.paste import Attachment

_MOST_BYTES = 64 * 1024 * 1024
_PATIENCE = 2.0  # seconds that a clipboard program gets
_LONGEST_PATHS = 8192
_NAME = re.compile(r"\.(png|jpe?g|gif|webp|bmp)\Z", re.IGNORECASE)
_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp")


def dropped_images(text: str) -> list[str]:
    """The paths in a paste that is nothing but names of image files, as terminals write dropped ones."""
    text = text.strip()
    if not text or len(text) > _LONGEST_PATHS or not _NAME.search(text.rstrip("'\"")):
        return []
    try:
        words = [text] if text.startswith("/") and os.path.exists(text) else shlex.split(text)
    except ValueError:
        return []
    paths = [unquote(urlsplit(word).path) if word.startswith("file://") else word for word in words]
    is_path = [path.startswith(("/", "~/", "./", "../")) and _NAME.search(path) for path in paths]
    return [os.path.expanduser(path) for path in paths] if all(is_path) else []


def load_image(path: str, cwd: Path, *, resize: bool = True) -> Attachment | None:
    """The image in a file; None if it is none. Raises `PiTermError` for one that cannot be sent. Blocks."""
    full = Path(os.path.abspath(cwd / path))
    try:
        with full.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError):
        return None
    return image_of(data, str(full), resize=resize) if len(data) <= _MOST_BYTES else None


def image_of(data: bytes, path: str, *, resize: bool) -> Attachment | None:
    """The same for bytes that are there already."""
    promised = signature(data)
    if promised is None:
        return None
    try:
        picture = fit_picture(examine(promised, data), data, ImageLimits(resize=resize), path)
    except NotAnImage:
        return None
    except ToolError as error:
        raise PiTermError("bad_image", str(error)) from None
    encoded = base64.b64encode(picture.data).decode("ascii")
    return Attachment(ImageContent(data=encoded, mime_type=picture.mime_type), path)


def keep_image(data: bytes, folder: Path) -> str:
    """Store an image that has no file, so that a draft with it outlives the program; its path. Blocks."""
    kind = (signature(data) or "image/png").partition("/")[2]
    path = private_dir(folder) / f"{sha256(data).hexdigest()[:16]}.{kind}"
    if not path.exists():
        atomic_write(path, data, mode=0o600)
    return str(path)


async def clipboard_content(env: Mapping[str, str]) -> bytes | str | None:
    """The image in the clipboard, else its text; None where nothing can be read."""
    for listing, image, text in _programs(env):
        kinds = (await _output(listing) or b"").decode("utf-8", "replace").split() if listing else _TYPES[:1]
        kind = next((each for each in _TYPES if each in kinds), None)
        if image and kind is not None and (data := await _output([*image, kind] if listing else image)):
            return data
        if text and (data := await _output(text)):
            return data.decode("utf-8", "replace")
    return None


def _programs(env: Mapping[str, str]) -> list[tuple[Sequence[str], Sequence[str], Sequence[str]]]:
    """Commands, by clipboard: those that list its kinds, give one of them, and give text."""
    found: list[tuple[Sequence[str], Sequence[str], Sequence[str]]] = []
    if env.get("WAYLAND_DISPLAY") and shutil.which("wl-paste"):
        paste: Sequence[str] = ("wl-paste", "--no-newline")
        found.append((("wl-paste", "--list-types"), (*paste, "--type"), paste))
    if env.get("DISPLAY") and shutil.which("xclip"):
        paste = ("xclip", "-selection", "clipboard", "-o")
        found.append(((*paste, "-t", "TARGETS"), (*paste, "-t"), paste))
    elif env.get("DISPLAY") and shutil.which("xsel"):
        found.append(((), (), ("xsel", "--clipboard", "--output")))
    if shutil.which("pbpaste"):
        image = ("pngpaste", "-") if shutil.which("pngpaste") else ()
        found.append(((), image, ("pbpaste",)))
    return found


async def _output(argv: Sequence[str]) -> bytes | None:
    """What a command prints, if it does so soon."""
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_MOST_BYTES,
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(_PATIENCE):
            data, _ = await process.communicate()
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
    return data if process.returncode == 0 and len(data) <= _MOST_BYTES else None
