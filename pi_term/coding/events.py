"""What happens to a session besides the runs of its agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from pi_term.agent.events import AgentEvent
from pi_term.ai.models import Model, ThinkingLevel
from pi_term.base.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class AgentSettled:
    """Nothing goes on by itself any more; exactly one for each prompt."""

    aborted: bool
    type: ClassVar[str] = "agent_settled"


@dataclass(frozen=True, slots=True)
class ThinkingLevelChanged:
    """The next request uses another thinking level."""

    level: ThinkingLevel
    type: ClassVar[str] = "thinking_level_changed"


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """The next request goes to another model."""

    model: Model
    type: ClassVar[str] = "model_changed"


@dataclass(frozen=True, slots=True)
class SessionSwitched:
    """Another session is open; its history replaces what was shown."""

    type: ClassVar[str] = "session_switched"


@dataclass(frozen=True, slots=True)
class StatsCounted:
    """What the session used before it was opened has been added up."""

    type: ClassVar[str] = "stats_counted"


@dataclass(frozen=True, slots=True)
class DiagnosticRaised:
    """Something is wrong that the user should see, such as a failed write of the session file."""

    diagnostic: Diagnostic
    type: ClassVar[str] = "diagnostic"


SessionEvent: TypeAlias = (
    AgentEvent
    | AgentSettled
    | ThinkingLevelChanged
    | ModelChanged
    | SessionSwitched
    | StatsCounted
    | DiagnosticRaised
)
