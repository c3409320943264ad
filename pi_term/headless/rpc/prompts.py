"""Commands that talk to the agent."""

from __future__ import annotations

import asyncio

from pi_term.ai.messages import ImageContent, UserMessage, text_of
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.messages import user_message
from pi_term.headless.event_json import compaction_json
from pi_term.headless.ready import require_key
from pi_term.headless.rpc.desk import Data, Desk
from pi_term.headless.rpc.params import Params

_QUEUED: Data = {"disposition": "queued"}


async def prompt(desk: Desk, params: Params) -> Data:
    """Start a run; during one, queue as `streamingBehavior` says. Without that, it is refused then."""
    session = desk.session
    behavior = params.optional_choice("streamingBehavior", ("steer", "followUp"))
    message = _message(params)
    if session.busy:
        if behavior is None:
            raise PiTermError(
                "busy",
                "The agent is processing another prompt.",
                'Set "streamingBehavior" to "steer" or "followUp" to queue this one.',
            )
        return await _queue(desk, message, follow_up=behavior == "followUp")
    require_key(session)
    session.submit(message.text, images=message.images)
    return {"disposition": "started"}


async def steer(desk: Desk, params: Params) -> Data:
    """Queue a message for delivery before the next model call, of this run or the next."""
    return await _queue(desk, _message(params), follow_up=False)


async def follow_up(desk: Desk, params: Params) -> Data:
    """Queue a message for delivery when the run would stop, this one or the next."""
    return await _queue(desk, _message(params), follow_up=True)


async def abort(desk: Desk, params: Params) -> Data:
    """Call off what goes on, and wait until it has settled. What waits in the queues stays there."""
    desk.session.abort()
    await desk.session.wait_settled()
    return None


async def abort_retry(desk: Desk, params: Params) -> Data:
    """Do not make a failed call again."""
    desk.session.runs.abort_retry()
    await asyncio.sleep(0)
    return None


async def clear_queue(desk: Desk, params: Params) -> Data:
    """Take out what waits."""
    agent = desk.session.agent
    taken = [_texts(queue.clear()) for queue in (agent.steering, agent.follow_ups)]
    await _told()
    return {"steering": taken[0], "followUp": taken[1]}


async def compact(desk: Desk, params: Params) -> Data:
    """Shorten what the model sees."""
    instructions = params.optional_text("customInstructions") or ""
    return compaction_json(await desk.session.compact(instructions))


async def get_commands(desk: Desk, params: Params) -> Data:
    """What a prompt can call by `/name`."""
    found = await asyncio.to_thread(desk.started.resources.commands)
    return {"commands": [each.to_json() for each in found]}


@dataclass(frozen=True, slots=True)
class _Message:
    """What is to be sent."""

    text: str
    images: list[ImageContent]


def _message(params: Params) -> _Message:
    text, images = params.text("message"), params.images()
    if not text.strip() and not images:
        raise PiTermError("bad_command", '"message" is empty.')
    return _Message(text, images)


async def _queue(desk: Desk, message: _Message, *, follow_up: bool) -> Data:
    session = desk.session
    if session.busy:
        session.submit(message.text, follow_up=follow_up, images=message.images)
    else:  # it waits for the next prompt
        queue = session.agent.follow_ups if follow_up else session.agent.steering
        queue.add(user_message(session.harness.expand(message.text), message.images))
    await _told()
    return _QUEUED


def _texts(messages: list[UserMessage]) -> list[str]:
    return [text_of(message.content) for message in messages]


async def _told() -> None:
    """Let those who listen hear of a change of the queues before the client is told that it was made."""
    await asyncio.sleep(0)
