"""Where the user's files lie, and where the user is.

`config` holds what people edit, `data` what must not be lost, `state` logs and drafts, `cache` the
rest. With `PI_TERM_HOME` all four are that one folder, laid out as Pi's agent folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError

PROJECT_FOLDER = ".pi"


@dataclass(frozen=True, slots=True)
class AppPaths:
    """The four folders of a user, and the files in them."""

    config: Path
    data: Path
    state: Path
    cache: Path

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> AppPaths:
        """The folders for this environment (`PI_TERM_HOME`, else the platform's own places)."""
        home = (os.environ if env is None else env).get("PI_TERM_HOME")
        if home:
            folder = Path(os.path.abspath(os.path.expanduser(home)))
            return cls(folder, folder, folder, folder)
        from platformdirs import PlatformDirs

        places = PlatformDirs("pi-term", appauthor=False)
        return cls(
            places.user_config_path, places.user_data_path, places.user_state_path, places.user_cache_path
        )

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.json"

    @property
    def models_file(self) -> Path:
        return self.config / "models.json"

    @property
    def keybindings_file(self) -> Path:
        return self.config / "keybindings.json"

    @property
    def auth_file(self) -> Path:
        return self.data / "auth.json"

    @property
    def trust_file(self) -> Path:
        return self.data / "trust.json"

    @property
    def sessions_dir(self) -> Path:
        return self.data / "sessions"

    @property
    def checkpoints_dir(self) -> Path:
        return self.data / "checkpoints"

    @property
    def log_file(self) -> Path:
        return self.state / "logs" / "pi-term.log"

    @property
    def history_dir(self) -> Path:
        return self.state / "history"

    @property
    def drafts_dir(self) -> Path:
        return self.state / "drafts"

    @property
    def crash_dir(self) -> Path:
        return self.state / "crashes"


def working_folder() -> Path:
    """The current folder; raises `PiTermError("no_folder")` when it was removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise PiTermError(
            "no_folder", "The current folder does not exist any more.", "Go to another."
        ) from None


def shipped(name: Literal["themes", "keymaps", "CHANGELOG.md"]) -> Path:
    """A folder or file that comes with the program, in a wheel, an editable install or a clone."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_shipped" / name
    return installed if installed.exists() else package.parent / name
