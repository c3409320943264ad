"""`write`: a whole file, new or replaced."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from pi_term.agent.tools import ToolResult, text_result
from pi_term.base.json import JsonObject
from pi_term.base.text import encode
from pi_term.coding.tools.definition import ToolContext, ToolDefinition
from pi_term.coding.tools.files import load_file, told
from pi_term.coding.tools.operations import FileStatus, Operations
from pi_term.coding.tools.paths import resolve

_MOST_TOLD = 64 * 1024  # characters of a difference: a session file holds the content already


async def _execute(args: JsonObject, context: ToolContext) -> ToolResult:
    from pi_term.coding.tools.edit.whole import MAX_COMPARED_BYTES

    text: str = args["path"]
    operations = context.operations

    async def work(path: str) -> ToolResult:
        context.call.signal.raise_if_aborted()
        data = await asyncio.to_thread(encode, args["content"])
        status, before = await load_file("write", path, text, operations, MAX_COMPARED_BYTES)
        if status is not None and await _holds(path, data, status, before, operations):
            return text_result(f"{text} was not touched: it holds exactly these {len(data)} bytes already.")
        await operations.write(path, data)
        details = await asyncio.to_thread(_details, before, data, text) if before else None
        return text_result(f"Wrote {len(data)} bytes to {text}.", details=details)

    with told("write", text):
        return await context.mutations.run(lambda: resolve(text, context.cwd, operations), work, operations)


async def _holds(
    path: str, data: bytes, status: FileStatus, known: bytes | None, operations: Operations
) -> bool:
    """Whether the file's content is `data`; what may only be written is not looked into."""
    if known is not None or status.size != len(data):
        return known == data
    position = 0
    try:
        async with aclosing(operations.read(path)) as pieces:
            async for piece in pieces:
                if piece != data[position : position + len(piece)]:
                    return False
                position += len(piece)
    except PermissionError:
        return False
    return position == len(data)


def _details(before: bytes, after: bytes, shown: str) -> JsonObject | None:
    """What became of the lines of a file that was replaced, for people; None where that says little."""
    from pi_term.coding.tools.edit.whole import difference

    found = difference(before, after, shown)
    diff = "" if found is None else found.details["diff"]
    return {"diff": diff} if 0 < len(diff) <= _MOST_TOLD else None


WRITE = ToolDefinition(
    name="write",
    label="write",
    description=(
        "Write a file. Makes the file and any missing parent folders, and replaces what the file held "
        "before. The content is written exactly as given, as UTF-8."
    ),
    parameters={
        "type": "object",
        "required": ["path", "content"],
        "properties": {
            "path": {
                "type": "string",
                "description": "The file to write, relative to the working folder or absolute",
            },
            "content": {"type": "string", "description": "All of the file's new text"},
        },
    },
    execute=_execute,
    prompt_snippet="make a file, or replace all of its content",
    prompt_guidelines=("Use write for new files and full rewrites only; change parts of a file with edit.",),
)
