"""The prompt and the tools of each run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.agent.tools import AgentTool, ToolCallContext
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.paths import AppPaths
from pi_term.coding.checkpoints.checkpoints import Checkpoints
from pi_term.coding.prompt import build_sections
from pi_term.coding.recorder import Recorder
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.coding.session import SystemState
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.tool_choice import ToolChoice
from pi_term.coding.tools.builtin import builtin_tools
from pi_term.coding.tools.definition import ImageLimits, ShellSettings, ToolContext, ToolDefinition, bind
from pi_term.coding.tools.local.operations import LOCAL
from pi_term.coding.tools.operations import Operations

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.tools.bash.run import CommandPlace


class RunSetup:
    """Makes the prompt and the tools of each run, from the files and settings of that moment."""

    def __init__(
        self,
        cwd: Path,
        settings: SettingsStore,
        resources: ResourceLoader,
        choice: ToolChoice,
        own_tools: Sequence[ToolDefinition] = (),
        operations: Operations = LOCAL,
        *,
        paths: AppPaths,
    ) -> None:
        """`own_tools` are those of the program that this is part of, `operations` where all tools work."""
        self.checkpoints = Checkpoints(paths, settings, operations, self._recorder, self._report)
        self._operations = operations
        self._cwd = cwd
        self._choice = choice
        self._own_tools = {tool.name: tool for tool in own_tools}
        self._settings = settings
        self._resources = resources
        self.session: AgentSession | None = None

    def declare(self) -> tuple[SystemState, Sequence[AgentTool]]:
        """The prompt and tool set that the next run should have."""
        chosen = self._chosen_tools()
        sections = build_sections(
            cwd=self._cwd,
            tools=chosen,
            context_files=self._resources.context_files(),
            skills=self._resources.skills().values(),
            system_prompt=self._resources.system_prompt(),
            appended=self._resources.appended_prompt(),
        )
        if self.session is not None:
            for problem in self._resources.news():
                self._report(problem)
        tools = [bind(definition, self._environment) for definition in chosen]
        declared = {tool.name: tool.declaration() for tool in tools}
        return SystemState(sections=sections, tools=declared), tools

    def _chosen_tools(self) -> list[ToolDefinition]:
        default = self._settings.get(schema.DEFAULT_TOOLS)
        return self._choice.choose(default, builtin_tools(), self._own_tools)

    def command_place(self) -> CommandPlace:
        """Where the user's own commands run: as the tools' do."""
        import tempfile

        from pi_term.coding.tools.bash.run import CommandPlace

        temp_dir = Path(tempfile.gettempdir())
        return CommandPlace(self._cwd, temp_dir, self._shell(), self._variables(), self._operations)

    def _environment(self, call: ToolCallContext) -> ToolContext:
        import tempfile

        session = self.session
        model = None if session is None else session.model
        return ToolContext(
            cwd=self._cwd,
            call=call,
            mutations=self.checkpoints.mutations,
            temp_dir=Path(tempfile.gettempdir()),
            shell=self._shell(),
            env=self._variables(),
            supports_images=model is None or "image" in model.input,
            model_id="" if model is None else model.id,
            operations=self.checkpoints.watched(),
            images=ImageLimits(resize=self._settings.get(schema.AUTO_RESIZE_IMAGES)),
            ripgrep=self._settings.get(schema.RIPGREP_PATH),
        )

    def _recorder(self) -> Recorder | None:
        return None if self.session is None else self.session.recorder

    def _report(self, problem: Diagnostic) -> None:
        if self.session is not None:
            self.session.hub.report(problem)

    def _shell(self) -> ShellSettings:
        return ShellSettings(self._settings.get(schema.SHELL_PATH), self._settings.get(schema.SHELL_PREFIX))

    def _variables(self) -> dict[str, str]:
        return {} if self.session is None else session_variables(self.session)


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
