"""`edit`: the tool."""

from __future__ import annotations

from pi_term.agent.tools import ToolResult, text_result
from pi_term.base.json import JsonError, JsonObject, loads
from pi_term.base.text import without_surrogates
from pi_term.coding.tools.definition import ToolContext, ToolDefinition
from pi_term.coding.tools.files import told
from pi_term.coding.tools.paths import resolve_existing


async def _execute(args: JsonObject, context: ToolContext) -> ToolResult:
    from pi_term.coding.tools.edit.apply import Edit
    from pi_term.coding.tools.edit.file import edit_file

    text: str = args["path"]
    operations = context.operations
    edits = [
        Edit(without_surrogates(each["oldText"]), without_surrogates(each["newText"]))
        for each in args["edits"]
    ]

    async def work(path: str) -> JsonObject:
        context.call.signal.raise_if_aborted()
        return await edit_file(path, edits, text, operations, context.call.signal)

    with told("edit", text):
        details = await context.mutations.run(
            lambda: resolve_existing(text, context.cwd, operations), work, operations
        )
    count = f"{len(edits)} place{'s' if len(edits) > 1 else ''}"
    return text_result(f"Edited {text} in {count}.", details=details)


def _prepare(args: JsonObject) -> JsonObject:
    """Mend the shapes of `edits` that models send: JSON text, one edit alone, one at the top level."""
    mended = dict(args)
    edits = mended.get("edits")
    if isinstance(edits, str):
        try:
            edits = loads(edits)
        except JsonError:
            return mended  # validation names the field
    if isinstance(edits, dict):
        edits = [edits]
    if "oldText" in mended and "newText" in mended and isinstance(edits, (list, type(None))):
        edits = [*(edits or ()), {"oldText": mended.pop("oldText"), "newText": mended.pop("newText")}]
    if edits is not None:
        mended["edits"] = edits
    return mended


_EDIT_SCHEMA: JsonObject = {
    "type": "object",
    "required": ["oldText", "newText"],
    "properties": {
        "oldText": {
            "type": "string",
            "description": "Text of the file as it is now; it must be there exactly once",
        },
        "newText": {"type": "string", "description": "The text to put in its place"},
    },
}

EDIT = ToolDefinition(
    name="edit",
    label="edit",
    description=(
        "Change parts of a text file. Every oldText is looked up in the file as it was before the call, so "
        "edits do not build on each other and must not overlap; all of them are made or none. "
        "Line ends and encoding of the file are kept."
    ),
    parameters={
        "type": "object",
        "required": ["path", "edits"],
        "properties": {
            "path": {
                "type": "string",
                "description": "The file to change, relative to the working folder or absolute",
            },
            "edits": {"type": "array", "items": _EDIT_SCHEMA, "description": "The replacements to make"},
        },
    },
    execute=_execute,
    prepare=_prepare,
    prompt_snippet="change exact pieces of a file, several in one call",
    prompt_guidelines=(
        "Make all changes to a file in one edit call, with each oldText as short as it can be while unique.",
    ),
)
