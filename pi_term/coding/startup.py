"""Putting a session together: settings, trust, resources, model, tools, file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pi_term.agent.tools import AgentTool, ToolCallContext
from pi_term.ai.catalog import ModelRegistry
from pi_term.ai.catalog.search import ModelChoice, choose_model
from pi_term.ai.context import StreamOptions
from pi_term.ai.models import ThinkingLevel
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject
from pi_term.base.paths import AppPaths
from pi_term.coding.agent_session import AgentSession, Harness
from pi_term.coding.credentials import FileCredentialStore
from pi_term.coding.prompt import build_sections
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.coding.resources.project import ProjectFolder
from pi_term.coding.session import (
    SessionFile,
    SystemState,
    chosen_model,
    find,
    folder_for_cwd,
    latest_for_cwd,
)
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.tools.builtin import builtin_tools
from pi_term.coding.tools.definition import ShellSettings, ToolContext, ToolDefinition, bind
from pi_term.coding.tools.mutation import MutationQueue
from pi_term.coding.trust import TrustDecision, TrustStore, resolve_trust
from pi_term.coding.ui_bridge import UiBridge


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What the caller wants. None means: as the settings say.

    `session` is a path or the beginning of an id; `continue_last` opens the folder's latest session.
    `trust` overrides what is stored about the project; `settings` are overrides by dotted key.
    """

    cwd: Path
    demo: bool = False
    model: str | None = None
    provider: str | None = None
    api_key: str | None = field(default=None, repr=False)
    thinking: ThinkingLevel | None = None
    session: str | None = None
    continue_last: bool = False
    session_dir: Path | None = None
    in_memory: bool = False
    trust: bool | None = None
    settings: JsonObject = field(default_factory=dict)


@dataclass(slots=True)
class Started:
    """A session that is ready, what it stands on, and what people should know about that."""

    session: AgentSession
    settings: SettingsStore
    registry: ModelRegistry
    resources: ResourceLoader
    trust: TrustDecision
    diagnostics: list[Diagnostic]

    async def aclose(self) -> None:
        """End what goes on, write what is pending, close files and connections."""
        from pi_term.ai.wire import http

        await self.session.aclose()
        await http.aclose()


async def start_session(request: StartRequest, paths: AppPaths, ui: UiBridge) -> Started:
    """Make a session as `request` says; raises `PiTermError` where that cannot be done.

    Nothing of the project folder is read before it is decided whether it is trusted.
    """
    grounds = await _grounds(request, paths, ui)
    settings, registry = grounds.settings, grounds.registry
    places = _SessionPlaces.of(request, paths, settings)
    file = await asyncio.to_thread(places.existing_file)
    try:
        choice = _of_session(file, request, registry) or _choose(request, settings, registry)
    except PiTermError as error:
        error.findings = tuple(each.text() for each in grounds.diagnostics)
        raise
    if request.api_key is not None:
        registry.set_key(choice.model.provider, request.api_key)
    workshop = _Workshop(request.cwd, settings, grounds.resources)
    harness = Harness(
        cwd=request.cwd,
        registry=registry,
        declare=workshop.declare,
        new_file=places.new_file,
        options=lambda: _options(settings),
    )
    thinking = request.thinking or choice.level or _thinking(settings, choice)
    session = workshop.session = AgentSession(harness, choice.model, thinking)
    session.agent.steering.mode = settings.get(schema.STEERING_MODE)
    session.agent.follow_ups.mode = settings.get(schema.FOLLOW_UP_MODE)
    await _resume(session, file, request, choice)
    found = [*grounds.diagnostics, *([choice.problem] if choice.problem else []), *session.unheard]
    return Started(session, settings, registry, grounds.resources, grounds.trust, found)


@dataclass(frozen=True, slots=True)
class _Grounds:
    """What a session stands on, and what was found wrong with it."""

    settings: SettingsStore
    registry: ModelRegistry
    resources: ResourceLoader
    trust: TrustDecision
    diagnostics: list[Diagnostic]


async def _grounds(request: StartRequest, paths: AppPaths, ui: UiBridge) -> _Grounds:
    own = SettingsStore.load(paths, overrides=request.settings)
    trusts = TrustStore.of(paths)
    default = own.get(schema.DEFAULT_PROJECT_TRUST)
    trust = await resolve_trust(request.cwd, trusts, default, ui, override=request.trust)
    project = ProjectFolder(request.cwd, trust.trusted)
    settings = SettingsStore.load(paths, project, request.settings) if trust.trusted else own
    credentials = FileCredentialStore(paths.auth_file)
    registry = ModelRegistry(paths.models_file, credentials=credentials, demo=request.demo)
    registry.available()  # reads the credentials, so that what is wrong with them is known
    said = (trusts.problem, trust.problem, trust.notice(), _unknown_tools(settings))
    found = [*settings.diagnostics, *registry.diagnostics, *credentials.diagnostics]
    diagnostics = [*found, *(each for each in said if each is not None)]
    return _Grounds(settings, registry, ResourceLoader(paths, project), trust, diagnostics)


def _unknown_tools(settings: SettingsStore) -> Diagnostic | None:
    names = [name for name in settings.get(schema.DEFAULT_TOOLS) if name not in builtin_tools()]
    if not names:
        return None
    file = settings.origin(schema.DEFAULT_TOOLS).file
    known = ", ".join(builtin_tools())
    text = f"there is no tool {', '.join(names)}"
    return Diagnostic("warning", text, file, key=schema.DEFAULT_TOOLS.key, hint=f"there are {known}")


