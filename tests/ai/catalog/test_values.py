from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.ai.catalog import values
from pi_term.ai.catalog.values import is_literal, missing_names, resolve_value
from pi_term.base.errors import PiTermError

ENV = {"MY_KEY": "secret", "EMPTY": "", "PATH": "/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("PATH", "PATH"),
        ("ABC123", "ABC123"),
        ("$MY_KEY", "secret"),
        ("${MY_KEY}x", "secretx"),
        ("a-$MY_KEY-b", "a-secret-b"),
        (" key\r\n", "key"),
        ("$$MY_KEY", "$MY_KEY"),
        ("$!echo no", "!echo no"),
        ("cost$", "cost$"),
        ("$1", "$1"),
        ("${no name}", "${no name}"),
        ("", ""),
    ],
)
async def test_what_a_value_stands_for(value: str, result: str) -> None:
    assert await resolve_value(value, ENV) == result


@pytest.mark.parametrize("value", ["$MISSING", "${MISSING}x", "$MY_KEY$MISSING", "$EMPTY"])
async def test_a_missing_variable_is_named(value: str) -> None:
    with pytest.raises(PiTermError) as caught:
        await resolve_value(value, ENV)
    assert caught.value.code == "unresolved"
    assert ("EMPTY" if "EMPTY" in value else "MISSING") in caught.value.message
    assert missing_names(value, ENV)


@given(st.text(alphabet=st.characters(exclude_characters="$!"), min_size=1))
def test_text_without_marks_is_literal(text: str) -> None:
    assert is_literal(text)
    assert asyncio.run(resolve_value(text, {})) == text.strip()


async def test_a_command_prints_the_value_and_sees_the_environment() -> None:
    assert await resolve_value("! echo $MY_KEY; echo noise >&2", ENV) == "secret"
    assert not is_literal("!x")
    assert missing_names("!echo $MISSING", ENV) == []


@pytest.mark.parametrize("command", ["exit 3", "true", "echo sk-leaked; exit 1"])
async def test_a_failing_command_shows_nothing_of_itself(command: str) -> None:
    with pytest.raises(PiTermError) as caught:
        await resolve_value("!" + command, ENV)
    assert "sk-leaked" not in caught.value.text()
    assert "command" in caught.value.message


async def test_a_command_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "COMMAND_TIMEOUT", 0.05)
    with pytest.raises(PiTermError, match="took over"):
        await resolve_value("!sleep 60 | cat", ENV)


async def test_cancelling_ends_the_command(tmp_path: Path) -> None:
    started = tmp_path / "started"
    started.touch()
    task = asyncio.create_task(resolve_value(f"!echo $$ > {started}; exec sleep 60", ENV))
    while not started.read_text().strip():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
