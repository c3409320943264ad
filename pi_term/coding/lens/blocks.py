"""The parts of a request, as people see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from pi_term.ai.models import Model
from pi_term.base.dataclass import dataclass

BlockKind: TypeAlias = Literal["tool", "prompt", "message", "summarized"]
BlockState: TypeAlias = Literal["sent", "changed", "left_out"]


@dataclass(frozen=True, slots=True)
class Block:
    """One part of a request: a tool, a section of the system prompt, a message.

    `text` is what the model reads of it; of what is left out, what it would read. `tokens` is an
    estimate. `reason` says why the model sees it changed or not at all. `entry_id` is the entry that it
    comes from; one that is `editable` can be taken out of the model's view and put back. `cached` are
    the blocks at the beginning that the last request sent just so.
    """

    kind: BlockKind
    title: str
    text: str
    tokens: int
    state: BlockState = "sent"
    reason: str = ""
    entry_id: str | None = None
    editable: bool = False
    cached: bool = False


@dataclass(frozen=True, slots=True)
class CacheView:
    """How much of the next request a provider's prompt cache can know.

    `reason` says why it ends where it ends; `asked_at` is when it was last asked, in milliseconds since
    the epoch, None before the first request.
    """

    reason: str
    asked_at: int | None = None


@dataclass(frozen=True, slots=True)
class ContextView:
    """The next request to `model`: its blocks in the order that caches go by (tools, prompt, messages).

    What is not sent stands among them, where it would be.
    """

    model: Model
    blocks: Sequence[Block]
    cache: CacheView

    @property
    def tokens(self) -> int:
        """Estimated tokens of all that is sent."""
        return sum(block.tokens for block in self.blocks if block.state != "left_out")

    @property
    def cached_tokens(self) -> int:
        """Estimated tokens of what a cache can know."""
        return sum(block.tokens for block in self.blocks if block.cached)
