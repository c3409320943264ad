"""From the command line to a session."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from pi_term.ai.models import ThinkingLevel
from pi_term.base.paths import working_folder
from pi_term.cli.files import resources_of
from pi_term.cli.options import Arguments
from pi_term.coding.startup import StartRequest
from pi_term.coding.tool_choice import ToolChoice
from pi_term.coding.tools.local.operations import LOCAL


def request_of(args: Arguments) -> StartRequest:
    """The command line in the core's terms."""
    cwd = working_folder()
    return StartRequest(
        cwd=cwd,
        demo=args.demo,
        model=args.model,
        provider=args.provider,
        api_key=args.api_key,
        thinking=cast("ThinkingLevel | None", args.thinking),  # `parse` has looked at it
        models=args.models,
        session=args.session,
        continue_last=args.continue_session,
        fork=args.fork,
        session_id=args.session_id,
        session_dir=None if args.session_dir is None else Path(args.session_dir),
        in_memory=args.no_session,
        name=args.name,
        tools=ToolChoice(
            args.tools, args.exclude_tools, args.builtin_tools and args.any_tools, args.any_tools
        ),
        operations=args.operations or LOCAL,
        resources=resources_of(args, cwd),
        trust=args.trust,
        settings=args.settings,
    )
