"""What the core asks of a person, asked of the program that gives the commands.

Source of the format: `docs/rpc-extension-ui.md` of the npm package `@earendil-works/pi-coding-agent`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal

from pi_term.base.diagnostics import Severity
from pi_term.base.json import JsonObject

Send = Callable[[JsonObject], None]
_RESPONSE = "extension_ui_response"


class RpcUi:
    """A `UiBridge` over requests and responses.

    Until it is connected, and once it is closed, nobody is there: questions are dismissed.
    """

    def __init__(self) -> None:
        self._send: Send | None = None
        self._asked: dict[str, asyncio.Future[JsonObject]] = {}

    def connect(self, send: Send) -> None:
        """Ask with `send` from now on."""
        self._send = send

    def close(self) -> None:
        """Nobody will answer any more: what is open is dismissed."""
        self._send = None
        for answer in self._asked.values():
            if not answer.done():
                answer.set_result({"cancelled": True})

    def take(self, record: JsonObject) -> bool:
        """Whether `record` is an answer; one to nothing that was asked is dropped."""
        if record.get("type") != _RESPONSE:
            return False
        id = record.get("id")
        answer = self._asked.get(id) if isinstance(id, str) else None
        if answer is not None and not answer.done():
            answer.set_result(record)
        return True

    # --- questions

    async def select(self, title: str, options: Sequence[str], *, timeout: float | None = None) -> str | None:
        """One of `options`, or None."""
        answer = await self._ask("select", timeout, title=title, options=list(options))
        value = answer.get("value")
        return value if value in options else None

    async def confirm(self, title: str, message: str, *, timeout: float | None = None) -> bool:
        """Whether the answer was yes."""
        answer = await self._ask("confirm", timeout, title=title, message=message)
        return answer.get("confirmed") is True

    async def input(self, title: str, placeholder: str = "", *, timeout: float | None = None) -> str | None:
        """A line of text, or None."""
        hint = {"placeholder": placeholder} if placeholder else {}
        return _text(await self._ask("input", timeout, title=title, **hint))

    async def editor(self, title: str, prefill: str = "") -> str | None:
        """A text of several lines, or None."""
        begun = {"prefill": prefill} if prefill else {}
        return _text(await self._ask("editor", None, title=title, **begun))

    async def custom(self, component: Any) -> Any:
        """None: a component of another front end cannot be shown."""
        return None

    # --- what needs no answer

    def notify(self, message: str, level: Severity = "info") -> None:
        """Show a notice."""
        self._tell("notify", message=message, notifyType=level)

    def set_status(self, key: str, text: str | None) -> None:
        """Show `text` in the status line under `key`; None takes it away."""
        self._tell("setStatus", statusKey=key, **({} if text is None else {"statusText": text}))

    def set_widget(
        self,
        key: str,
        lines: Sequence[str] | None,
        placement: Literal["aboveEditor", "belowEditor"] = "aboveEditor",
    ) -> None:
        """Show `lines` beside the editor under `key`; None takes them away."""
        shown = {} if lines is None else {"widgetLines": list(lines)}
        self._tell("setWidget", widgetKey=key, **shown, widgetPlacement=placement)

    def set_title(self, title: str) -> None:
        """Give the window a title."""
        self._tell("setTitle", title=title)

    def set_editor_text(self, text: str) -> None:
        """Put `text` into the editor."""
        self._tell("set_editor_text", text=text)

    # --- inside

    def _tell(self, method: str, **fields: Any) -> str:
        id = os.urandom(16).hex()
        if self._send is not None:
            self._send({"type": "extension_ui_request", "id": id, "method": method, **fields})
        return id

    async def _ask(self, method: str, timeout: float | None, **fields: Any) -> JsonObject:
        if self._send is None:
            return {}
        if timeout is not None:
            fields["timeout"] = round(timeout * 1000)
        id = self._tell(method, **fields)
        answer: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._asked[id] = answer
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    return await answer
            return {}
        finally:
            del self._asked[id]


def _text(answer: JsonObject) -> str | None:
    value = answer.get("value")
    return value if isinstance(value, str) else None
