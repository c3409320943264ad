"""What models are told of `grep`, `find` and `ls`. Their work is loaded when they are first called."""

from __future__ import annotations

from pi_term.agent.tools import ToolResult
from pi_term.base.json import JsonObject
from pi_term.coding.tools.definition import ToolContext, ToolDefinition
from pi_term.coding.tools.truncate import MAX_BYTES, format_size

GREP_LIMIT = 100
FIND_LIMIT = 1000
LS_LIMIT = 500
LONGEST_LINE = 500
"""Characters of a line that `grep` shows."""


async def _grep(args: JsonObject, context: ToolContext) -> ToolResult:
    from pi_term.coding.tools.search.grep import grep

    return await grep(args, context)


async def _find(args: JsonObject, context: ToolContext) -> ToolResult:
    from pi_term.coding.tools.search.find import find

    return await find(args, context)


async def _ls(args: JsonObject, context: ToolContext) -> ToolResult:
    from pi_term.coding.tools.search.ls import ls

    return await ls(args, context)


GREP = ToolDefinition(
    name="grep",
    label="grep",
    description=(
        "Search the contents of files. Gives matching lines as path:line: text, with paths relative to the "
        "folder searched. Hidden files are searched; what ignore files (.gitignore) name and what is in .git "
        f"is not, unless it is given as path. At most {GREP_LIMIT} matches or {format_size(MAX_BYTES)}; "
        f"long lines are cut after {LONGEST_LINE} characters."
    ),
    parameters={
        "type": "object",
        "required": ["pattern"],
        "properties": {
            "pattern": {
                "type": "string",
                "description": "A regular expression (Rust's syntax, within one line), or text if literal",
            },
            "path": {
                "type": "string",
                "description": "The folder or file to search (default: the working folder)",
            },
            "glob": {
                "type": "string",
                "description": (
                    "Search only files that this glob fits: with a / it is compared with paths below the "
                    "folder searched (src/**/*.ts), without one with names at any depth (*.ts); a ! before "
                    "it leaves them out"
                ),
            },
            "ignoreCase": {"type": "boolean", "description": "Take capitals for small letters (default: no)"},
            "literal": {
                "type": "boolean",
                "description": "Search for the pattern as it is, not as a regular expression (default: no)",
            },
            "context": {
                "type": "number",
                "description": "How many lines to show before and after each match (default: 0)",
            },
            "limit": {
                "type": "number",
                "description": f"The most matches to give (default: {GREP_LIMIT})",
            },
        },
    },
    execute=_grep,
    prompt_snippet="search the contents of files, ignored ones left out",
)

FIND = ToolDefinition(
    name="find",
    label="find",
    description=(
        "Find files, and folders that hold files, by a glob. Gives their paths, relative to the folder "
        "searched; folders end in /. Hidden files are found; what ignore files (.gitignore) name, and what "
        "is in .git, is not, unless that folder is given as path. At most "
        f"{FIND_LIMIT} paths or {format_size(MAX_BYTES)}."
    ),
    parameters={
        "type": "object",
        "required": ["pattern"],
        "properties": {
            "pattern": {
                "type": "string",
                "description": (
                    "The glob: with a / it is compared with paths below the folder searched (src/**/*.ts), "
                    "without one with names at any depth (*.ts)"
                ),
            },
            "path": {"type": "string", "description": "The folder to search (default: the working folder)"},
            "limit": {"type": "number", "description": f"The most paths to give (default: {FIND_LIMIT})"},
        },
    },
    execute=_find,
    prompt_snippet="find files by name or path, ignored ones left out",
)

LS = ToolDefinition(
    name="ls",
    label="ls",
    description=(
        "List what is in a folder, hidden and ignored names too; folders end in /. At most "
        f"{LS_LIMIT} names or {format_size(MAX_BYTES)}."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The folder to list (default: the working folder)"},
            "limit": {"type": "number", "description": f"The most names to give (default: {LS_LIMIT})"},
        },
    },
    execute=_ls,
    prompt_snippet="list what is in a folder",
)
