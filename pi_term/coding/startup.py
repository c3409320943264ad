"""Putting a session together: settings, trust, resources, model, tools, file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from pi_term.ai.catalog import ModelChoice, ModelRegistry
from pi_term.ai.context import CacheRetention, StreamOptions
from pi_term.ai.models import ThinkingLevel
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject
from pi_term.base.paths import AppPaths
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.credentials import FileCredentialStore
from pi_term.coding.grounds import Grounds, survey
from pi_term.coding.harness import Harness
from pi_term.coding.navigator import clean_name
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.coding.resources.options import ResourceOptions
from pi_term.coding.session import SessionFile, SessionInfoEntry
from pi_term.coding.session_places import SessionPlaces, settle_folder
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.starting_model import (
    choose_first_model,
    first_level,
    model_of_session,
    model_scope,
)
from pi_term.coding.tool_choice import ToolChoice
from pi_term.coding.tools.builtin import builtin_tools
from pi_term.coding.tools.definition import ToolDefinition
from pi_term.coding.tools.local.operations import LOCAL
from pi_term.coding.tools.operations import Operations
from pi_term.coding.trust import TrustDecision
from pi_term.coding.ui_bridge import UiBridge
from pi_term.coding.workshop import Workshop


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What the caller wants. None means: as the settings say.

    One of these says which session to begin with; without any, it is a new one. `session` opens one by a
    path or the beginning of an id, `continue_last` the folder's latest, `fork` copies one (by a path or the
    beginning of an id); `session_id` opens the folder's session of exactly this id or gives it to the new
    one. `name` is what people shall know it by.

    `models` are patterns of the models to go through; the first is begun with where no `model` is named.
    `trust` overrides what is stored about the project; `settings` are overrides by dotted key.
    `own_tools` are those of the program that this is part of; `operations` are where all tools, and the
    user's own commands, work.
    """

    cwd: Path
    demo: bool = False
    model: str | None = None
    provider: str | None = None
    api_key: str | None = field(default=None, repr=False)
    thinking: ThinkingLevel | None = None
    models: Sequence[str] = ()
    session: str | None = None
    continue_last: bool = False
    fork: str | None = None
    session_id: str | None = None
    session_dir: Path | None = None
    in_memory: bool = False
    name: str | None = None
    tools: ToolChoice = ToolChoice()
    own_tools: Sequence[ToolDefinition] = ()
    operations: Operations = LOCAL
    resources: ResourceOptions = ResourceOptions()
    trust: bool | None = None
    settings: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What stays the same in whatever folder the program works."""

    request: StartRequest
    paths: AppPaths
    ui: UiBridge

    async def survey(self, cwd: Path) -> Grounds:
        request = self.request
        return await survey(cwd, self.paths, self.ui, request.settings, request.trust, request.resources)

    def places(self, grounds: Grounds) -> SessionPlaces:
        chosen = self.request.session_dir or grounds.settings.get(schema.SESSION_DIR)
        return SessionPlaces.of(grounds.cwd, chosen, self.paths)

    def session_folder(self, grounds: Grounds) -> Path | None:
        """Where session files go; None: they are kept in memory."""
        return None if self.request.in_memory else self.places(grounds).folder

    def workshop(self, grounds: Grounds) -> Workshop:
        request = self.request
        return Workshop(
            grounds.cwd,
            grounds.settings,
            grounds.resources,
            request.tools,
            request.own_tools,
            request.operations,
            paths=self.paths,
        )

    def harness(
        self, grounds: Grounds, workshop: Workshop, registry: ModelRegistry, scope: Sequence[ModelChoice]
    ) -> Harness:
        return Harness(
            cwd=grounds.cwd,
            settings=grounds.settings,
            registry=registry,
            session_folder=self.session_folder(grounds),
            ui=self.ui,
            declare=workshop.declare,
            options=lambda: _options(grounds.settings),
            command_place=workshop.command_place,
            checkpoints=workshop.checkpoints,
            expand=grounds.resources.expand,
            scope=scope,
        )


@dataclass(slots=True)
class Started:
    """A session that is ready, what it stands on, and what people should know about that.

    As a context manager it closes everything at the end.
    """

    session: AgentSession
    grounds: Grounds
    registry: ModelRegistry
    diagnostics: list[Diagnostic]
    _credentials: FileCredentialStore
    _plan: _Plan

    @property
    def settings(self) -> SettingsStore:
        """The settings of the session's folder."""
        return self.grounds.settings

    @property
    def resources(self) -> ResourceLoader:
        """The project files of the session's folder."""
        return self.grounds.resources

    @property
    def trust(self) -> TrustDecision:
        """Whether the session's folder is trusted."""
        return self.grounds.trust

    async def open(self, path: Path) -> None:
        """Go to the session in the file `path`, in its own folder where that still exists.

        Raises `PiTermError` where the file cannot be opened or nobody wants it here; the session that was
        open stays open then.
        """
        plan, session = self._plan, self.session
        here = session.harness.cwd
        file = await asyncio.to_thread(SessionFile.open, path, cwd=here)
        file, cwd = await settle_folder(file, here, session.harness.session_folder, plan.ui)
        if cwd != here:
            self.grounds = await plan.survey(cwd)
            workshop = plan.workshop(self.grounds)
            workshop.session = session
            await session.harness.checkpoints.aclose()
            session.harness = plan.harness(self.grounds, workshop, self.registry, session.harness.scope)
            for each in self.grounds.diagnostics:
                session.hub.report(each)
        await session.switcher.open(file)

    async def import_file(self, path: Path) -> None:
        """Take a session file from elsewhere into the sessions folder, keeping its id, and go to it."""
        from pi_term.coding.session.importing import import_session

        folder = self.session.harness.session_folder
        await self.open(path if folder is None else await asyncio.to_thread(import_session, path, folder))

    async def aclose(self) -> None:
        """End what goes on, write what is pending, close files and connections."""
        from pi_term.ai.wire import http

        await self.session.aclose()
        await self._credentials.aclose()
        await http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


