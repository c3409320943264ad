"""`bash`: the tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.agent.tools import ToolError, ToolResult, text_result
from pi_term.base.json import JsonObject
from pi_term.coding.tools.definition import ToolContext, ToolDefinition
from pi_term.coding.tools.truncate import MAX_BYTES, MAX_LINES, format_size

if TYPE_CHECKING:
    from pi_term.coding.tools.bash.output import Output
    from pi_term.coding.tools.bash.run import CommandEnd


async def _execute(args: JsonObject, context: ToolContext) -> ToolResult:
    from pi_term.coding.tools.bash.run import CommandPlace, run_command

    def show(output: Output) -> None:
        context.call.update(text_result(output.shown.content, details=output.details()))

    context.call.update(ToolResult())  # tells front ends that output may come
    timeout = _timeout(args)
    context.call.signal.raise_if_aborted()
    place = CommandPlace(context.cwd, context.temp_dir, context.shell, context.env, context.operations)
    return _result(await run_command(args["command"], place, context.call.signal, show, timeout), timeout)


def _timeout(args: JsonObject) -> float | None:
    timeout = args.get("timeout")
    if timeout is None:
        return None
    if timeout <= 0:
        raise ToolError(f"timeout must be more than 0 seconds, not {timeout:g}.")
    return float(timeout)


def _result(end: CommandEnd, timeout: float | None) -> ToolResult:
    text, status = end.output.text(), _status(end, timeout)
    if status:
        text = f"{text.removesuffix(chr(10))}\n\n{status}" if text else status
    return text_result(text or "(no output)", details=end.output.details(), is_error=bool(status))


def _status(end: CommandEnd, timeout: float | None) -> str:
    """What to tell of the command's end; "" when it went well."""
    if end.timed_out:
        return f"Command timed out after {timeout:g} seconds"
    if end.aborted:
        return "Command aborted"
    if end.signal_name is not None:
        return f"Command killed by {end.signal_name}, exited with code {end.exit_code}"
    return f"Command exited with code {end.exit_code}" if end.exit_code else ""


BASH = ToolDefinition(
    name="bash",
    label="bash",
    description=(
        "Run a command with bash in the working folder. Standard output and error come back as one text, "
        "with the exit code if it is not 0; of long output, the last "
        f"{MAX_LINES} lines or {format_size(MAX_BYTES)} and the path of a file that holds all of it. "
        "The command gets no input and no terminal. Processes it leaves in the background keep running."
    ),
    parameters={
        "type": "object",
        "required": ["command"],
        "properties": {
            "command": {"type": "string", "description": "The command or script to run"},
            "timeout": {"type": "number", "description": "Seconds after which it is ended (default: never)"},
        },
    },
    execute=_execute,
    prompt_snippet="run a command (tests, git, searching with rg, listing files)",
)
