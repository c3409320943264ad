"""Messages of the past become blocks, calls and results paired."""

from __future__ import annotations

from typing import Any

import pytest

from pi_term.ai.messages import (
    AssistantMessage,
    SystemMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_term.coding.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    OpaqueMessage,
)
from pi_term.render.blocks import ShellBlock, ToolBlock, UserBlock
from pi_term.render.entries import OpenCalls, blocks_of
from pi_term.render.line import Block, ViewOptions
from pi_term.render.markdown.stream import MarkdownStream


def answer(*content: Any, stop: Any = "toolUse") -> AssistantMessage:
    return AssistantMessage(list(content), stop_reason=stop)


def result(call_id: str, text: str, name: str = "bash") -> ToolResultMessage:
    return ToolResultMessage(call_id, name, [TextContent(text)])


def numbered(*messages: Any) -> list[tuple[str, Any]]:
    return [(f"m{number}", message) for number, message in enumerate(messages)]


def shown(blocks: list[Block], view: ViewOptions) -> list[str]:
    return [line.text.rstrip() for block in blocks for line in block.lines(40, view) if line.text.strip()]


def test_a_conversation(view: ViewOptions) -> None:
    blocks = blocks_of(
        numbered(
            SystemMessage("prompt"),
            UserMessage("do it"),
            answer(TextContent("First."), ToolCall("1", "bash", {"command": "ls"}), TextContent("Then.")),
            result("1", "a.py"),
            answer(TextContent("Done."), stop="stop"),
        )
    )
    assert shown(blocks, view) == [
        "▌ do it",
        "  First.",
        "● bash  ls" + "✓".rjust(29),
        "  a.py",
        "  Then.",
        "  Done.",
    ]
    assert len({block.id for block in blocks}) == len(blocks)


def test_results_in_any_order_and_repeated_ids(view: ViewOptions) -> None:
    calls = [ToolCall("1", "bash", {"command": "a"}), ToolCall("2", "bash", {"command": "b"})]
    blocks = blocks_of(
        numbered(
            answer(*calls), result("2", "two"), result("1", "one"), answer(calls[0]), result("1", "three")
        )
    )
    assert [block.copy_text() for block in blocks] == ["bash a\n\none", "bash b\n\ntwo", "bash a\n\nthree"]


def test_a_call_without_a_result_was_not_run(view: ViewOptions) -> None:
    blocks = blocks_of(numbered(answer(ToolCall("1", "bash"), stop="aborted")))
    assert isinstance(blocks[0], ToolBlock)
    assert blocks[0].status == "cancelled"


def test_a_result_without_a_call_is_shown(view: ViewOptions) -> None:
    blocks = blocks_of(numbered(result("9", "orphan", "read")))
    assert [block.copy_text() for block in blocks] == ["read\n\norphan"]


def test_history_may_come_in_parts() -> None:
    calls = OpenCalls()
    blocks = blocks_of(numbered(answer(ToolCall("1", "bash"))), calls)
    assert blocks_of([("later", result("1", "x"))], calls) == []
    assert isinstance(blocks[0], ToolBlock)
    assert blocks[0].status == "ok"


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (BashExecutionMessage("ls", "a\n", 1), "! ls"),
        (CustomMessage("plan", "text"), "◆ plan"),
        (BranchSummaryMessage("text"), "◆ Summary of the branch that was left"),
        (CompactionSummaryMessage("text", 5), "◆ Earlier conversation, summarised (was"),
        (answer(stop="error"), "✗ The model's answer failed."),
    ],
)
def test_other_messages(view: ViewOptions, message: Any, text: str) -> None:
    assert shown(blocks_of(numbered(message)), view)[0].startswith(text)


@pytest.mark.parametrize(
    "message",
    [SystemMessage("x"), CustomMessage("x", "y", display=False), OpaqueMessage(), answer(stop="stop")],
)
def test_what_is_not_for_eyes_is_not_shown(message: Any) -> None:
    assert blocks_of(numbered(message)) == []


def test_shell_records_tell_where_all_of_the_output_is(view: ViewOptions) -> None:
    message = BashExecutionMessage("x", "y", None, cancelled=True, truncated=True, full_output_path="/tmp/f")
    blocks = blocks_of(numbered(message))
    assert isinstance(blocks[0], ShellBlock)
    assert shown(blocks, view)[-2:] == ["  Cancelled.", "  All of the output: /tmp/f"]


def failure(text: str) -> AssistantMessage:
    return AssistantMessage([], stop_reason="error", error_message=text)


def marks(view: ViewOptions, *messages: Any, omitted: set[str] | None = None) -> str:
    blocks = blocks_of(numbered(*messages), omitted=omitted or set())
    return "".join(row[0] for row in shown(blocks, view) if row[0] in "✗↻")


def test_a_failure_that_another_answer_follows_was_tried_again(view: ViewOptions) -> None:
    done = answer(TextContent("Done."), stop="stop")
    assert marks(view, failure("one"), failure("two"), done) == "↻↻"
    assert marks(view, failure("one"), UserMessage("then?"), done) == "✗"
    assert marks(view, failure("full"), CompactionSummaryMessage("short", 9), done) == "↻"
    assert marks(view, done, failure("given up")) == "✗"


def test_a_failure_that_models_no_longer_see_was_tried_again_though_somebody_spoke(view: ViewOptions) -> None:
    done = answer(TextContent("Done."), stop="stop")
    assert marks(view, failure("one"), UserMessage("steering"), done, omitted={"m0"}) == "↻"
    assert marks(view, failure("cancelled"), UserMessage("hm"), omitted={"m0"}) == "✗"


def test_nothing_is_parsed_before_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(MarkdownStream, "_advance")
    blocks = blocks_of(
        numbered(UserMessage("x"), answer(TextContent("# y"), stop="stop"), CustomMessage("a", "b"))
    )
    assert isinstance(blocks[0], UserBlock)
    assert all(block.estimate_height(80) for block in blocks)
