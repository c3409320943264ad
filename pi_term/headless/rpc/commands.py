"""The commands by name.

Source of the format: `docs/rpc-commands.md` of the npm package `@earendil-works/pi-coding-agent`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.headless.rpc import models, modes, prompts, reading, sessions, shell
from pi_term.headless.rpc.desk import Data, Desk
from pi_term.headless.rpc.params import Params


@dataclass(frozen=True, slots=True)
class Glance:
    """A command that waits for nothing."""

    handler: Callable[[Desk, Params], Data]


@dataclass(frozen=True, slots=True)
class Job:
    """A command that may take its time. Those that come after one that is `alone` wait until it is done."""

    handler: Callable[[Desk, Params], Awaitable[Data]]
    alone: bool = False


Command: TypeAlias = Glance | Job


def all_commands() -> Mapping[str, Command]:
    """The commands by their names."""
    return {
        "prompt": Job(prompts.prompt),
        "steer": Job(prompts.steer),
        "follow_up": Job(prompts.follow_up),
        "abort": Job(prompts.abort),
        "clear_queue": Job(prompts.clear_queue),
        "compact": Job(prompts.compact),
        "abort_retry": Job(prompts.abort_retry),
        "get_commands": Job(prompts.get_commands),
        "get_state": Glance(reading.get_state),
        "get_messages": Job(reading.get_messages),
        "get_session_stats": Job(reading.StatsReader().get_session_stats),
        "get_fork_messages": Job(reading.get_fork_messages),
        "get_entries": Job(reading.get_entries),
        "get_tree": Job(reading.get_tree),
        "get_last_assistant_text": Job(reading.get_last_assistant_text),
        "set_model": Job(models.set_model),
        "cycle_model": Job(models.cycle_model),
        "get_available_models": Glance(models.get_available_models),
        "set_thinking_level": Job(models.set_thinking_level),
        "cycle_thinking_level": Job(models.cycle_thinking_level),
        "get_available_thinking_levels": Glance(models.get_available_thinking_levels),
        "set_steering_mode": Job(modes.set_steering_mode),
        "set_follow_up_mode": Job(modes.set_follow_up_mode),
        "set_auto_compaction": Job(modes.set_auto_compaction),
        "set_auto_retry": Job(modes.set_auto_retry),
        "bash": Job(shell.bash),
        "abort_bash": Glance(shell.abort_bash),
        "new_session": Job(sessions.new_session, alone=True),
        "switch_session": Job(sessions.switch_session, alone=True),
        "fork": Job(sessions.fork, alone=True),
        "clone": Job(sessions.clone, alone=True),
        "set_session_name": Job(sessions.set_session_name),
        "export_html": Job(sessions.export_html),
    }
