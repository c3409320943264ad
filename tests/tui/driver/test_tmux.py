"""Keys by way of a real tmux."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tui.driver.conftest import Terminal


class TestTmux:
    @pytest.fixture
    def tmux(self, tmp_path: Path) -> Iterator[Callable[..., str]]:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed")
        server = f"pi-term-driver-{uuid.uuid4().hex[:8]}"

        def run(*arguments: str) -> str:
            command = ["tmux", "-L", server, "-f", "/dev/null", *arguments]
            environ = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(Path(__file__).parents[3])}
            return subprocess.run(command, check=True, capture_output=True, text=True, env=environ).stdout

        yield run
        run("kill-server")

    @pytest.mark.parametrize(
        ("extended", "pressed", "arrives"),
        [
            ("off", "M-Enter", "alt+enter"),
            ("off", "M-b", "alt+b"),
            ("off", "Escape", "escape"),
            ("off", "M-Left", "alt+left"),
            ("on", "M-Enter", "alt+enter"),
            ("on", "S-Enter", "shift+enter"),
            ("on", "C-Enter", "ctrl+enter"),
        ],
    )
    def test_keys_arrive(
        self,
        tmux: Callable[..., str],
        make_terminal: Callable[..., Terminal],
        extended: str,
        pressed: str,
        arrives: str,
    ) -> None:
        terminal = make_terminal()
        tmux("new-session", "-d", "-x", "80", "-y", "24", "sleep 60")
        tmux("set", "-s", "extended-keys", extended)
        tmux("respawn-pane", "-k", " ".join(terminal.app_command))
        terminal.wait_for_log("started", reading=False)
        tmux("send-keys", pressed)
        terminal.wait_for_log(f"key {arrives} ", reading=False)
        tmux("send-keys", "k")
        terminal.wait_for_log("key k", reading=False)
        assert terminal.log.count("key") == 2
