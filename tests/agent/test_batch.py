from __future__ import annotations

from pi_term.agent.batch import NOT_RUN, ToolBatch
from pi_term.agent.events import AgentEvent
from pi_term.agent.hooks import LoopHooks
from pi_term.ai.messages import ToolCall, text_of
from pi_term.base.abort import AbortController


async def test_a_refused_call_tells_what_arrived_of_it() -> None:
    """B-042: with an answer that was cut off, the model sees where."""

    async def emit(event: AgentEvent) -> AgentEvent:
        return event

    batch = ToolBatch([], LoopHooks(), emit, AbortController().signal)
    half = '{"path":"a.py","content":"print(1)\\nprint('
    result = await batch.refuse(ToolCall("1", "write", {}, invalid_arguments=half), NOT_RUN)
    assert result.is_error
    assert text_of(result.content) == f"{NOT_RUN} Received: {half}"
    whole = await batch.refuse(ToolCall("2", "write", {"path": "a.py"}), NOT_RUN)
    assert text_of(whole.content) == NOT_RUN
