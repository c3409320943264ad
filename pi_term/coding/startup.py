"""Putting a session together: settings, trust, resources, model, tools, file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pi_term.ai.catalog import ModelChoice, ModelRegistry
from pi_term.ai.models import ThinkingLevel
from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject
from pi_term.base.paths import AppPaths
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.credentials import FileCredentialStore
from pi_term.coding.harness import Harness
from pi_term.coding.navigator import clean_name
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.coding.resources.options import ResourceOptions
from pi_term.coding.run_setup import RunSetup
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
from pi_term.coding.stream_options import stream_options
from pi_term.coding.tool_choice import ToolChoice
from pi_term.coding.tools.builtin import builtin_tools
from pi_term.coding.tools.definition import ToolDefinition
from pi_term.coding.tools.local.operations import LOCAL
from pi_term.coding.tools.operations import Operations
from pi_term.coding.trust import TrustDecision
from pi_term.coding.ui_bridge import UiBridge
from pi_term.coding.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from pi_term.coding.logins import Logins


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

    async def workspace(self, cwd: Path, trusted: bool | None = None) -> Workspace:
        """`trusted` is a decision that people made for this run only."""
        request = self.request
        trust = trusted if request.trust is None else request.trust
        return await open_workspace(cwd, self.paths, self.ui, request.settings, trust, request.resources)

    def places(self, workspace: Workspace) -> SessionPlaces:
        chosen = self.request.session_dir or workspace.settings.get(schema.SESSION_DIR)
        return SessionPlaces.of(workspace.cwd, chosen, self.paths)

    def session_folder(self, workspace: Workspace) -> Path | None:
        """Where session files go; None: they are kept in memory."""
        return None if self.request.in_memory else self.places(workspace).folder

    def setup(self, workspace: Workspace) -> RunSetup:
        request = self.request
        return RunSetup(
            workspace.cwd,
            workspace.settings,
            workspace.resources,
            request.tools,
            request.own_tools,
            request.operations,
            paths=self.paths,
        )

    def harness(
        self, workspace: Workspace, setup: RunSetup, registry: ModelRegistry, scope: Sequence[ModelChoice]
    ) -> Harness:
        return Harness(
            workspace=workspace,
            registry=registry,
            session_folder=self.session_folder(workspace),
            ui=self.ui,
            declare=setup.declare,
            options=lambda: stream_options(workspace.settings),
            command_place=setup.command_place,
            checkpoints=setup.checkpoints,
            expand=workspace.resources.expand,
            scope=scope,
        )


@dataclass(slots=True)
class Started:
    """A session that is ready, what it stands on, and what people should know about that.

    As a context manager it closes everything at the end.
    """

    session: AgentSession
    registry: ModelRegistry
    diagnostics: list[Diagnostic]
    _credentials: FileCredentialStore
    _plan: _Plan

    @property
    def workspace(self) -> Workspace:
        """What was found in the session's folder."""
        return self.session.harness.workspace

    @property
    def settings(self) -> SettingsStore:
        """The settings of the session's folder."""
        return self.workspace.settings

    @property
    def resources(self) -> ResourceLoader:
        """The project files of the session's folder."""
        return self.workspace.resources

    @property
    def trust(self) -> TrustDecision:
        """Whether the session's folder is trusted."""
        return self.workspace.trust

    @property
    def logins(self) -> Logins:
        """What can be logged in to, and what is stored."""
        from pi_term.coding.logins import Logins

        return Logins(
            self.registry, self._credentials, self._plan.paths, lambda: self.settings.get(schema.HTTP_PROXY)
        )

    @property
    def places(self) -> SessionPlaces:
        """Where sessions of the session's folder, and of others, lie."""
        return self._plan.places(self.workspace)

    async def open(self, path: Path, ui: UiBridge | None = None) -> None:
        """Go to the session in the file `path`, in its own folder where that still exists.

        `ui` asks what becomes of one whose folder is gone, where somebody just chose it.
        Raises `PiTermError` where the file cannot be opened or nobody wants it here; the session that was
        open stays open then.
        """
        plan, session = self._plan, self.session
        here = session.harness.cwd
        file = await asyncio.to_thread(SessionFile.open, path, cwd=here)
        file, cwd = await settle_folder(file, here, session.harness.session_folder, ui or plan.ui)
        try:
            harness = None if cwd == here else await self._harness(cwd)
            await session.switcher.open(file, harness)
        except BaseException:
            if session.file is not file:
                file.close()
            raise
        for each in () if harness is None else harness.workspace.diagnostics:
            session.hub.report(each)

    async def reload(self, *, decided: bool = False) -> list[Diagnostic]:
        """Read again what people write: settings, resources, models, keys; what holds for this run stays.

        `decided`: there is a new decision about the folder's trust. Returns what is wrong. Raises
        `PiTermError("busy")` while something goes on.
        """
        session, before = self.session, self.session.harness
        once = None if decided or self.trust.source not in ("asked", "unanswered") else self.trust.trusted
        async with session.occupied():
            await asyncio.to_thread(self.registry.reload)
            await asyncio.to_thread(self._credentials.refresh)
            harness = await self._harness(before.cwd, once)
            if once is not None:  # still an answer for this run, which is no flag
                trust = replace(harness.workspace.trust, source=self.trust.source)
                harness.workspace = replace(harness.workspace, trust=trust)
            harness.settings.keep_changes_of(before.settings)
            settings, misses = harness.settings, list[Diagnostic]()
            if settings.get(schema.ENABLED_MODELS) != before.settings.get(schema.ENABLED_MODELS):
                harness.scope, misses = model_scope(self._plan.request, settings, self.registry)
            await before.checkpoints.aclose()
            session.harness = harness
        found = [*harness.workspace.diagnostics, *self.registry.diagnostics, *self._credentials.diagnostics]
        return [*found, *misses]

    @property
    def paths(self) -> AppPaths:
        """Where the user's files lie."""
        return self._plan.paths

    async def _harness(self, cwd: Path, trusted: bool | None = None) -> Harness:
        """What the session stands on in a folder, as it is now."""
        plan, session = self._plan, self.session
        workspace = await plan.workspace(cwd, trusted)
        setup = plan.setup(workspace)
        setup.session = session
        return plan.harness(workspace, setup, self.registry, session.harness.scope)

    async def import_file(self, path: Path) -> None:
        """Take a session file from elsewhere into the sessions folder, keeping its id, and go to it."""
        from pi_term.coding.session.importing import import_session

        folder, root = self.session.harness.session_folder, self._plan.places(self.workspace).root
        await self.open(
            path if folder is None else await asyncio.to_thread(import_session, path, folder, root)
        )

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
    async with AsyncExitStack() as undo:  # what was opened, if it does not come to a session
        workspace, file = await _place(plan, undo)
        credentials = FileCredentialStore(paths.auth_file)
        undo.push_async_callback(credentials.aclose)
        registry, found = _registry(request, paths, credentials)
        scope, misses = model_scope(request, workspace.settings, registry)
        found = [*workspace.diagnostics, *found, *misses, *_unknown_tools(request)]
        try:
            choice = model_of_session(file, request, registry) or choose_first_model(
                request, workspace.settings, registry, scope
            )
        except PiTermError as error:
            error.findings = tuple(each.text() for each in found)
            raise
        if request.api_key is not None:
            registry.set_key(choice.model.provider, request.api_key)
        session = _session(plan, workspace, file, registry, scope, choice)
        undo.push_async_callback(session.aclose)
        if file is not None:
            await _resume(session, request, choice)
        elif request.session_id is not None:
            text = f"There is no session {request.session_id} here yet: it begins now"
            found.append(Diagnostic("info", text))
        found += [*([choice.problem] if choice.problem else []), *session.hub.unheard]
        undo.pop_all()
        return Started(session, registry, found, credentials, plan)