def _of_session(
    file: SessionFile | None, request: StartRequest, registry: ModelRegistry
) -> ModelChoice | None:
    """The model that the session to be opened talked to, unless another is asked for or its key is gone."""
    model = None if file is None or request.model is not None else chosen_model(file.tree)
    if model is None:
        return None
    registry.demo = registry.demo or model.provider == "demo"
    if not registry.has_auth(model.provider):
        return None
    try:
        return registry.find(f"{model.provider}/{model.model_id}")
    except PiTermError:
        return None  # it is not described any more: the session goes on with another


async def _resume(
    session: AgentSession, file: SessionFile | None, request: StartRequest, choice: ModelChoice
) -> None:
    """Open the session that was asked for; a model or level named for this run goes before its own."""
    if file is None:
        return
    await session.open_session(file)
    if request.model is not None and choice.model.key != session.model.key:
        await session.set_model(choice.model)
    if request.thinking is not None and request.thinking != session.thinking_level:
        await session.set_thinking_level(request.thinking)


@dataclass(frozen=True, slots=True)
class _SessionPlaces:
    """Where this run's session files come from and go to."""

    request: StartRequest
    folder: Path
    root: Path | None

    @classmethod
    def of(cls, request: StartRequest, paths: AppPaths, settings: SettingsStore) -> _SessionPlaces:
        """`root` holds a folder for each working directory; a folder of the user's choice is flat."""
        chosen = request.session_dir or settings.get(schema.SESSION_DIR)
        if chosen is not None:
            folder = Path(os.path.abspath(request.cwd / os.path.expanduser(chosen)))
            return cls(request, folder, None)
        return cls(request, folder_for_cwd(paths.sessions_dir, request.cwd), paths.sessions_dir)

    def new_file(self) -> SessionFile:
        if self.request.in_memory:
            return SessionFile.in_memory(self.request.cwd)
        return SessionFile.create(self.folder, self.request.cwd)

    def existing_file(self) -> SessionFile | None:
        """The session to go on with, if one was asked for and there is one."""
        request = self.request
        if request.session is not None:
            found = find(request.session, cwd=request.cwd, folder=self.folder, root=self.root)
            return SessionFile.open(found.path, cwd=request.cwd)
        if request.continue_last:
            path = latest_for_cwd(self.folder, request.cwd)
            return None if path is None else SessionFile.open(path)
        return None


class _Workshop:
    """Makes the prompt and the tools of each run, from the files and settings of that moment."""

    def __init__(self, cwd: Path, settings: SettingsStore, resources: ResourceLoader) -> None:
        self._cwd = cwd
        self._settings = settings
        self._resources = resources
        self._mutations = MutationQueue()
        self.session: AgentSession | None = None

    def declare(self) -> tuple[SystemState, Sequence[AgentTool]]:
        """The prompt and tool set that the next run should have."""
        chosen = self._chosen_tools()
        sections = build_sections(
            cwd=self._cwd,
            tools=chosen,
            context_files=self._resources.context_files(),
            system_prompt=self._resources.system_prompt(),
            appended=self._resources.appended_prompt(),
        )
        tools = [bind(definition, self._environment) for definition in chosen]
        declared = {tool.name: tool.declaration() for tool in tools}
        return SystemState(sections=sections, tools=declared), tools

    def _chosen_tools(self) -> list[ToolDefinition]:
        known = builtin_tools()
        names = self._settings.get(schema.DEFAULT_TOOLS)
        return [known[name] for name in names if name in known]

    def _environment(self, call: ToolCallContext) -> ToolContext:
        import tempfile

        session = self.session
        model = None if session is None else session.model
        return ToolContext(
            cwd=self._cwd,
            call=call,
            mutations=self._mutations,
            temp_dir=Path(tempfile.gettempdir()),
            shell=ShellSettings(
                self._settings.get(schema.SHELL_PATH), self._settings.get(schema.SHELL_PREFIX)
            ),
            env={} if session is None else session_variables(session),
            supports_images=model is None or "image" in model.input,
            model_id="" if model is None else model.id,
        )


def session_variables(session: AgentSession) -> dict[str, str]:
    """What commands learn of the session, in Pi's names."""
    variables = {
        "PI_SESSION_ID": session.file.id,
        "PI_PROVIDER": session.model.provider,
        "PI_MODEL": session.model.id,
        "PI_REASONING_LEVEL": session.thinking_level,
        "PI_CODING_AGENT": "true",
    }
    if session.file.path is not None:
        variables["PI_SESSION_FILE"] = str(session.file.path)
    return variables


def _choose(request: StartRequest, settings: SettingsStore, registry: ModelRegistry) -> ModelChoice:
    return choose_model(
        registry,
        pattern=request.model,
        provider=request.provider,
        default_provider=request.provider or settings.get(schema.DEFAULT_PROVIDER),
        default_model=settings.get(schema.DEFAULT_MODEL),
    )


def _thinking(settings: SettingsStore, choice: ModelChoice) -> ThinkingLevel:
    levels = settings.get(schema.MODEL_THINKING_LEVELS)
    return levels.get(choice.model.key, settings.get(schema.DEFAULT_THINKING_LEVEL))


def _options(settings: SettingsStore) -> StreamOptions:
    idle = settings.get(schema.HTTP_IDLE_TIMEOUT)
    return StreamOptions(
        idle_timeout_ms=round(idle) or None,
        thinking_budgets=settings.get(schema.THINKING_BUDGETS),
        block_images=settings.get(schema.BLOCK_IMAGES),
        cross_model_thinking=settings.get(schema.CROSS_MODEL_THINKING),
    )
