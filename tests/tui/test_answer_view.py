"""How an answer that is being given becomes blocks, above all a long one."""

from __future__ import annotations

from typing import cast

from pi_term.ai.events import TextDelta
from pi_term.ai.messages import AssistantMessage, TextContent, ToolCall
from pi_term.render.blocks import AssistantBlock
from pi_term.render.line import Block
from pi_term.tui.answer_view import AnswerView
from pi_term.tui.widgets.transcript import Transcript

TEXT = "Some words of a paragraph.\n\n" * 300


class Shown:
    """What is in the transcript."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def append(self, block: Block) -> None:
        self.blocks.append(block)

    def discard(self, block_id: str) -> None:
        self.blocks = [block for block in self.blocks if block.id != block_id]

    def touch(self, block_id: str) -> None:
        assert block_id in [block.id for block in self.blocks]

    def hurry(self) -> None:
        pass

    @property
    def said(self) -> str:
        return "".join(block.search_text() for block in self.blocks if isinstance(block, AssistantBlock))


def stream(view: AnswerView, text: str, cut: int) -> AssistantMessage:
    message = AssistantMessage([TextContent("")])
    view.begin()
    for at in range(0, len(text), cut):
        message.content[0] = TextContent(text[: at + cut])
        view.update(message, TextDelta(0, message, text[at : at + cut]))
    return message


def test_a_long_answer_becomes_sections_that_stay() -> None:
    shown = Shown()
    view = AnswerView(cast("Transcript", shown))
    message = stream(view, TEXT, 100)
    before = list(shown.blocks)
    assert len(before) > 3
    message.stop_reason = "stop"
    view.end(message)
    assert shown.blocks == before
    assert shown.said == TEXT


def test_what_was_not_streamed_comes_in_sections_too() -> None:
    shown = Shown()
    view = AnswerView(cast("Transcript", shown))
    view.begin()
    view.end(AssistantMessage([TextContent(TEXT)], stop_reason="stop"))
    assert len(shown.blocks) > 3
    assert shown.said == TEXT


def test_a_replaced_message_leaves_nothing_of_what_was_streamed() -> None:
    shown = Shown()
    view = AnswerView(cast("Transcript", shown))
    stream(view, TEXT, 1000)
    view.end(AssistantMessage([TextContent("[removed]")], stop_reason="stop"))
    assert len(shown.blocks) == 1
    assert shown.said == "[removed]"


def test_the_bad_end_of_a_long_answer_is_told_in_its_last_section() -> None:
    shown = Shown()
    view = AnswerView(cast("Transcript", shown))
    message = stream(view, TEXT, 1000)
    message.stop_reason, message.error_message = "error", "503 busy"
    view.end(message)
    view.tried_again(True)
    told = [block for block in shown.blocks if block.search_text().endswith("503 busy")]
    assert told == shown.blocks[-1:]
    assert cast("AssistantBlock", shown.blocks[-1]).retried


def test_text_after_a_tool_call_is_an_answer_of_its_own() -> None:
    shown = Shown()
    view = AnswerView(cast("Transcript", shown))
    message = stream(view, TEXT, 1000)
    message.content += [ToolCall("1", "bash"), TextContent("After.\n\n" * 400)]
    message.stop_reason = "stop"
    view.end(message)
    sections = [block for block in shown.blocks if isinstance(block, AssistantBlock)]
    assert {block.copy_text() for block in sections} == {TEXT, "After.\n\n" * 400}
    assert shown.said == TEXT + "After.\n\n" * 400
