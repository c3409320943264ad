"""A model whose answers are written down in the test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

from pi_term.ai.context import Context, StreamOptions
from pi_term.ai.models import Model
from pi_term.ai.registry import register_api, unregister_api
from pi_term.ai.scripted import Call, Fail, Part, Reply, Say, Think, Wait, scripted_stream
from pi_term.ai.stream import AssistantStream
from pi_term.base import json

__all__ = ["Call", "Fail", "Reply", "Say", "ScriptedModel", "Think", "Wait", "until"]

_numbers = count(1)


class ScriptedModel:
    """Answers in order from `replies`; remembers what it was asked.

    A reply is a list of parts (`Say`, `Think`, `Call`, `Wait`, `Fail`), or a `Reply` of them. What comes
    after the last one is asked of `answer`. Use it as a context manager: inside, `model` can be called
    like any other.
    """

    def __init__(
        self,
        replies: Sequence[Sequence[Part] | Reply] = (),
        *,
        answer: Callable[[Context], Sequence[Part] | Reply] | None = None,
        reasoning: bool = False,
        context_window: int = 128_000,
        max_tokens: int = 16_384,
    ) -> None:
        self.api = f"scripted-{next(_numbers)}"
        self.model = Model(
            id="scripted",
            provider="test",
            api=self.api,
            reasoning=reasoning,
            context_window=context_window,
            max_tokens=max_tokens,
        )
        self.replies = list(replies)
        self.answer = answer or _no_more
        self.contexts: list[Context] = []
        self.options: list[StreamOptions] = []

    def __enter__(self) -> Self:
        register_api(self.api, self._stream)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        unregister_api(self.api)

    def install(self, home: Path) -> None:
        """Write a models.json into `home` that offers the model, for programs that read one."""
        model = {
            "id": self.model.id,
            "reasoning": self.model.reasoning,
            "contextWindow": self.model.context_window,
            "maxTokens": self.model.max_tokens,
        }
        provider = {"baseUrl": "http://script.invalid", "api": self.api, "apiKey": "none", "models": [model]}
        text = json.dumps_str({"providers": {self.model.provider: provider}}, indent=True)
        (home / "models.json").write_text(text, encoding="utf-8")

    def _stream(self, model: Model, context: Context, options: StreamOptions) -> AssistantStream:
        self.contexts.append(Context(context.system_prompt, list(context.messages), list(context.tools)))
        self.options.append(options)
        reply = self.replies.pop(0) if self.replies else self.answer(context)
        return scripted_stream(model, context, options, reply if isinstance(reply, Reply) else Reply(reply))


def _no_more(context: Context) -> Sequence[Part]:
    return [Fail("The script has no more replies.")]


async def until(condition: Callable[[], bool], *, pause: float = 0, seconds: float = 30) -> None:
    """Let the event loop run until the condition holds, looking every `pause` seconds.

    `seconds` is a guard against hanging.
    """
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(pause)
