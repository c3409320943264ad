"""What happens to a session besides the runs of its agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from pi_term.agent.events import AgentEvent
from pi_term.ai.messages import Usage
from pi_term.ai.models import Model, ThinkingLevel
from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic

if TYPE_CHECKING:
    from pi_term.coding.messages import BashExecutionMessage
    from pi_term.coding.session import EntryRecord

CompactionReason: TypeAlias = Literal["manual", "threshold", "overflow"]


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
class AutoRetryStart:
    """A model call failed in passing; it is made again in `delay_ms` milliseconds."""

    attempt: int
    max_attempts: int
    delay_ms: int
    error_message: str
    type: ClassVar[str] = "auto_retry_start"


@dataclass(frozen=True, slots=True)
class AutoRetryEnd:
    """A call that was made again succeeded, or is given up with `final_error`."""

    success: bool
    attempt: int
    final_error: str | None = None
    type: ClassVar[str] = "auto_retry_end"


@dataclass(frozen=True, slots=True)
class SummarizationRetryScheduled:
    """A request for a summary failed in passing; it is made again in `delay_ms` milliseconds."""

    attempt: int
    max_attempts: int
    delay_ms: int
    error_message: str
    type: ClassVar[str] = "summarization_retry_scheduled"


@dataclass(frozen=True, slots=True)
class SummarizationRetryAttemptStart:
    """The request is made again; `reason` is that of the compaction, None for a branch summary."""

    source: Literal["compaction", "branchSummary"]
    reason: CompactionReason | None = None
    type: ClassVar[str] = "summarization_retry_attempt_start"


@dataclass(frozen=True, slots=True)
class SummarizationRetryFinished:
    """A request that was made again is answered, or given up."""

    type: ClassVar[str] = "summarization_retry_finished"


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """What a compaction came to; `estimated_tokens_after` is by the rule of thumb.

    `first_kept_entry_id` is the compaction's own id where nothing before it was kept.
    """

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    estimated_tokens_after: int
    details: Mapping[str, Sequence[str]]
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class CompactionStart:
    """What the model sees is being shortened."""

    reason: CompactionReason
    type: ClassVar[str] = "compaction_start"


@dataclass(frozen=True, slots=True)
class CompactionEnd:
    """A compaction is over: with a `result`, `aborted`, or failed with `error_message`.

    `will_retry`: the call that found the context full is made again.
    """

    reason: CompactionReason
    result: CompactionResult | None = None
    aborted: bool = False
    will_retry: bool = False
    error_message: str | None = None
    type: ClassVar[str] = "compaction_end"


@dataclass(frozen=True, slots=True)
class BranchSummaryStart:
    """The branch that is to be left is being summarised."""

    type: ClassVar[str] = "branch_summary_start"


@dataclass(frozen=True, slots=True)
class BranchSummaryEnd:
    """The summary is there, or there will be none."""

    type: ClassVar[str] = "branch_summary_end"


@dataclass(frozen=True, slots=True)
class EntryAppended:
    """An entry that is no message was added to the session by itself."""

    entry: EntryRecord
    type: ClassVar[str] = "entry_appended"


@dataclass(frozen=True, slots=True)
class SessionInfoChanged:
    """The session has another name; None: none any more."""

    name: str | None
    type: ClassVar[str] = "session_info_changed"


@dataclass(frozen=True, slots=True)
class ShellStarted:
    """The user's own command runs; `run_id` names it in the events that follow."""

    run_id: int
    command: str
    excluded: bool
    type: ClassVar[str] = "shell_started"


@dataclass(frozen=True, slots=True)
class ShellOutput:
    """What the command has printed so far, cut to its end."""

    run_id: int
    output: str
    type: ClassVar[str] = "shell_output"


@dataclass(frozen=True, slots=True)
class ShellEnded:
    """The command is over; `record` is, or will be, in the session."""

    run_id: int
    record: BashExecutionMessage
    type: ClassVar[str] = "shell_ended"


@dataclass(frozen=True, slots=True)
class LeafMoved:
    """Another place of the same session's tree is the current one; its branch replaces what was shown."""

    type: ClassVar[str] = "leaf_moved"


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
    | AutoRetryStart
    | AutoRetryEnd
    | SummarizationRetryScheduled
    | SummarizationRetryAttemptStart
    | SummarizationRetryFinished
    | CompactionStart
    | CompactionEnd
    | BranchSummaryStart
    | BranchSummaryEnd
    | EntryAppended
    | SessionInfoChanged
    | ShellStarted
    | ShellOutput
    | ShellEnded
    | LeafMoved
    | ThinkingLevelChanged
    | ModelChanged
    | SessionSwitched
    | StatsCounted
    | DiagnosticRaised
)
