"""The commands of RPC mode as methods."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias, TypeVar

from pi_term.agent.messages import AgentMessage
from pi_term.agent.queues import QueueMode
from pi_term.ai.messages import ImageContent
from pi_term.ai.models import ThinkingLevel
from pi_term.base.json import JsonObject
from pi_term.base.records import Record
from pi_term.coding.messages import agent_message_from_json
from pi_term.headless.client.connection import Connection, RecordListener, RpcError, UiHandler
from pi_term.headless.client.records import (
    BashResult,
    ClearedQueue,
    CommandInfo,
    Commands,
    Compaction,
    Cycled,
    Entries,
    ForkPoint,
    ForkPoints,
    ModelInfo,
    Models,
    SessionState,
    SessionStats,
)
from pi_term.headless.client.tree import TreeNode, tree_of

Disposition: TypeAlias = Literal["started", "queued", "handled"]

PROGRAM = (sys.executable, "-m", "pi_term")
"""pi-term as it is installed for this Python."""

R = TypeVar("R", bound=Record)


class RpcClient:
    """pi-term in a process of its own.

        async with RpcClient(["--model", "sonnet"]) as client:
            print(await client.ask("What does this project do?"))

    Every method raises `RpcError` where the command fails or the child has ended. A deadline is the
    caller's: `asyncio.timeout`.
    """

    def __init__(
        self,
        args: Sequence[str] = (),
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = PROGRAM,
        on_ui_request: UiHandler | None = None,
    ) -> None:
        """`args` are options of the command line; `env` is the child's whole environment.

        `on_ui_request` gets what the child asks of a person (see docs/rpc.md) and returns the fields of the
        answer, None to dismiss it; without it all is dismissed.
        """
        self._argv = [*program, "--mode", "rpc", *args]
        self._cwd = cwd
        self._env = env
        self._on_ui_request = on_ui_request
        self._connection: Connection | None = None
        self._settled = asyncio.Event()
        self._settled.set()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Start the child; raises `OSError` where that cannot be done."""
        self._connection = await Connection.open(
            self._argv,
            cwd=self._cwd,
            env=self._env,
            on_record=self._note,
            on_ui_request=self._on_ui_request,
        )

    async def close(self) -> int:
        """End the child in good order: what runs is called off and kept. Returns its exit code."""
        if self._connection is None:
            return 0
        return await self._connection.close()

    # --- events

    def on_event(self, listener: RecordListener) -> Callable[[], None]:
        """Call `listener` with every event from now on (docs/json.md); returns what ends that."""
        return self._open.listen(listener)

    async def events(self) -> AsyncIterator[JsonObject]:
        """The events from the first step of the iteration on."""
        queue: asyncio.Queue[JsonObject] = asyncio.Queue()
        stop = self.on_event(queue.put_nowait)
        try:
            while True:
                yield await queue.get()
        finally:
            stop()

    async def wait_settled(self) -> None:
        """Return when no prompt is under way; raises `RpcError` when the child ends before that."""
        await self._happened(self._settled)

    # --- prompting

    async def run(self, message: str, images: Sequence[ImageContent] = ()) -> list[JsonObject]:
        """Send a prompt and wait until it has settled; returns the events."""
        seen: list[JsonObject] = []
        settled = asyncio.Event()

        def note(event: JsonObject) -> None:
            seen.append(event)
            if event.get("type") == "agent_settled":
                settled.set()

        stop = self.on_event(note)
        try:
            if await self.prompt(message, images) == "started":
                await self._happened(settled)
        finally:
            stop()
        return seen

    async def ask(self, message: str, images: Sequence[ImageContent] = ()) -> str:
        """Send a prompt, wait until it has settled, and return the text of the answer.

        Raises `RpcError` when the answer failed or was called off.
        """
        answer: JsonObject = {}
        for event in await self.run(message, images):
            said = event.get("message", {})
            if event.get("type") == "message_end" and said.get("role") == "assistant":
                answer = said
        if answer.get("stopReason") in ("error", "aborted"):
            raise RpcError(str(answer.get("errorMessage") or "The answer was called off."))
        parts = (part for part in answer.get("content", []) if part.get("type") == "text")
        return "".join(str(part.get("text", "")) for part in parts)

    async def prompt(
        self,
        message: str,
        images: Sequence[ImageContent] = (),
        *,
        streaming_behavior: Literal["steer", "followUp"] | None = None,
    ) -> Disposition:
        """Send a prompt; during a run, `streaming_behavior` says how it waits. Does not wait for the end."""
        told = await self._send(
            "prompt", message=message, images=_images(images), streamingBehavior=streaming_behavior
        )
        return _disposition(told)

    async def steer(self, message: str, images: Sequence[ImageContent] = ()) -> Disposition:
        """Queue a message for delivery before the next model call."""
        return _disposition(await self._send("steer", message=message, images=_images(images)))

    async def follow_up(self, message: str, images: Sequence[ImageContent] = ()) -> Disposition:
        """Queue a message for delivery when the run would stop."""
        return _disposition(await self._send("follow_up", message=message, images=_images(images)))

    async def abort(self) -> None:
        """Call off what goes on, and wait until it has settled."""
        await self._send("abort")

    async def abort_retry(self) -> None:
        """Do not make a failed call again."""
        await self._send("abort_retry")

    async def clear_queue(self) -> ClearedQueue:
        """Take out what waits."""
        return ClearedQueue.from_json(await self._send("clear_queue"))

    async def compact(self, instructions: str | None = None) -> Compaction:
        """Shorten what the model sees."""
        return Compaction.from_json(await self._send("compact", customInstructions=instructions))

    # --- the session

    async def get_state(self) -> SessionState:
        """What the session is and does at this moment."""
        return SessionState.from_json(await self._send("get_state"))

    async def get_messages(self) -> list[AgentMessage]:
        """What the model is told of the conversation."""
        told = await self._send("get_messages")
        return [agent_message_from_json(message) for message in told.get("messages", [])]

    async def get_entries(self, since: str | None = None) -> Entries:
        """All entries in the order of the file, or those after the entry `since`."""
        return Entries.from_json(await self._send("get_entries", since=since))

    async def get_tree(self) -> list[TreeNode]:
        """The entries as a tree; its roots.

        It is put together here: as JSON, that of a long session nests too deeply for Python's decoders.
        """
        return tree_of((await self.get_entries()).entries)

    async def get_last_assistant_text(self) -> str | None:
        """The text of the last answer that has one."""
        text = (await self._send("get_last_assistant_text")).get("text")
        return None if text is None else str(text)

    async def get_session_stats(self) -> SessionStats:
        """Tokens, dollars, and how full the model's context is."""
        return SessionStats.from_json(await self._send("get_session_stats"))

    async def new_session(self, parent_session: str | None = None) -> bool:
        """Go to an empty session; False when that was called off."""
        return _went(await self._send("new_session", parentSession=parent_session))

    async def switch_session(self, path: str | Path) -> bool:
        """Go to the session in a file; False when that was called off."""
        return _went(await self._send("switch_session", sessionPath=str(path)))

    async def fork(self, entry_id: str) -> str | None:
        """Go to a new session that ends before a user's message; the text of that, None if called off."""
        told = await self._send("fork", entryId=entry_id)
        return str(told.get("text", "")) if _went(told) else None

    async def clone(self) -> bool:
        """Go to a new session that is a copy of the branch; False when that was called off."""
        return _went(await self._send("clone"))

    async def get_fork_messages(self) -> list[ForkPoint]:
        """The user's messages to fork from."""
        return ForkPoints.from_json(await self._send("get_fork_messages")).messages

    async def set_session_name(self, name: str) -> None:
        """Give the session a name."""
        await self._send("set_session_name", name=name)

    async def export_html(self, path: str | Path | None = None) -> Path:
        """Write the branch to a page for people; where that is."""
        told = await self._send("export_html", outputPath=None if path is None else str(path))
        return Path(str(told.get("path", "")))

    async def get_commands(self) -> list[CommandInfo]:
        """What a prompt can call by `/name`."""
        return Commands.from_json(await self._send("get_commands")).commands

    # --- models and modes

    async def set_model(self, provider: str, model_id: str) -> ModelInfo:
        """Use another model from the next request on."""
        return ModelInfo.from_json(await self._send("set_model", provider=provider, modelId=model_id))

    async def cycle_model(self) -> Cycled | None:
        """Go to the next model; None where there is no other."""
        return _maybe(Cycled, await self._data("cycle_model"))

    async def get_available_models(self) -> list[ModelInfo]:
        """All models that have a key."""
        return Models.from_json(await self._send("get_available_models")).models

    async def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Think as hard as `level` says, as far as the model can."""
        await self._send("set_thinking_level", level=level)

    async def cycle_thinking_level(self) -> str | None:
        """Go to the next level; None where the model does not think."""
        told = await self._data("cycle_thinking_level")
        return None if told is None else str(told.get("level", ""))

    async def get_available_thinking_levels(self) -> list[str]:
        """The levels that the model has."""
        return list((await self._send("get_available_thinking_levels")).get("levels", []))

    async def set_steering_mode(self, mode: QueueMode) -> None:
        """Deliver waiting steering messages one each turn, or together."""
        await self._send("set_steering_mode", mode=mode)

    async def set_follow_up_mode(self, mode: QueueMode) -> None:
        """Deliver waiting follow-ups one each turn, or together."""
        await self._send("set_follow_up_mode", mode=mode)

    async def set_auto_compaction(self, enabled: bool) -> None:
        """Shorten what the model sees before it is too much, or do not."""
        await self._send("set_auto_compaction", enabled=enabled)

    async def set_auto_retry(self, enabled: bool) -> None:
        """Make calls again that failed in passing, or do not."""
        await self._send("set_auto_retry", enabled=enabled)

    # --- the user's own commands

    async def bash(self, command: str, *, exclude_from_context: bool = False) -> BashResult:
        """Run a command and record it; events tell meanwhile what it prints."""
        exclude = True if exclude_from_context else None
        return BashResult.from_json(await self._send("bash", command=command, excludeFromContext=exclude))

    async def abort_bash(self) -> None:
        """End the commands that run."""
        await self._send("abort_bash")

    # --- inside

    @property
    def _open(self) -> Connection:
        if self._connection is None:
            raise RpcError("The client is not started.")
        return self._connection

    def _note(self, record: JsonObject) -> None:
        match record.get("type"), record.get("command"):
            case "agent_settled", _:
                self._settled.set()
            case "agent_start", _:
                self._settled.clear()
            case "response", "prompt" if (record.get("data") or {}).get("disposition") == "started":
                self._settled.clear()

    async def _happened(self, what: asyncio.Event) -> None:
        """Wait for something that the child tells; raises `RpcError` when it ends before that."""
        waiting = [asyncio.create_task(event.wait()) for event in (what, self._open.ended)]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        if not what.is_set():
            raise RpcError("The child has ended.")

    async def _data(self, type: str, **fields: object) -> JsonObject | None:
        data: JsonObject | None = (await self._open.call(type, **fields)).get("data")
        return data

    async def _send(self, type: str, **fields: object) -> JsonObject:
        return await self._data(type, **fields) or {}


def _images(images: Sequence[ImageContent]) -> list[JsonObject] | None:
    return [image.to_json() for image in images] or None


def _disposition(data: JsonObject) -> Disposition:
    told = data.get("disposition")
    return "queued" if told == "queued" else "handled" if told == "handled" else "started"


def _went(data: JsonObject) -> bool:
    return not data.get("cancelled")


def _maybe(kind: type[R], data: JsonObject | None) -> R | None:
    return None if data is None else kind.from_json(data)
