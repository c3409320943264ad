"""Copying reaches the terminal and the system's clipboard, and never waits for either."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

import pytest

from pi_term.tui import clipboard


@pytest.mark.parametrize(
    ("environ", "there", "platform", "names"),
    [
        ({"DISPLAY": ":0"}, {"xclip", "xsel"}, "linux", ["xclip"]),
        ({"DISPLAY": ":0"}, {"xsel"}, "linux", ["xsel"]),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}, {"wl-copy", "xclip"}, "linux", ["wl-copy"]),
        ({"WAYLAND_DISPLAY": "w"}, {"xclip"}, "linux", []),
        ({}, {"wl-copy", "xclip", "tmux"}, "linux", []),
        ({"TMUX": "x"}, {"tmux"}, "linux", ["tmux"]),
        ({"TMUX": "x"}, {"tmux", "pbcopy"}, "darwin", ["tmux", "pbcopy"]),
        ({"WSL_DISTRO_NAME": "u"}, {"clip.exe"}, "linux", ["clip.exe"]),
    ],
)
def test_which_tool_is_used(
    environ: dict[str, str], there: set[str], platform: str, names: list[str]
) -> None:
    found = clipboard.tools(environ, lambda name: name if name in there else None, platform)
    assert [command[0] for command in found] == names


async def test_a_tool_gets_the_text(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = f"import sys; open({str(out)!r}, 'wb').write(sys.stdin.buffer.read())"
    assert await clipboard.feed([sys.executable, "-c", code], "日本\x1b[31m")
    assert out.read_text() == "日本\x1b[31m"


async def test_a_tool_that_hangs_or_fails_is_given_up() -> None:
    assert not await clipboard.feed(
        [sys.executable, "-c", "import time; time.sleep(600)"], "x", patience=0.05
    )
    assert not await clipboard.feed([sys.executable, "-c", "raise SystemExit(3)"], "x" * 1_000_000)
    assert not await clipboard.feed(["/nowhere/at/all"], "x")


def test_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class App:
        texts: list[int] = []

        def copy_to_clipboard(self, text: str) -> None:
            self.texts.append(len(text))

    monkeypatch.setattr(clipboard, "tools", list)
    app = App()
    assert clipboard.copy_text(cast(Any, app), "x" * 100)
    assert not clipboard.copy_text(cast(Any, app), "x" * (clipboard.MOST_FOR_TERMINAL + 1))
    assert app.texts == [100]