async def start_session(request: StartRequest, paths: AppPaths, ui: UiBridge) -> Started:
    """Make a session as `request` says; raises `PiTermError` where that cannot be done."""
    plan = _Plan(request, paths, ui)
    grounds = await plan.survey(request.cwd)
    file = await _existing_file(plan, grounds)
    if file is not None:
        file, cwd = await settle_folder(file, request.cwd, plan.session_folder(grounds), ui)
        if cwd != request.cwd:
            grounds = await plan.survey(cwd)
    credentials = FileCredentialStore(paths.auth_file)
    registry, found = _registry(request, paths, credentials)
    scope, misses = model_scope(request, grounds.settings, registry)
    found = [*grounds.diagnostics, *found, *misses, *_unknown_tools(request)]
    try:
        choice = model_of_session(file, request, registry) or choose_first_model(
            request, grounds.settings, registry, scope
        )
    except PiTermError as error:
        error.findings = tuple(each.text() for each in found)
        raise
    if request.api_key is not None:
        registry.set_key(choice.model.provider, request.api_key)
    session = _session(plan, grounds, registry, scope, choice)
    if file is not None:
        await _resume(session, file, request, choice)
    elif request.session_id is not None:
        found.append(Diagnostic("info", f"There is no session {request.session_id} here yet: it begins now"))
    found += [*([choice.problem] if choice.problem else []), *session.hub.unheard]
    return Started(session, grounds, registry, found, credentials, plan)


async def _existing_file(plan: _Plan, grounds: Grounds) -> SessionFile | None:
    """The session to go on with, if one was asked for and there is one."""
    request, places = plan.request, plan.places(grounds)
    if request.fork is not None:
        folder = plan.session_folder(grounds)
        return await asyncio.to_thread(places.fork, request.fork, folder, request.session_id)
    if request.session is not None:
        return await asyncio.to_thread(places.find, request.session)
    if request.in_memory:
        return None
    if request.session_id is not None:
        return await asyncio.to_thread(places.with_id, request.session_id)
    return await asyncio.to_thread(places.latest) if request.continue_last else None


def _session(
    plan: _Plan,
    grounds: Grounds,
    registry: ModelRegistry,
    scope: Sequence[ModelChoice],
    choice: ModelChoice,
) -> AgentSession:
    settings, request = grounds.settings, plan.request
    workshop = plan.workshop(grounds)
    harness = plan.harness(grounds, workshop, registry, scope)
    thinking = request.thinking or choice.level or first_level(settings, choice)
    file = harness.new_file(id=request.session_id)
    if request.name is not None:
        file.add(SessionInfoEntry(name=clean_name(request.name)))
    session = workshop.session = AgentSession(harness, choice.model, thinking, file)
    session.agent.steering.mode = settings.get(schema.STEERING_MODE)
    session.agent.follow_ups.mode = settings.get(schema.FOLLOW_UP_MODE)
    return session


def _unknown_tools(request: StartRequest) -> list[Diagnostic]:
    known = dict.fromkeys((*builtin_tools(), *(tool.name for tool in request.own_tools)))
    names = request.tools.unknown(known)
    if not names:
        return []
    return [
        Diagnostic("warning", f"there is no tool {', '.join(names)}", hint=f"there are {', '.join(known)}")
    ]


def _registry(
    request: StartRequest, paths: AppPaths, credentials: FileCredentialStore
) -> tuple[ModelRegistry, list[Diagnostic]]:
    registry = ModelRegistry(paths.models_file, credentials=credentials, demo=request.demo)
    credentials.refresh()  # so that what is wrong with them is known
    return registry, [*registry.diagnostics, *credentials.diagnostics]


async def _resume(
    session: AgentSession, file: SessionFile, request: StartRequest, choice: ModelChoice
) -> None:
    """Open the session that was asked for; a model or level named for this run goes before its own."""
    await session.switcher.open(file)
    if request.model is not None and choice.model.key != session.model.key:
        await session.set_model(choice.model)
    if request.thinking is not None and request.thinking != session.thinking_level:
        await session.set_thinking_level(request.thinking)
    if request.name is not None:
        await session.navigator.rename(request.name)


def _options(settings: SettingsStore) -> StreamOptions:
    first, idle = settings.get(schema.PROVIDER_TIMEOUT), settings.get(schema.HTTP_IDLE_TIMEOUT)
    return StreamOptions(
        timeout_ms=None if first is None else round(first),
        idle_timeout_ms=round(idle) or None,
        proxy=settings.get(schema.HTTP_PROXY),
        cache_retention=_cache_retention(),
        attribution=os.environ.get("PI_TELEMETRY", "1").lower() not in ("0", "false", "no"),
        thinking_budgets=settings.get(schema.THINKING_BUDGETS),
        block_images=settings.get(schema.BLOCK_IMAGES),
        cross_model_thinking=settings.get(schema.CROSS_MODEL_THINKING),
    )


def _cache_retention() -> CacheRetention:
    """How long providers shall keep the prompt; Pi's variable says so."""
    return "long" if os.environ.get("PI_CACHE_RETENTION") == "long" else "short"