async def _place(plan: _Plan, undo: AsyncExitStack) -> tuple[Workspace, SessionFile | None]:
    """The session to go on with, if there is one, and what was found in the folder to work in."""
    here = plan.request.cwd
    workspace = await plan.workspace(here)
    file = await _existing_file(plan, workspace)
    if file is None:
        return workspace, None
    file, cwd = await settle_folder(file, here, plan.session_folder(workspace), plan.ui)
    undo.callback(file.close)
    return workspace if cwd == here else await plan.workspace(cwd), file


async def _existing_file(plan: _Plan, workspace: Workspace) -> SessionFile | None:
    """The session to go on with, if one was asked for and there is one."""
    request, places = plan.request, plan.places(workspace)
    if request.fork is not None:
        folder = plan.session_folder(workspace)
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
    workspace: Workspace,
    file: SessionFile | None,
    registry: ModelRegistry,
    scope: Sequence[ModelChoice],
    choice: ModelChoice,
) -> AgentSession:
    """A session that goes on with `file`, or a new one."""
    settings, request = workspace.settings, plan.request
    setup = plan.setup(workspace)
    harness = plan.harness(workspace, setup, registry, scope)
    thinking = request.thinking or choice.level or first_level(settings, choice)
    is_new = file is None
    if file is None:
        file = harness.new_file(id=request.session_id)
        if request.name is not None:
            file.add(SessionInfoEntry(name=clean_name(request.name)))
    session = setup.session = AgentSession(harness, choice.model, thinking, file, is_new=is_new)
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


async def _resume(session: AgentSession, request: StartRequest, choice: ModelChoice) -> None:
    """Go on as the session's file says; a model or level named for this run goes before its own."""
    await session.switcher.arrive()
    if request.model is not None and choice.model.key != session.model.key:
        await session.set_model(choice.model)
    level = request.thinking or (choice.level if request.model is not None else None)
    if level is not None and level != session.thinking_level:
        await session.set_thinking_level(level)
    if request.name is not None:
        await session.navigator.rename(request.name)
