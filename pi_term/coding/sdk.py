"""The core in another program: one function makes a session, one class says which."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from pi_term.ai.models import ThinkingLevel
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonValue
from pi_term.base.paths import AppPaths, working_folder
from pi_term.coding.resources.options import ResourceOptions
from pi_term.coding.session import SessionSummary, files_in, list_sessions
from pi_term.coding.session_places import SessionPlaces
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.startup import Started, StartRequest, start_session
from pi_term.coding.tool_choice import ToolChoice
from pi_term.coding.tools.definition import ToolDefinition
from pi_term.coding.ui_bridge import NullUi, UiBridge


@dataclass(frozen=True, slots=True)
class SessionManager:
    """Which session a program begins with, and where sessions are kept; made by its class methods.

    `folder` is the one for session files; None: as the settings say.
    """

    folder: Path | None = None
    keeps: bool = True
    opens: str | None = None
    copies: str | None = None
    latest: bool = False
    id: str | None = None

    @classmethod
    def create(cls, folder: str | Path | None = None, *, id: str | None = None) -> Self:
        """A new session; or, with an `id`, the one of the working folder that has it already."""
        return cls(_path(folder), id=id)

    @classmethod
    def in_memory(cls) -> Self:
        """A new session that is kept in memory only."""
        return cls(keeps=False)

    @classmethod
    def open(cls, session: str | Path, folder: str | Path | None = None) -> Self:
        """A stored session, named by its file or the beginning of its id."""
        return cls(_path(folder), opens=str(session))

    @classmethod
    def continue_recent(cls, folder: str | Path | None = None) -> Self:
        """The working folder's last session; a new one where there is none."""
        return cls(_path(folder), latest=True)

    @classmethod
    def fork(cls, session: str | Path, folder: str | Path | None = None, *, id: str | None = None) -> Self:
        """A copy of a stored session, named by its file or the beginning of its id."""
        return cls(_path(folder), copies=str(session), id=id)

    @staticmethod
    async def list(
        cwd: str | Path | None = None,
        folder: str | Path | None = None,
        home: str | Path | None = None,
    ) -> Sequence[SessionSummary]:
        """The sessions of a working folder, the one that was used last first."""
        return await asyncio.to_thread(_summaries, _cwd(cwd), _path(folder), _app_paths(home))


async def create_agent_session(
    *,
    cwd: str | Path | None = None,
    model: str | None = None,
    provider: str | None = None,
    api_key: str | None = None,
    thinking: ThinkingLevel | None = None,
    models: Sequence[str] = (),
    demo: bool = False,
    session_manager: SessionManager | None = None,
    name: str | None = None,
    tools: Sequence[str] | None = None,
    exclude_tools: Sequence[str] = (),
    own_tools: Sequence[ToolDefinition] = (),
    resources: ResourceOptions | None = None,
    trust: bool | None = None,
    settings: Mapping[str, JsonValue] | None = None,
    ui: UiBridge | None = None,
    home: str | Path | None = None,
) -> Started:
    """Make a session; use what comes back as a context manager, or `aclose` it.

    The options are those of the command line, and None means: as the settings say. `cwd` is the working
    folder. `model` is a full name or a part of one; `demo` takes the scripted one. `tools` are names,
    patterns, or changes to the default (`+grep`, `-write`); `own_tools` come on top (see `tool`).
    `resources` are prompts, skills and instructions of this program. `trust` says whether the project's
    `.pi` folder counts; without an answer it does not. `settings` are overrides by dotted key. `ui` answers
    what a person would be asked. `home` is the folder for settings, keys and sessions, as PI_TERM_HOME.

    Raises `PiTermError` where no session can be made: no model, no key, no such session.
    """
    which = session_manager or SessionManager()
    request = StartRequest(
        cwd=_cwd(cwd),
        demo=demo,
        model=model,
        provider=provider,
        api_key=api_key,
        thinking=thinking,
        models=models,
        session=which.opens,
        continue_last=which.latest,
        fork=which.copies,
        session_id=which.id,
        session_dir=which.folder,
        in_memory=not which.keeps,
        name=name,
        tools=ToolChoice(tools, exclude_tools),
        own_tools=own_tools,
        resources=resources or ResourceOptions(),
        trust=trust,
        settings=dict(settings or {}),
    )
    return await start_session(request, _app_paths(home), ui or NullUi())


def _summaries(cwd: Path, folder: Path | None, paths: AppPaths) -> list[SessionSummary]:
    chosen = folder or SettingsStore.load(paths).get(schema.SESSION_DIR)
    place = SessionPlaces.of(cwd, chosen, paths)
    return list(list_sessions(files_in(place.folder), cwd=cwd))


def _app_paths(home: str | Path | None) -> AppPaths:
    return AppPaths.from_env(None if home is None else {"PI_TERM_HOME": str(home)})


def _cwd(folder: str | Path | None) -> Path:
    return working_folder() if folder is None else Path(folder).expanduser().absolute()


def _path(folder: str | Path | None) -> Path | None:
    return None if folder is None else Path(folder)
