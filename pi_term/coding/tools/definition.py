"""Tools as the coding harness defines them, and what a running one may use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TypeAlias

from pi_term.agent.tools import AgentTool, ExecutionMode, ToolCallContext, ToolResult
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.coding.tools.local.operations import LOCAL
from pi_term.coding.tools.mutation import MutationQueue
from pi_term.coding.tools.operations import Operations


@dataclass(frozen=True, slots=True)
class ShellSettings:
    """The user's shell: `path` (None: bash, found as usual) and lines run before each command."""

    path: str | None = None
    command_prefix: str | None = None


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """What an image is made to fit before a model gets it. Sides are in pixels, `max_bytes` in base64.

    Without `resize`, images are sent as they are, or not at all.
    """

    resize: bool = True
    max_width: int = 2000
    max_height: int = 2000
    max_bytes: int = 4608 * 1024
    jpeg_quality: int = 80


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What one call of a built-in tool works with.

    Files and commands are those of `operations`, where `cwd` is a folder. `env` is laid over the environment
    that commands have there (the `PI_*` variables of the session). `supports_images` and `model_id` tell of
    the model that asked. `mutations` is shared by all calls that change files. `temp_dir`, on this machine,
    gets the full output of long commands. `ripgrep` is the program that the user chose for searches (None:
    the one that came with this program, or else what is there).
    """

    cwd: Path
    call: ToolCallContext
    mutations: MutationQueue
    temp_dir: Path
    shell: ShellSettings = ShellSettings()
    env: Mapping[str, str] = field(default_factory=dict)
    supports_images: bool = True
    model_id: str = ""
    operations: Operations = LOCAL
    images: ImageLimits = ImageLimits()
    ripgrep: str | None = None


ToolEnvironment: TypeAlias = Callable[[ToolCallContext], ToolContext]
"""Asked once a call, so that a new model, folder or setting counts from the next call on."""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool, with what the system prompt says of it.

    `prompt_snippet` is a line for the list of tools ("" leaves it out); `prompt_guidelines` are rules that
    hold while the tool is on, each naming the tool. `prepare` may mend arguments before validation.
    """

    name: str
    label: str
    description: str
    parameters: JsonObject
    execute: Callable[[JsonObject, ToolContext], Awaitable[ToolResult]]
    prompt_snippet: str = ""
    prompt_guidelines: tuple[str, ...] = ()
    prepare: Callable[[JsonObject], JsonObject] | None = None
    execution_mode: ExecutionMode = "parallel"


def bind(definition: ToolDefinition, environment: ToolEnvironment) -> AgentTool:
    """The tool for the loop, working in `environment`."""

    async def execute(args: JsonObject, call: ToolCallContext) -> ToolResult:
        return await definition.execute(args, environment(call))

    return AgentTool(
        name=definition.name,
        label=definition.label,
        description=definition.description,
        parameters=definition.parameters,
        execute=execute,
        prepare=definition.prepare,
        execution_mode=definition.execution_mode,
    )
