"""From the command line to a session."""

from __future__ import annotations

from pathlib import Path

from pi_term.ai.models import THINKING_LEVELS, ThinkingLevel
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject
from pi_term.base.paths import AppPaths
from pi_term.cli.args import Arguments
from pi_term.coding.startup import Started, StartRequest, start_session
from pi_term.coding.ui_bridge import UiBridge


async def start(args: Arguments, paths: AppPaths, ui: UiBridge) -> Started:
    """The session that the command line asks for; raises `PiTermError`."""
    return await start_session(request_of(args), paths, ui)


def request_of(args: Arguments) -> StartRequest:
    """The command line in the core's terms."""
    settings: JsonObject = {} if args.theme is None else {"theme": args.theme}
    return StartRequest(
        cwd=_folder(),
        demo=args.demo,
        model=args.model,
        provider=args.provider,
        api_key=args.api_key,
        thinking=_level(args.thinking),
        session=args.session,
        continue_last=args.continue_session,
        session_dir=None if args.session_dir is None else Path(args.session_dir),
        in_memory=args.no_session,
        trust=None if args.trust is None else args.trust == "always",
        settings=settings,
    )


def _folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise PiTermError(
            "no_folder", "The current folder does not exist any more.", "Go to another."
        ) from None


def _level(text: str | None) -> ThinkingLevel | None:
    if text is None:
        return None
    if text not in THINKING_LEVELS:
        raise PiTermError(
            "usage", f"{text!r} is no thinking level.", f"Use one of {', '.join(THINKING_LEVELS)}."
        )
    return text
