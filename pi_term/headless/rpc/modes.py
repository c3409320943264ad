"""Commands that change how the session goes about its work; the user's settings keep it."""

from __future__ import annotations

import asyncio
from typing import Any

from pi_term.agent.queues import MessageQueue
from pi_term.base.json import JsonValue
from pi_term.coding.settings import schema
from pi_term.coding.settings.schema import Setting
from pi_term.headless.rpc.desk import Data, Desk
from pi_term.headless.rpc.params import Params

_MODES = ("all", "one-at-a-time")


async def set_steering_mode(desk: Desk, params: Params) -> Data:
    """Deliver waiting steering messages one each turn, or together."""
    return await _set_mode(desk, params, desk.session.agent.steering, schema.STEERING_MODE)


async def set_follow_up_mode(desk: Desk, params: Params) -> Data:
    """Deliver waiting follow-ups one each turn, or together."""
    return await _set_mode(desk, params, desk.session.agent.follow_ups, schema.FOLLOW_UP_MODE)


async def set_auto_compaction(desk: Desk, params: Params) -> Data:
    """Shorten what the model sees before it is too much, or do not."""
    return await _keep(desk, schema.COMPACTION_ENABLED, params.flag("enabled"))


async def set_auto_retry(desk: Desk, params: Params) -> Data:
    """Make calls again that failed in passing, or do not."""
    return await _keep(desk, schema.RETRY_ENABLED, params.flag("enabled"))


async def _set_mode(desk: Desk, params: Params, queue: MessageQueue, setting: Setting[Any]) -> Data:
    chosen = params.choice("mode", _MODES)
    queue.mode = "all" if chosen == "all" else "one-at-a-time"
    return await _keep(desk, setting, chosen)


async def _keep(desk: Desk, setting: Setting[Any], value: JsonValue) -> Data:
    problem = await asyncio.to_thread(desk.started.settings.set, setting, value)
    if problem is not None:
        desk.session.hub.report(problem)
    return None
