"""Commands that look at the session and change nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, UserMessage, text_of
from pi_term.base.json import JsonObject, dumps
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.session import MessageEntry, SessionFile, SessionTree, entries_since, tree_nodes
from pi_term.coding.stats import SessionStats
from pi_term.headless.model_json import model_json
from pi_term.headless.rpc.desk import Data, Desk, Encoded
from pi_term.headless.rpc.params import Params
from pi_term.headless.rpc.tree_json import encoded_nodes


def get_state(desk: Desk, params: Params) -> Data:
    """What the session is and does at this moment."""
    session = desk.session
    agent, file = session.agent, session.file
    return {
        "model": model_json(session.model),
        "thinkingLevel": session.thinking_level,
        "isStreaming": session.runs.active,
        "isCompacting": session.compactor.running or session.navigator.summarizing,
        "steeringMode": agent.steering.mode,
        "followUpMode": agent.follow_ups.mode,
        **_named(file),
        **({} if session.name is None else {"sessionName": session.name}),
        "autoCompactionEnabled": session.compactor.enabled,
        "messageCount": session.conversation.message_count(),
        "pendingMessageCount": len(agent.steering) + len(agent.follow_ups),
    }


async def get_messages(desk: Desk, params: Params) -> Data:
    """What the model is told of the conversation."""
    messages = await desk.session.conversation.messages()
    return await asyncio.to_thread(_encoded_messages, tuple(messages))


async def get_fork_messages(desk: Desk, params: Params) -> Data:
    """The user's messages on the branch, to fork from."""
    return {"messages": await asyncio.to_thread(_fork_points, desk.session.file.tree)}


async def get_entries(desk: Desk, params: Params) -> Data:
    """All entries in the order of the file, or those after the entry `since`."""
    return await asyncio.to_thread(_encoded_entries, desk.session.file.tree, params.optional_text("since"))


async def get_tree(desk: Desk, params: Params) -> Data:
    """All entries as a tree, as deep as the conversation is long."""
    return await asyncio.to_thread(_encoded_tree, desk.session.file.tree)


async def get_last_assistant_text(desk: Desk, params: Params) -> Data:
    """The text of the last answer that has one."""
    messages = await desk.session.conversation.messages()
    answers = (each for each in reversed(messages) if isinstance(each, AssistantMessage))
    return {"text": next((answer.text for answer in answers if answer.text.strip()), None)}


class StatsReader:
    """Adds up what a session has used. What was counted before is not read again."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._file: SessionFile | None = None
        self._counted = 0
        self._stats = SessionStats()

    async def get_session_stats(self, desk: Desk, params: Params) -> Data:
        """Tokens, dollars, and how full the model's context is."""
        session = desk.session
        async with self._turn:
            await asyncio.to_thread(self._count, session.file)
            return _named(session.file) | _stats_json(self._stats) | _context_json(session)

    def _count(self, file: SessionFile) -> None:
        if file is not self._file:
            self._file, self._counted, self._stats = file, 0, SessionStats()
        entries = file.tree.entries[self._counted :]
        self._counted += len(entries)
        for entry in entries:
            self._stats.add_stored(entry)


def _fork_points(tree: SessionTree) -> list[JsonObject]:
    found: list[JsonObject] = []
    for entry in tree.branch():
        record = entry.record() if entry.role == "user" else None
        message = record.message if isinstance(record, MessageEntry) else None
        text = text_of(message.content) if isinstance(message, UserMessage) else ""
        if text:
            found.append({"entryId": entry.id, "text": text})
    return found


def _stats_json(stats: SessionStats) -> JsonObject:
    tokens = {
        "input": stats.input,
        "output": stats.output,
        "cacheRead": stats.cache_read,
        "cacheWrite": stats.cache_write,
    }
    return {
        "userMessages": stats.user_messages,
        "assistantMessages": stats.assistant_messages,
        "toolCalls": stats.tool_calls,
        "toolResults": stats.tool_results,
        "totalMessages": stats.messages,
        "tokens": {**tokens, "total": sum(tokens.values())},
        "cost": stats.cost,
    }


def _context_json(session: AgentSession) -> JsonObject:
    tokens, window = session.context_tokens(), session.model.context_window
    if not window:
        return {}
    percent = None if tokens is None else tokens / window * 100
    return {"contextUsage": {"tokens": tokens, "contextWindow": window, "percent": percent}}


def _named(file: SessionFile) -> JsonObject:
    """Which session it is; one in memory has no file."""
    told: JsonObject = {} if file.path is None else {"sessionFile": str(file.path)}
    return {**told, "sessionId": file.id}


def _encoded_messages(messages: Sequence[AgentMessage]) -> Encoded:
    return Encoded(dumps({"messages": [message.to_json() for message in messages]}))


def _encoded_entries(tree: SessionTree, since: str | None) -> Encoded:
    found = [(entry, entry.data) for entry in entries_since(tree, since)]
    return _placed(b'"entries":' + dumps([data for entry, data in found if not entry.damaged]), tree)


def _encoded_tree(tree: SessionTree) -> Encoded:
    return _placed(b'"tree":' + encoded_nodes(tree_nodes(tree)), tree)


def _placed(field: bytes, tree: SessionTree) -> Encoded:
    """An object of `field`, and where the session is."""
    leaf = None if tree.leaf is None else tree.leaf.id
    return Encoded(b"{" + field + b',"leafId":' + dumps(leaf) + b"}")
