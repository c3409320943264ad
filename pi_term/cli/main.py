"""The command `pi-term`: reads the command line, then loads the one front end that is needed."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_term.base.errors import PiTermError
from pi_term.cli.args import parse
from pi_term.cli.options import Arguments
from pi_term.cli.streams import mend_streams, silence_stdout

if TYPE_CHECKING:
    from pi_term.base.paths import AppPaths
    from pi_term.coding.tools.operations import Operations

_COMMANDS = (["auth"], ["completions"], ["import-pi"])
_INTERRUPTED = 130  # what shells make of SIGINT
_BROKEN_PIPE = 141  # and of SIGPIPE


def main(argv: Sequence[str] | None = None, operations: Operations | None = None) -> int:
    """Run the program; returns the exit code. What goes wrong is one line, never a traceback.

    `operations` are where all tools and the user's own commands work; None: on this machine.
    """
    mend_streams()
    words = sys.argv[1:] if argv is None else argv
    try:
        if words[:1] in _COMMANDS:
            return _run_command(words[0], words[1:])
        return _run(_asked(words, operations))
    except PiTermError as error:
        for finding in error.findings:
            _complain(finding)
        _complain(error.text())
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # nobody reads any more
        silence_stdout()
        return _BROKEN_PIPE
    except OSError as error:  # a full disk, a folder that may not be written
        silence_stdout()
        told = "The standard output is closed" if error.errno == errno.EBADF else error.strerror or error
        _complain(f"{told}{f': {error.filename}' if error.filename else '.'}")
        return 1
    except Exception as error:  # noqa: BLE001 - the last one who can tell it in a line
        _complain(_crash_text(error))
        return 1


def _asked(words: Sequence[str], operations: Operations | None) -> Arguments:
    args = parse(words)
    args.operations = operations
    return args


def _run_command(command: str, words: Sequence[str]) -> int:
    if command == "completions":
        from pi_term.cli.completions import completions

        _say(completions(words))
        return 0
    from pi_term.base.paths import AppPaths

    if command == "import-pi":
        from pi_term.cli.import_pi import run_import

        return run_import(words, AppPaths.from_env())
    from pi_term.cli.auth import run_auth

    return run_auth(words, AppPaths.from_env())


def _run(args: Arguments) -> int:
    if args.help:
        from pi_term.cli.help import help_text

        _say(help_text())
        return 0
    if args.version:
        from pi_term.version import __version__

        _say(__version__)
        return 0
    if sys.platform == "win32":
        raise PiTermError("platform", "pi-term does not run on native Windows yet.", "Use it inside WSL.")
    from pi_term.base.log import setup_logging
    from pi_term.base.paths import AppPaths

    if args.offline:
        os.environ["PI_OFFLINE"] = "1"
    paths = AppPaths.from_env()
    setup_logging(paths.log_file, debug=args.debug)
    if args.list_models:
        from pi_term.cli.models import model_list

        _say(model_list(args, paths))
        return 0
    if args.export is not None:
        from pi_term.cli.headless import run_export

        _say(run_export(args))
        return 0
    # Nothing that start-up makes becomes garbage: looking for some meanwhile would only cost time. The
    # front end enables it again when it has started.
    gc.disable()
    try:
        return _run_front_end(args, paths)
    finally:
        gc.enable()


def _run_front_end(args: Arguments, paths: AppPaths) -> int:
    piped = not sys.stdin.isatty() or not sys.stdout.isatty()
    scripted = args.print_mode or args.mode != "text"
    if not scripted and (args.plain or (not piped and _wants_lines(args, paths))):
        from pi_term.cli.linear import run_linear

        return run_linear(args, paths)
    if scripted or piped:
        if args.resume:
            raise PiTermError("usage", "--resume asks at the screen.", "Use --continue or --session here.")
        from pi_term.cli.headless import run_headless

        return run_headless(args, paths)
    from pi_term.cli.interactive import run_interactive

    return run_interactive(args, paths)


def _wants_lines(args: Arguments, paths: AppPaths) -> bool:
    """Whether no screen is wanted, or the terminal can draw none."""
    from pi_term.coding.settings import schema
    from pi_term.coding.settings.store import SettingsStore

    dumb = os.environ.get("TERM") == "dumb"
    return dumb or SettingsStore.load(paths, overrides=args.settings).get(schema.PLAIN)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()  # what goes wrong with it is told while somebody listens


def _complain(text: str) -> None:
    from pi_term.base.sanitize import sanitize_line

    sys.stderr.write(f"pi-term: {sanitize_line(text)}\n")


def _crash_text(error: Exception) -> str:
    """What to say of an error that nobody expected; where the report of it lies, if it could be written."""
    from pi_term.base.crash import write_crash_report
    from pi_term.base.paths import AppPaths

    said = f"An unexpected error ended the program ({type(error).__name__}: {error})."
    try:
        return f"{said} The report: {write_crash_report(error, AppPaths.from_env().crash_dir)}"
    except OSError:
        return said


if __name__ == "__main__":
    sys.exit(main())
