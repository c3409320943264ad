"""Starting the full-screen program."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.paths import AppPaths, working_folder
from pi_term.base.sanitize import sanitize_line
from pi_term.base.watchdog import Watchdog
from pi_term.cli.options import Arguments

if TYPE_CHECKING:
    from pi_term.coding.session import SessionTree
    from pi_term.coding.settings.store import SettingsStore
    from pi_term.coding.startup import Started
    from pi_term.tui.app import AppParts, PiTermApp
    from pi_term.tui.bridge import TuiBridge


def run_interactive(args: Arguments, paths: AppPaths) -> int:
    """Run until the user quits; returns the exit code."""
    # How soon after a picture Textual paints the next one, or twice as long after it: the second of two keys
    # should not wait for long. What streams in has a slower pace of its own.
    os.environ.setdefault("TEXTUAL_FPS", "500")
    return asyncio.run(_run(args, paths))


async def _run(args: Arguments, paths: AppPaths) -> int:
    from pi_term.tui.lean import import_textual

    import_textual()
    from pi_term.tui.app import PiTermApp

    app = PiTermApp(_parts(args, paths))
    gc.freeze()
    gc.enable()
    # A full collection takes as long as two frames; most of what lives here lives long.
    gc.set_threshold(50_000, 20, 100)
    # A key goes through three threads; while another one computes, each would wait for its turn this long.
    sys.setswitchinterval(0.001)
    try:
        await app.run_async()
    finally:
        _end_undisturbed()
        app.main.editor_actions.end()
        if app.started is not None:
            await app.started.aclose()
    code = app.return_code or 0
    if app.started is not None:
        _last_words(app, code)
    return code


def _end_undisturbed() -> None:
    """Who asks once more for the end does not keep us from ending commands; but it must not take for ever."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    Watchdog().watch(1)


def _last_words(app: PiTermApp, code: int) -> None:
    """What was said, how to go on, and what is lost, once the terminal is the shell's again."""
    from pi_term.coding.settings import schema

    session = app.session
    if session.recorder.problem:
        lost = sanitize_line(f"pi-term: The end of this session is lost. {session.recorder.problem}")
        with suppress(OSError):  # the terminal may be gone
            sys.stderr.write(f"{lost}\n")
    elif code == 0 and session.file.stored:
        text = "To go on with this session here: pi-term -c\n"
        if sys.stdout.isatty() and session.harness.settings.get(schema.EXIT_OUTPUT) == "transcript":
            from pi_term.tui.farewell import transcript_text

            text = f"{transcript_text(app)}\n{text}"
        with suppress(OSError):
            sys.stdout.buffer.write(text.encode("utf-8", "replace"))
            sys.stdout.flush()


def _parts(args: Arguments, paths: AppPaths) -> AppParts:
    """What the first picture needs. What the project itself wishes comes with its trust."""
    from pi_term.cli.files import attached, resources_of
    from pi_term.coding.resources.listed import listings_of
    from pi_term.coding.resources.loader import ResourceLoader
    from pi_term.coding.resources.project import ProjectFolder
    from pi_term.coding.settings import schema
    from pi_term.coding.settings.store import SettingsStore
    from pi_term.tui.app import AppParts
    from pi_term.tui.looks import Looks, load_looks
    from pi_term.tui.widgets.editor import PromptHistory

    cwd = working_folder()
    settings = SettingsStore.load(paths, overrides=args.settings)
    project = ProjectFolder(cwd, trusted=False)
    listings = listings_of(settings, paths, project)
    resources = ResourceLoader(paths, project, resources_of(args, cwd), listings)
    text, images = attached(args.files, cwd, settings)
    first, *others = args.messages or [""]
    true_color = settings.get(schema.TRUE_COLOR)

    async def begin(ui: TuiBridge) -> Started:
        from pi_term.cli.startup import request_of
        from pi_term.coding.startup import start_session

        return await start_session(request_of(args), paths, ui)

    async def guide(app: PiTermApp) -> Started:
        from pi_term.cli import first_start

        return await first_start.begin(app, args, paths, settings)

    def looks_of(started: Started | None) -> Looks:
        named, found = (settings, resources) if started is None else (started.settings, started.resources)
        return load_looks(named, found, paths.keybindings_file, os.environ, parts.light)

    def history_file(folder: Path) -> Path:
        return paths.history_dir / f"{_project(folder)}.jsonl"

    parts = AppParts(
        start=begin,
        looks=load_looks(settings, resources, paths.keybindings_file, os.environ),
        looks_of=looks_of,
        history=PromptHistory(history_file(cwd)),
        history_file=history_file,
        drafts=paths.drafts_dir / _project(cwd),
        crash_dir=paths.crash_dir,
        prompts=[text + first, *others] if text or first else others,
        images=images,
        resume=args.resume,
        demo=args.demo,
        quiet=settings.get(schema.QUIET_STARTUP),
        true_color=true_color if isinstance(true_color, bool) else None,
        # Who names a model, or the demo, has set something up.
        guide=None if args.demo or args.model or args.models or args.provider else guide,
        tidy=_tidy,
        settings=settings,
        tail=_tail(args, paths, cwd, settings),
    )
    return parts


def _tail(
    args: Arguments, paths: AppPaths, cwd: Path, settings: SettingsStore
) -> Callable[[], SessionTree | None] | None:
    """What reads the end of the session to go on with; None where it is a new one, or not known yet."""
    if not (args.continue_session or args.session or args.session_id or args.fork):
        return None

    def read() -> SessionTree | None:
        from pi_term.coding.session_places import SessionPlaces
        from pi_term.coding.settings import schema

        places = SessionPlaces.of(cwd, args.session_dir or settings.get(schema.SESSION_DIR), paths)
        return places.peek(args.fork or args.session, args.session_id)

    return read


def _tidy() -> None:
    """Remove what commands printed long ago."""
    import tempfile

    from pi_term.coding.tools.bash.prune import prune_outputs

    prune_outputs(Path(tempfile.gettempdir()))


def _project(cwd: Path) -> str:
    """The name under which the prompts and drafts of this folder are kept."""
    return hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16]
