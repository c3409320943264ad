"""`read`: some lines of a text file, or an image."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from pi_term.agent.tools import ToolError, ToolResult, text_result
from pi_term.ai.messages import ImageContent, TextContent
from pi_term.base.json import JsonObject
from pi_term.coding.tools.definition import ToolContext, ToolDefinition
from pi_term.coding.tools.excerpt import CHUNK_BYTES, Excerpt, take_excerpt
from pi_term.coding.tools.images import HEAD_BYTES, NotAnImage, examine, signature
from pi_term.coding.tools.paths import os_error_text, resolve_existing
from pi_term.coding.tools.truncate import MAX_BYTES, MAX_LINES, Truncation, format_size, truncate_head

MAX_IMAGE_BYTES = 3_900_000
"""What providers take as one image: 5 MB of base64."""
MAX_IMAGE_SIDE = 8000
"""Pixels; a larger image is refused by providers, and with it the whole conversation."""
_BMP = "image/bmp"


async def _execute(args: JsonObject, context: ToolContext) -> ToolResult:
    return await asyncio.to_thread(_read, args, context)


def _read(args: JsonObject, context: ToolContext) -> ToolResult:
    text: str = args["path"]
    path = resolve_existing(text, context.cwd)
    try:
        with _open_regular(path, text) as source:
            head = source.read(CHUNK_BYTES)
            promised = signature(head[:HEAD_BYTES])
            if promised is not None:
                image = _read_image(promised, head, source, text, context)
                if image is not None:
                    return image
            usable = text if context.cwd / text == path else str(path)
            return _read_text(source, head, args, usable, context.call.signal.raise_if_aborted)
    except OSError as error:
        raise ToolError(os_error_text("read", text, error)) from error


def _open_regular(path: Path, shown: str) -> BinaryIO:
    """Open without ever waiting for the other end of a pipe or a device."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        kind = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
        raise ToolError(f"Cannot read {shown}: it is {kind}.")
    return os.fdopen(descriptor, "rb", buffering=0)


def _read_image(
    mime_type: str, head: bytes, source: BinaryIO, shown: str, context: ToolContext
) -> ToolResult | None:
    """The image; None when the file only begins like one and is text."""
    size = os.fstat(source.fileno()).st_size
    if size > MAX_IMAGE_BYTES and mime_type != _BMP and not _looks_like_text(head):
        raise ToolError(_too_large(mime_type, shown, format_size(size), format_size(MAX_IMAGE_BYTES)))
    data = head + source.read(MAX_IMAGE_BYTES)
    try:
        info = examine(mime_type, data)
    except NotAnImage as error:
        if _looks_like_text(head):
            source.seek(len(head))
            return None
        raise ToolError(f"{shown} begins like an {mime_type} image but is damaged: {error}.") from None
    if mime_type == _BMP:
        raise ToolError(f"{shown} is a BMP image, which no model takes. Convert it to PNG first.")
    if max(info.width, info.height) > MAX_IMAGE_SIDE:
        pixels = f"{info.width}x{info.height} pixels"
        raise ToolError(_too_large(mime_type, shown, pixels, f"{MAX_IMAGE_SIDE} a side"))
    return _image_result(mime_type, data, context)


def _image_result(mime_type: str, data: bytes, context: ToolContext) -> ToolResult:
    import base64

    image = ImageContent(data=base64.b64encode(data).decode("ascii"), mime_type=mime_type)
    details = None if context.supports_images else {"imageUnsupportedByModel": context.model_id}
    return ToolResult([TextContent(f"Read image file [{mime_type}]"), image], details=details)


def _too_large(mime_type: str, shown: str, is_: str, limit: str) -> str:
    return f"{shown} is an {mime_type} image of {is_}, too large to send (limit {limit}). Make it smaller."


def _looks_like_text(head: bytes) -> bool:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # else only the last character is cut
            return False
    return b"\0" not in head


def _read_text(
    source: BinaryIO, head: bytes, args: JsonObject, path: str, check: Callable[[], None]
) -> ToolResult:
    first = max(1, int(args.get("offset") or 1))
    limit = int(args.get("limit") or 0)
    excerpt = take_excerpt(source, first, limit if limit > 0 else None, check, head)
    if excerpt.is_past_end:
        raise ToolError(f"Offset {first} is past the end of the file, which has {excerpt.total_lines} lines.")
    shown = truncate_head(excerpt.window.decode("utf-8", "replace"))
    if shown.truncated:
        shown = replace(shown, total_lines=excerpt.lines, total_bytes=excerpt.size)
        note = _cut_note(excerpt, shown, path)
        text = f"{shown.content}\n\n{note}" if shown.content else note
        return text_result(text, details={"truncation": shown.to_json()})
    left = excerpt.total_lines - (first + limit - 1)
    if limit > 0 and left > 0:
        more = f"{left} more lines" if excerpt.counted_all else f"More than {left} more lines"
        return text_result(f"{shown.content}\n\n[{more} in file. Use offset={first + limit} to continue.]")
    return text_result(shown.content)


def _cut_note(excerpt: Excerpt, shown: Truncation, path: str) -> str:
    import shlex

    first = excerpt.first
    if shown.first_line_exceeds_limit:
        return (
            f"[Line {first} is {format_size(excerpt.first_line_size)}, over the {format_size(MAX_BYTES)} "
            f"limit. Its beginning, with bash: sed -n '{first}p' {shlex.quote(path)} | head -c {MAX_BYTES}]"
        )
    last = first + shown.output_lines - 1
    total = excerpt.total_lines if excerpt.counted_all else f"more than {excerpt.total_lines}"
    why = f" ({format_size(MAX_BYTES)} limit)" if shown.truncated_by == "bytes" else ""
    return f"[Showing lines {first}-{last} of {total}{why}. Use offset={last + 1} to continue.]"


READ = ToolDefinition(
    name="read",
    label="read",
    description=(
        "Read a file. Text comes back as it is; PNG, JPEG, GIF and WebP images are shown to you. At most "
        f"{MAX_LINES} lines or {format_size(MAX_BYTES)} come back at once; continue with offset, as the note "
        "at the end says."
    ),
    parameters={
        "type": "object",
        "required": ["path"],
        "properties": {
            "path": {
                "type": "string",
                "description": "The file to read, relative to the working folder or absolute",
            },
            "offset": {"type": "number", "description": "The first line to read, counted from 1"},
            "limit": {"type": "number", "description": "How many lines to read at most"},
        },
    },
    execute=_execute,
    prompt_snippet="read a file's text, or an image",
    prompt_guidelines=("Look at files with read, not with cat or sed.",),
)
