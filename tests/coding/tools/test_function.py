"""Tools made of functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from pi_term import ToolContext, ToolDefinition, ToolResult, create_agent_session, tool
from pi_term.agent.tools import text_result
from pi_term.ai.messages import ToolResultMessage, text_of
from pi_term.testing import Call, Say, ScriptedModel


def test_what_a_model_learns() -> None:
    @tool
    def look_up(
        word: Annotated[str, "what to look for"],
        count: int = 3,
        ratio: float | None = None,
        exact: bool = False,
        kinds: Sequence[Literal["noun", "verb"]] = (),
        names: list[str] | None = None,
        more: Mapping[str, Any] | None = None,
        id: str | int = "",
        rest: Any = None,
    ) -> str:
        """Look a word up.

        In every language.
        """
        return word

    assert (look_up.name, look_up.description) == ("look_up", "Look a word up.\n\nIn every language.")
    assert look_up.prompt_snippet == "Look a word up."
    kind = {"enum": ["noun", "verb"]}
    assert look_up.parameters == {
        "type": "object",
        "required": ["word"],
        "properties": {
            "word": {"type": "string", "description": "what to look for"},
            "count": {"type": "integer", "default": 3},
            "ratio": {"type": "number"},
            "exact": {"type": "boolean", "default": False},
            "kinds": {"type": "array", "items": kind},
            "names": {"type": "array", "items": {"type": "string"}},
            "more": {"type": "object"},
            "id": {"anyOf": [{"type": "string"}, {"type": "integer"}], "default": ""},
            "rest": {},
        },
    }


def test_a_name_and_a_description_of_its_own() -> None:
    @tool(name="find_word", description="Finds it.")
    def f() -> None:
        """Not this."""

    assert (f.name, f.label, f.description) == ("find_word", "find_word", "Finds it.")


def test_what_no_model_can_give_is_refused() -> None:
    def place(where: Path) -> None: ...
    def many(*words: str) -> None: ...

    for function, said in ((place, "where"), (many, "words")):
        with pytest.raises(TypeError, match=said):
            tool(function)


async def results(tmp_path: Path, own: ToolDefinition, *calls: dict[str, Any]) -> list[tuple[str, bool]]:
    """What a model is told of these calls."""
    with ScriptedModel([[Call(own.name, call) for call in calls], [Say("ok")]]) as script:
        script.install(tmp_path)
        started = await create_agent_session(
            cwd=tmp_path, home=tmp_path, model=script.model.key, own_tools=[own]
        )
        async with started:
            await started.session.prompt("go")
        told = [each for each in script.contexts[-1].messages if isinstance(each, ToolResultMessage)]
    return [(text_of(each.content), each.is_error) for each in told]


async def test_functions_are_run(tmp_path: Path) -> None:
    @tool
    def twice(number: int) -> int:
        return number * 2

    @tool
    async def where(context: ToolContext) -> str:
        return context.cwd.name

    @tool
    def whole() -> ToolResult:
        return text_result("failed", is_error=True)

    @tool
    def nothing() -> None: ...

    assert await results(tmp_path, twice, {"number": 2}, {"number": "3"}) == [("4", False), ("6", False)]
    assert await results(tmp_path, where, {}) == [(tmp_path.name, False)]
    assert await results(tmp_path, whole, {}) == [("failed", True)]
    assert [error for _, error in await results(tmp_path, nothing, {})] == [False]


async def test_what_goes_wrong_is_told_to_the_model(tmp_path: Path) -> None:
    @tool
    def broken(number: int) -> str:
        raise ValueError("no such number")

    told = await results(tmp_path, broken, {"number": 1}, {"number": "x"}, {})
    assert [error for _, error in told] == [True] * 3
    assert "no such number" in told[0][0]
    assert "number" in told[1][0]
