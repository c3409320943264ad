"""What a session stands on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.agent.tools import AgentTool
from pi_term.ai.catalog import ModelChoice, ModelRegistry
from pi_term.ai.context import StreamOptions
from pi_term.base.dataclass import dataclass
from pi_term.coding.session import SessionFile, SystemState
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.ui_bridge import UiBridge

if TYPE_CHECKING:
    from pi_term.coding.checkpoints.checkpoints import Checkpoints
    from pi_term.coding.tools.bash.run import CommandPlace
    from pi_term.coding.workspace import Workspace


@dataclass(slots=True)
class Harness:
    """What a session stands on: one for each working folder that the program comes to.

    `workspace` is what was found in that folder. `declare()` gives the prompt and tool set that the next run
    should have, with the tools ready to run; `options()` how model calls are made; `command_place()` where
    the user's commands run; `checkpoints` restore what tools changed; `expand(text)` is what is sent for a
    prompt. Session files go to `session_folder`; None: sessions are kept in memory only. `scope` are the
    models to go through; all, where it is empty.
    """

    workspace: Workspace
    registry: ModelRegistry
    session_folder: Path | None
    ui: UiBridge
    declare: Callable[[], tuple[SystemState, Sequence[AgentTool]]]
    options: Callable[[], StreamOptions]
    command_place: Callable[[], CommandPlace]
    checkpoints: Checkpoints
    expand: Callable[[str], str] = str
    scope: Sequence[ModelChoice] = ()

    @property
    def cwd(self) -> Path:
        """The working folder."""
        return self.workspace.cwd

    @property
    def settings(self) -> SettingsStore:
        """The settings that hold in it."""
        return self.workspace.settings

    def new_file(self, parent: Path | None = None, *, id: str | None = None) -> SessionFile:
        """A session file that is not on disk yet; `parent` is the one it comes from."""
        if self.session_folder is None:
            return SessionFile.in_memory(self.cwd, id=id)
        origin = None if parent is None else str(parent)
        return SessionFile.create(self.session_folder, self.cwd, id=id, parent_session=origin)
