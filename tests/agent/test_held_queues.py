"""What is held is not delivered, and loses neither its place nor its turn."""

from __future__ import annotations

from pi_term.agent.agent import Agent
from pi_term.agent.queues import MessageQueue
from pi_term.ai.context import Context
from pi_term.ai.messages import UserMessage, text_of
from pi_term.ai.scripted import Part, Say
from pi_term.testing.scripted import ScriptedModel


def test_a_held_queue_gives_nothing_out_and_can_be_edited() -> None:
    queue = MessageQueue("all")
    first = queue.add(UserMessage("one"))
    queue.held = True
    assert not queue.ready
    assert queue.claim() is None
    assert queue.take_due() == []
    queue.add(UserMessage("two"))
    assert queue.move(first.id, 1)
    queue.held = False
    assert queue.ready
    assert [text_of(each.content) for each in queue.take_due()] == ["two", "one"]
    assert not queue.ready


async def test_a_run_ends_over_what_is_held_and_another_takes_it() -> None:
    held: list[bool] = []

    def answer(context: Context) -> list[Part]:
        held.append(agent.follow_ups.held)
        return [Say("ok")]

    with ScriptedModel(answer=answer) as script:
        agent = Agent(script.model)
        agent.follow_up(UserMessage("later"))
        agent.follow_ups.held = True
        await agent.prompt([UserMessage("now")])
        assert held == [True]
        assert len(agent.follow_ups) == 1
        agent.follow_ups.held = False
        await agent.continue_()
        said = [text_of(each.content) for each in agent.state.messages if isinstance(each, UserMessage)]
        assert said == ["now", "later"]
        assert held == [True, False]
