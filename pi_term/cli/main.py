"""The command `pi-term`: reads the command line, then loads the one front end that is needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pi_term.base.errors import PiTermError
from pi_term.cli.args import Arguments, help_text, parse


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code."""
    try:
        args = parse(sys.argv[1:] if argv is None else argv)
        return _run(args)
    except PiTermError as error:
        _complain(error.text())
        return 1


def _run(args: Arguments) -> int:
    if args.help:
        _say(help_text())
        return 0
    if args.version:
        from pi_term import __version__

        _say(__version__)
        return 0
    if sys.platform == "win32":
        raise PiTermError("platform", "pi-term does not run on native Windows yet.", "Use it inside WSL.")
    from pi_term.base.log import setup_logging
    from pi_term.base.paths import AppPaths

    paths = AppPaths.from_env()
    setup_logging(paths.log_file, debug=args.debug)
    if args.list_models:
        from pi_term.cli.models import model_list

        _say(model_list(args, paths))
        return 0
    if args.print_mode or not sys.stdin.isatty() or not sys.stdout.isatty():
        from pi_term.cli.headless import run_print

        return run_print(args, paths)
    from pi_term.cli.interactive import run_interactive

    return run_interactive(args, paths)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _complain(text: str) -> None:
    sys.stderr.write(f"pi-term: {text}\n")


if __name__ == "__main__":
    sys.exit(main())
