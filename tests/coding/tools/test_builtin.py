"""The set of built-in tools, and what models are told of them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pi_term.coding.tools as tools
from pi_term.coding.tools import builtin_tools


def without_descriptions(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: without_descriptions(value) for key, value in schema.items() if key != "description"}
    return schema


def test_names_and_order() -> None:
    assert list(builtin_tools()) == ["read", "bash", "edit", "write", "grep", "find", "ls"]


def test_parameters_are_those_that_sessions_and_models_know() -> None:
    text, number = {"type": "string"}, {"type": "number"}
    edit = {
        "type": "object",
        "required": ["oldText", "newText"],
        "properties": {"oldText": text, "newText": text},
    }
    found = {name: without_descriptions(tool.parameters) for name, tool in builtin_tools().items()}
    assert found == {
        "read": {
            "type": "object",
            "required": ["path"],
            "properties": {"path": text, "offset": number, "limit": number},
        },
        "bash": {
            "type": "object",
            "required": ["command"],
            "properties": {"command": text, "timeout": number},
        },
        "edit": {
            "type": "object",
            "required": ["path", "edits"],
            "properties": {"path": text, "edits": {"type": "array", "items": edit}},
        },
        "write": {
            "type": "object",
            "required": ["path", "content"],
            "properties": {"path": text, "content": text},
        },
        "grep": {
            "type": "object",
            "required": ["pattern"],
            "properties": {
                "pattern": text,
                "path": text,
                "glob": text,
                "ignoreCase": {"type": "boolean"},
                "literal": {"type": "boolean"},
                "context": number,
                "limit": number,
            },
        },
        "find": {
            "type": "object",
            "required": ["pattern"],
            "properties": {"pattern": text, "path": text, "limit": number},
        },
        "ls": {"type": "object", "properties": {"path": text, "limit": number}},
    }


def test_each_tool_is_in_the_prompt_and_its_rules_name_it() -> None:
    for tool in builtin_tools().values():
        assert tool.prompt_snippet
        assert all(tool.name in rule for rule in tool.prompt_guidelines)


def test_every_public_name_is_there() -> None:
    assert all(getattr(tools, name) for name in tools.__all__)


def test_the_package_loads_nothing_until_it_is_asked() -> None:
    code = "import sys, pi_term.coding.tools; print([m for m in sys.modules if 'coding.tools.' in m])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
