"""What the status line tells of a series of events."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pi_term.agent.events import AgentStart, ToolExecutionEnd, ToolExecutionStart
from pi_term.agent.tools import text_result
from pi_term.coding.events import (
    AgentSettled,
    AutoRetryEnd,
    AutoRetryStart,
    BranchSummaryEnd,
    BranchSummaryStart,
    CompactionEnd,
    CompactionStart,
    SessionEvent,
    ShellEnded,
    ShellStarted,
    StatsCounted,
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
)
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.stats import SessionStats
from pi_term.tui.widgets.status import Doing
from pi_term.tui.work_view import WorkView


class Desk:
    """A session whose prompts begin and settle at will, and the status line of the moment."""

    def __init__(self) -> None:
        self.now = 100.0
        self.doing: Doing | None = None
        self.runs = SimpleNamespace(active=False)
        self.stats = SessionStats()
        self.view = WorkView(self, self, lambda: "esc")  # type: ignore[arg-type]

    def clock(self) -> float:
        return self.now

    def tell(self, doing: Doing | None) -> None:
        self.doing = doing

    def happen(self, *events: SessionEvent) -> None:
        for event in events:
            self.view.show(event)

    def begin(self) -> None:
        self.runs.active = True
        self.happen(AgentStart())

    def settle(self) -> None:
        self.runs.active = False
        self.happen(AgentSettled(aborted=False))

    @property
    def title(self) -> str:
        return "" if self.doing is None else self.doing.title(self.now)


RETRY = AutoRetryStart(1, 3, 4_000, "429 busy")


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_the_time_is_that_of_the_prompt_whatever_fails_meanwhile(desk: Desk) -> None:
    desk.begin()
    desk.now += 5
    assert desk.title == "working 5 s"
    desk.happen(RETRY)
    assert desk.title == "retrying in 4 s"
    desk.now += 4.5
    assert desk.title == "retrying now"
    desk.happen(AgentStart())
    assert desk.title == "working 9 s"
    desk.happen(AutoRetryEnd(True, 1), CompactionStart("threshold"))
    desk.now += 2
    assert desk.title == "compacting… 2 s"
    desk.happen(CompactionEnd("threshold"))
    assert desk.title == "working 11 s"
    desk.settle()
    assert desk.doing is None
    desk.begin()
    assert desk.title == "working 0 s"


def test_a_prompt_shows_before_anything_is_heard_of_it(desk: Desk) -> None:
    desk.runs.active = True
    desk.view.prompt_sent()
    assert desk.title == "working 0 s"


def test_a_prompt_that_began_before_the_last_one_was_shown_to_settle(desk: Desk) -> None:
    desk.begin()
    desk.now += 7
    desk.happen(AgentSettled(aborted=False))
    assert desk.title == "working 0 s"
    desk.settle()
    assert desk.doing is None


def test_a_cancelled_retry_ends_with_the_prompt(desk: Desk) -> None:
    desk.begin()
    desk.happen(RETRY, AutoRetryEnd(False, 1, "Retry cancelled"))
    desk.settle()
    assert desk.doing is None


@pytest.mark.parametrize(
    "end", [CompactionEnd("manual", aborted=True), CompactionEnd("manual", error_message="no")]
)
def test_a_compaction_without_a_prompt_ends_by_itself(desk: Desk, end: CompactionEnd) -> None:
    desk.happen(CompactionStart("manual"), SummarizationRetryScheduled(1, 3, 9_000, "529"))
    assert desk.title == "retrying in 9 s"
    desk.happen(SummarizationRetryAttemptStart("compaction", "manual"))
    assert desk.title == "compacting… 0 s"
    desk.happen(SummarizationRetryFinished(), end)
    assert desk.doing is None


def test_a_summary_that_breaks_off_leaves_nothing_behind(desk: Desk) -> None:
    desk.happen(BranchSummaryStart())
    assert desk.title == "summarising the branch… 0 s"
    desk.happen(SummarizationRetryScheduled(1, 3, 9_000, "529"), BranchSummaryEnd())
    assert desk.doing is None


def test_a_command_shows_while_nothing_else_goes_on(desk: Desk) -> None:
    desk.happen(ShellStarted(1, "make", False))
    assert desk.title == "running your command 0 s"
    desk.begin()
    assert desk.title == "working 0 s"
    desk.now += 3
    desk.settle()
    assert desk.title == "running your command 3 s"
    desk.happen(ShellEnded(1, BashExecutionMessage("make")))
    assert desk.doing is None


def about(desk: Desk) -> Any:
    return desk.doing and desk.doing.about


def test_it_tells_the_tool_and_the_tokens_of_this_prompt(desk: Desk) -> None:
    desk.stats = SessionStats(input=500, output=50)
    desk.begin()
    assert about(desk) == ""
    desk.stats.input += 1_500
    desk.stats.output += 7
    desk.happen(ToolExecutionStart("1", "bash", {}))
    assert about(desk) == "bash · ↑ 1.5k ↓ 7"
    desk.happen(ToolExecutionEnd("1", "bash", text_result("ok"), False, 1))
    assert about(desk) == "↑ 1.5k ↓ 7"
    desk.stats = SessionStats(input=90_000 + desk.stats.input, output=8_000 + desk.stats.output)
    desk.happen(StatsCounted())
    assert about(desk) == "↑ 1.5k ↓ 7"
