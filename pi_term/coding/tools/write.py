"""`write`: a whole file, new or replaced."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from pi_term.agent.tools import ToolResult, text_result
from pi_term.base.json import JsonObject
from pi_term.base.text import encode
from pi_term.coding.tools.definition import ToolContext, ToolDefinition
from pi_term.coding.tools.files import file_status, told
from pi_term.coding.tools.operations import Operations
from pi_term.coding.tools.paths import resolve


async def _execute(args: JsonObject, context: ToolContext) -> ToolResult:
    text: str = args["path"]
    operations = context.operations

    async def work(path: str) -> ToolResult:
        context.call.signal.raise_if_aborted()
        data = await asyncio.to_thread(encode, args["content"])
        if not await write_file(path, data, text, operations):
            return text_result(f"{text} was not touched: it holds exactly these {len(data)} bytes already.")
        return text_result(f"Wrote {len(data)} bytes to {text}.")

    with told("write", text):
        return await context.mutations.run(lambda: resolve(text, context.cwd, operations), work, operations)


async def write_file(path: str, data: bytes, shown: str, operations: Operations) -> bool:
    """Write the file whole or not at all, making its folders; False if it held just that already.

    Raises `ToolError` about `shown`.
    """
    with told("write", shown):
        status = await file_status("write", path, shown, operations)
        if status is not None and status.size == len(data) and await _holds(path, data, operations):
            return False
        await operations.write(path, data)
    return True


async def _holds(path: str, data: bytes, operations: Operations) -> bool:
    """Whether the file's content is `data`; what may only be written is not looked into."""
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
