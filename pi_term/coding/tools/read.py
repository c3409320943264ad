"""`read`: some lines of a text file, or an image."""

from __future__ import annotations

import asyncio
import codecs
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace

from pi_term.agent.tools import ToolError, ToolResult, text_result
from pi_term.ai.messages import ImageContent, TextContent
from pi_term.base.json import JsonObject
from pi_term.coding.tools.definition import ImageLimits, ToolContext, ToolDefinition
from pi_term.coding.tools.encodings import Encoding, as_utf8, encoding_of
from pi_term.coding.tools.excerpt import Excerpt, take_excerpt
from pi_term.coding.tools.files import collect, existing_file, told
from pi_term.coding.tools.images import HEAD_BYTES, NotAnImage, examine, signature
from pi_term.coding.tools.paths import resolve_existing
from pi_term.coding.tools.pictures import fit_picture
from pi_term.coding.tools.truncate import MAX_BYTES, MAX_LINES, Truncation, format_size, truncate_head

MAX_IMAGE_FILE_BYTES = 64 * 1024 * 1024
"""Larger image files are refused unread."""


async def _execute(args: JsonObject, context: ToolContext) -> ToolResult:
    text: str = args["path"]
    with told("read", text):
        path = await resolve_existing(text, context.cwd, context.operations)
        status = await existing_file("read", path, text, context.operations)
        async with aclosing(context.operations.read(path)) as pieces:
            head = await _head(pieces)
            promised = signature(head[:HEAD_BYTES])
            is_long_prose = status.size > MAX_IMAGE_FILE_BYTES and _looks_like_text(head)
            if promised is None or is_long_prose:
                return await _read_text(head, pieces, path, args, context)
            return await _read_image(promised, head, pieces, path, args, context)


async def _head(pieces: AsyncIterator[bytes]) -> bytes:
    """The first pieces: enough to judge the file by."""
    head = b""
    async for piece in pieces:
        head += piece
        if len(head) >= HEAD_BYTES:
            break
    return head


async def _chain(head: bytes, pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    yield head
    async for piece in pieces:
        yield piece


async def _read_image(
    mime_type: str,
    head: bytes,
    pieces: AsyncIterator[bytes],
    path: str,
    args: JsonObject,
    context: ToolContext,
) -> ToolResult:
    """The image, or the text of a file that only begins like one."""
    shown: str = args["path"]
    data = await collect(_chain(head, pieces), MAX_IMAGE_FILE_BYTES)
    if data is None:
        limit = format_size(MAX_IMAGE_FILE_BYTES)
        raise ToolError(f"{shown} is an {mime_type} image of over {limit}, too large to read.")
    try:
        image, note = await asyncio.to_thread(_image, mime_type, data, context.images, shown)
    except NotAnImage as error:
        if _looks_like_text(head):
            return await _read_text(data, pieces, path, args, context)
        raise ToolError(f"{shown} begins like an {mime_type} image but is damaged: {error}.") from None
    details = None if context.supports_images else {"imageUnsupportedByModel": context.model_id}
    return ToolResult([TextContent(f"Read image file [{image.mime_type}]{note}"), image], details=details)


def _image(mime_type: str, data: bytes, limits: ImageLimits, shown: str) -> tuple[ImageContent, str]:
    """The image to send, and what to say of it. Blocks; raises `NotAnImage`."""
    import base64

    picture = fit_picture(examine(mime_type, data), data, limits, shown)
    encoded = base64.b64encode(picture.data).decode("ascii")
    return ImageContent(data=encoded, mime_type=picture.mime_type), picture.note and f"\n{picture.note}"


def _looks_like_text(head: bytes) -> bool:
    return b"\0" not in head and _is_utf8(head, whole=False)


def _is_utf8(data: bytes, *, whole: bool) -> bool:
    """Whether the bytes are UTF-8; the last character may be cut unless they are `whole`."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, whole)
    except UnicodeDecodeError:
        return False
    return True


async def _read_text(
    head: bytes, pieces: AsyncIterator[bytes], path: str, args: JsonObject, context: ToolContext
) -> ToolResult:
    first = max(1, int(args.get("offset") or 1))
    limit = max(0, int(args.get("limit") or 0))
    encoding = encoding_of(head, whole=len(head) < HEAD_BYTES)
    source: AsyncIterator[bytes] = _chain(head, pieces)
    if not encoding.is_utf8:
        source = as_utf8(source, encoding)
    excerpt = await take_excerpt(source, first, limit or None, context.call.signal.raise_if_aborted)
    if excerpt.is_past_end:
        raise ToolError(f"Offset {first} is past the end of the file, which has {excerpt.total_lines} lines.")
    shown = truncate_head(excerpt.window.decode("utf-8", "replace"))
    notes: list[str] = []
    if shown.truncated:
        shown = replace(shown, total_lines=excerpt.lines, total_bytes=excerpt.size)
        typed = args["path"]
        notes.append(_cut_note(excerpt, shown, typed if os.path.join(context.cwd, typed) == path else path))
    elif limit and (left := excerpt.total_lines - (first + limit - 1)) > 0:
        more = f"{left} more lines" if excerpt.counted_all else f"More than {left} more lines"
        notes.append(f"[{more} in file. Use offset={first + limit} to continue.]")
    notes += _encoding_note(encoding, excerpt)
    text = "\n\n".join(filter(None, [shown.content, "\n".join(notes)]))
    return text_result(text, details={"truncation": shown.to_json()} if shown.truncated else None)


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


def _encoding_note(encoding: Encoding, excerpt: Excerpt) -> list[str]:
    """What a model should know before it writes the file."""
    if not encoding.is_utf8:
        return [f"[The file is {encoding.name}. edit keeps that; write would make it UTF-8.]"]
    if _is_utf8(excerpt.window, whole=len(excerpt.window) == excerpt.size):
        return []
    return [
        "[Not UTF-8: bytes that are no text are shown as \ufffd. edit keeps them; write would lose them.]"
    ]


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
