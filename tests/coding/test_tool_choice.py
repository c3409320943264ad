"""Which tools are on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pi_term.coding.tool_choice import ToolChoice
from pi_term.coding.tools import ToolDefinition, builtin_tools
from pi_term.coding.tools.function import tool


@tool
def stock() -> str:
    """Mine."""
    return ""


DEFAULT = ("read", "bash", "edit", "write")
OWN = {"stock": stock}


def chosen(choice: ToolChoice, default: Sequence[str] = DEFAULT) -> list[str]:
    return [each.name for each in choice.choose(default, builtin_tools(), OWN)]


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        (ToolChoice(), [*DEFAULT, "stock"]),
        (ToolChoice(["grep", "read", "read"]), ["grep", "read"]),
        (ToolChoice(["read", "nosuch"]), ["read"]),
        (ToolChoice(["*e*"]), ["read", "edit", "write", "grep"]),
        (ToolChoice([]), []),
        (ToolChoice(["+grep", "-write", "-stock"]), ["read", "bash", "edit", "grep"]),
        (ToolChoice(without=["b*", "stock"]), ["read", "edit", "write"]),
        (ToolChoice(["read", "bash"], ["bash"]), ["read"]),
        (ToolChoice(builtin=False), ["stock"]),
        (ToolChoice(["ls"], builtin=False), ["ls"]),
        (ToolChoice(builtin=False, own=False), []),
        (ToolChoice(["+ls"], builtin=False, own=False), ["ls"]),
    ],
)
def test_choices(choice: ToolChoice, names: list[str]) -> None:
    assert chosen(choice) == names


def test_an_own_tool_takes_the_place_of_a_built_in_one() -> None:
    @tool(name="read")
    def other() -> str:
        """Mine."""
        return ""

    found: list[ToolDefinition] = ToolChoice().choose(["read"], builtin_tools(), {"read": other})
    assert found == [other]


@pytest.mark.parametrize(
    ("names", "unknown"),
    [
        (None, []),
        (["read", "raed"], ["raed"]),
        (["+grep", "+gerp", "-nothing"], ["gerp"]),
        (["x*", "r*"], ["x*"]),
    ],
)
def test_names_that_mean_nothing(names: list[str] | None, unknown: list[str]) -> None:
    assert ToolChoice(names).unknown(builtin_tools()) == unknown
