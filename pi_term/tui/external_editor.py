"""The user's own editor for the prompt, on the terminal that the program lends it."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from textual.app import App, SuspendNotSupported

from pi_term.base.errors import PiTermError

_FALLBACKS = ("nano", "vi")


def editor_command(chosen: str | None, env: Mapping[str, str]) -> list[str]:
    """The command: the setting, else $VISUAL, else $EDITOR, else what there is; raises `PiTermError`."""
    command = next((each for each in (chosen, env.get("VISUAL"), env.get("EDITOR")) if each), None)
    if command is None:
        command = next((each for each in _FALLBACKS if shutil.which(each)), _FALLBACKS[0])
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise PiTermError("bad_editor", f"The editor command {command!r} is not valid: {error}.") from None
    if not words:
        raise PiTermError("bad_editor", "The editor command is empty.")
    words[0] = os.path.expanduser(words[0])
    return words


async def edit_externally(app: App[int], command: list[str], text: str, cwd: Path) -> str:
    """Let the user edit `text`; what came of it, one line end at its end dropped.

    What goes on in the program goes on meanwhile, unseen. Raises `PiTermError` where the command fails or
    leaves no text behind.
    """
    folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="pi-term-")
    path = Path(folder) / "prompt.md"
    try:
        await asyncio.to_thread(_write, path, text)
        try:
            problem = await _run(app, [*command, str(path)], cwd)
        except SuspendNotSupported:
            problem = PiTermError("no_editor", "There is no terminal that an editor could have.")
        if problem is not None:
            raise problem
        return await asyncio.to_thread(_read, path)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, True)


_UNCHANGED = "Your text is as it was."


async def _run(app: App[int], argv: list[str], cwd: Path) -> PiTermError | None:
    """Lend the terminal to the command; what went wrong.

    Textual takes the terminal back only if nothing is raised: that is for when the program ends meanwhile.
    """
    code: int | None = None
    reason = ""
    with app.suspend():
        try:
            code = await _code(argv, cwd)
        except OSError as error:
            reason = error.strerror or str(error)
    app.refresh(layout=True)
    if reason:
        hint = f"{_UNCHANGED} The setting externalEditor, $VISUAL or $EDITOR names another."
        return PiTermError("no_editor", f"Cannot run {argv[0]}: {reason}.", hint)
    if code != 0:
        return PiTermError("editor_failed", f"{argv[0]} ended with code {code}.", _UNCHANGED)
    return None


async def _code(argv: list[str], cwd: Path) -> int:
    process = await asyncio.create_subprocess_exec(*argv, cwd=cwd)
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            process.kill()


def _write(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _read(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise PiTermError(
            "editor_failed", f"The editor left no text behind: {error.strerror}.", _UNCHANGED
        ) from None
    return text.removesuffix("\n").removesuffix("\r")
