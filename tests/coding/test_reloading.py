"""Reading settings, resources and models again while the session goes on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.settings import schema
from pi_term.coding.ui_bridge import NullUi
from pi_term.testing.scripted import Say, ScriptedModel
from pi_term.testing.sessions import start_scripted


class Person(NullUi):
    """Trusts the folder for this run only, and counts how often that is asked."""

    asked = 0

    async def select(self, title: str, options: Sequence[str], *, timeout: float | None = None) -> str | None:
        self.asked += 1
        return next(each for each in options if "for this run only" in each)


async def test_the_session_goes_on_with_what_is_there_now(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "work" / ".pi"
    project.mkdir(parents=True)
    (project / "settings.json").write_text("{}")
    person = Person()
    with ScriptedModel([[Say("one")], [Say("two")]]) as script:
        async with await start_scripted(script, tmp_path, ui=person) as started:
            session = started.session
            await session.prompt("hello")
            (project / "settings.json").write_text(
                '{"retry": {"maxRetries": 7}, "enabledModels": ["test/*"]}'
            )
            (project / "SYSTEM.md").write_text("Answer in one word.")
            (home / "settings.json").write_text('{"theme": 1}')
            found = await started.reload()
            assert [each.key for each in found if each.file == home / "settings.json"] == ["theme"]
            assert started.settings.get(schema.RETRY_MAX) == 7
            assert [each.model.key for each in session.harness.scope] == [script.model.key]
            # What was decided for this run is not asked again.
            await started.reload()
            assert (started.trust.trusted, started.trust.source) == (True, "asked")
            assert person.asked == 1
            await session.prompt("hello again")
            assert "Answer in one word." in script.contexts[-1].system_prompt
            assert session.file.stored


async def test_changes_that_could_not_be_saved_stay(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with ScriptedModel() as script:
        async with await start_scripted(script, tmp_path) as started:
            (home / "settings.json").write_text('{"theme": ')
            assert started.settings.set(schema.RETRY_MAX, 9) is not None
            (home / "settings.json").write_text(json.dumps({"steeringMode": "all"}))
            assert await started.reload() == []
            assert started.settings.get(schema.RETRY_MAX) == 9
            assert started.settings.get(schema.STEERING_MODE) == "all"


async def test_nothing_is_read_again_while_something_goes_on(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        async with await start_scripted(script, tmp_path) as started, started.session.occupied():
            with pytest.raises(PiTermError):
                await started.reload()
