"""From the command line to a session."""

from __future__ import annotations

from pathlib import Path

from pi_term.ai.models import THINKING_LEVELS, ThinkingLevel
from pi_term.base.errors import PiTermError
from pi_term.base.paths import working_folder
from pi_term.cli.args import Arguments
from pi_term.coding.startup import StartRequest


def request_of(args: Arguments) -> StartRequest:
    """The command line in the core's terms."""
    return StartRequest(
        cwd=working_folder(),
        demo=args.demo,
        model=args.model,
        provider=args.provider,
        api_key=args.api_key,
        thinking=_level(args.thinking),
        session=args.session,
        continue_last=args.continue_session,
        session_dir=None if args.session_dir is None else Path(args.session_dir),
        in_memory=args.no_session,
        trust=args.trust,
        settings=args.settings,
    )


def _level(text: str | None) -> ThinkingLevel | None:
    if text is None:
        return None
    if text not in THINKING_LEVELS:
        raise PiTermError(
            "usage", f"{text!r} is no thinking level.", f"Use one of {', '.join(THINKING_LEVELS)}."
        )
    return text
