"""`write`: a whole file, new or replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pi_term.agent.tools import ToolError, ToolResult, text_result
from pi_term.base.files import atomic_write
from pi_term.base.json import JsonObject
from pi_term.base.text import encode
from pi_term.coding.tools.definition import ToolContext, ToolDefinition
from pi_term.coding.tools.paths import os_error_text, resolve


async def _execute(args: JsonObject, context: ToolContext) -> ToolResult:
    text: str = args["path"]

    def work(path: Path) -> int:
        context.call.signal.raise_if_aborted()
        data = encode(args["content"])
        write_file(path, data, text)
        return len(data)

    size = await context.mutations.run(lambda: resolve(text, context.cwd), work)
    return text_result(f"Wrote {size} bytes to {text}.")


def write_file(path: Path, data: bytes, shown: str) -> None:
    """Write the file whole or not at all, making its folders; raises `ToolError` about `shown`."""
    try:
        _refuse_other_kinds(path, shown)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, data)
    except OSError as error:
        raise ToolError(os_error_text("write", shown, error)) from error


def _refuse_other_kinds(path: Path, shown: str) -> None:
    """A device or pipe would be replaced by a plain file, so only files are written."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise ToolError(f"Cannot write {shown}: it is a directory.")
    if not stat.S_ISREG(mode):
        raise ToolError(f"Cannot write {shown}: it is not a regular file.")


WRITE = ToolDefinition(
    name="write",
    label="write",
    description=(
        "Write a file. Makes the file and any missing parent folders, and replaces what the file held "
        "before. The content is written exactly as given."
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
