"""The tools that come with the program."""

from __future__ import annotations

from pi_term.coding.tools.bash.tool import BASH
from pi_term.coding.tools.definition import ToolDefinition
from pi_term.coding.tools.edit.tool import EDIT
from pi_term.coding.tools.read import READ
from pi_term.coding.tools.search.definitions import FIND, GREP, LS
from pi_term.coding.tools.write import WRITE


def builtin_tools() -> dict[str, ToolDefinition]:
    """All built-in tools by name, in the order in which models are told of them."""
    return {tool.name: tool for tool in (READ, BASH, EDIT, WRITE, GREP, FIND, LS)}
