"""Sessions for tests: the real thing, on a scripted model and temporary folders."""

from __future__ import annotations

from pathlib import Path

from pi_term.ai.models import ThinkingLevel
from pi_term.base.json import JsonObject
from pi_term.base.paths import AppPaths
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.events import SessionEvent
from pi_term.coding.startup import Started, StartRequest, start_session
from pi_term.coding.ui_bridge import NullUi, UiBridge
from pi_term.testing.scripted import ScriptedModel


async def start_scripted(
    script: ScriptedModel,
    folder: Path,
    *,
    thinking: ThinkingLevel | None = None,
    ui: UiBridge | None = None,
    request: StartRequest | None = None,
    settings: JsonObject | None = None,
) -> Started:
    """A started program that works in `folder/work` and keeps its files in `folder/home`.

    `settings` are for this run, by dotted key.
    """
    work, home = folder / "work", folder / "home"
    work.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    paths = AppPaths(home, home, home, home)
    script.install(home)
    asked = request or StartRequest(
        cwd=work, model=script.model.key, thinking=thinking, settings=settings or {}
    )
    return await start_session(asked, paths, ui or NullUi())


async def scripted_session(
    script: ScriptedModel,
    folder: Path,
    *,
    thinking: ThinkingLevel | None = None,
    settings: JsonObject | None = None,
) -> AgentSession:
    """Just the session of `start_scripted`."""
    return (await start_scripted(script, folder, thinking=thinking, settings=settings)).session


def watch(session: AgentSession) -> list[SessionEvent]:
    """What happens to the session from now on; the list grows."""
    seen: list[SessionEvent] = []

    async def listen(event: SessionEvent) -> None:
        seen.append(event)

    session.subscribe(listen)
    return seen
