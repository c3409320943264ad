"""A limit for what may be spent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import Cost, Usage
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.session import SessionFile
from pi_term.coding.ui_bridge import NullUi
from pi_term.testing.scripted import Reply, Say, ScriptedModel
from pi_term.testing.sessions import start_scripted


class Person(NullUi):
    """Says what it is told to, and remembers what it was asked."""

    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def confirm(self, title: str, message: str, *, timeout: float | None = None) -> bool:
        self.asked.append(message)
        return self.answers.pop(0)


def costly(dollars: float) -> Reply:
    usage = Usage(input=10, total_tokens=10, cost=Cost(total=dollars))
    return Reply([Say("fine")], usage=usage)


@pytest.fixture
async def script() -> AsyncIterator[ScriptedModel]:
    with ScriptedModel(answer=lambda context: costly(0.6)) as script:
        yield script


async def limited(script: ScriptedModel, folder: Path, ui: Any) -> AgentSession:
    started = await start_scripted(script, folder, ui=ui, settings={"spendLimit": 1})
    return started.session


async def test_without_a_person_the_limit_ends_the_run(script: ScriptedModel, tmp_path: Path) -> None:
    session = await limited(script, tmp_path, NullUi())
    for _ in range(4):
        await session.prompt("go")
    assert len(script.contexts) == 2
    assert "Spend limit reached: $1.20 spent, the limit is $1.00." in (session.agent.state.last_error or "")
    await session.aclose()


async def test_a_person_is_asked_and_as_much_again_may_be_spent(
    script: ScriptedModel, tmp_path: Path
) -> None:
    person = Person(True, False)
    session = await limited(script, tmp_path, person)
    for _ in range(6):
        if len(person.asked) < 2:
            await session.prompt("go")
    assert len(person.asked) == 2
    assert len(script.contexts) == 4
    assert "$2.20" in person.asked[1]
    await session.aclose()


async def test_what_others_spent_on_a_session_does_not_count(script: ScriptedModel, tmp_path: Path) -> None:
    session = await limited(script, tmp_path, Person(True))
    await session.prompt("go")
    await session.prompt("go")
    path = session.file.path
    assert path is not None
    await session.aclose()
    again = await limited(script, tmp_path, Person())
    await again.switcher.open(SessionFile.open(path))
    await again.prompt("go")  # nobody is asked
    await again.hub.drain()
    assert again.stats.cost == pytest.approx(1.8)
    assert again.conversation.spent == pytest.approx(0.6)
    await again.switcher.new()
    assert again.conversation.spent == pytest.approx(0.6)
    await again.aclose()
