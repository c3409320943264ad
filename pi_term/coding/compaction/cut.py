"""Where a conversation can be cut in two, and where it is best cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from pi_term.agent.messages import AgentMessage
from pi_term.ai.messages import AssistantMessage, SystemMessage, ToolResultMessage, UserMessage
from pi_term.base.dataclass import dataclass
from pi_term.coding.messages import BashExecutionMessage, BranchSummaryMessage, CustomMessage
from pi_term.coding.tokens import CHARS_PER_TOKEN, estimate_chars

_BESIDE_TURNS = (BashExecutionMessage, BranchSummaryMessage, CustomMessage)
_SHORT_OPENING = 4  # an opening of at most this part of what is kept is not worth a summary of its own
_FAR_TOO_MUCH = 2  # times as much as should be kept: no context is to stay that full for one long message


@dataclass(frozen=True, slots=True)
class Cut:
    """Messages from `kept` on stay. Those from `turn` on belong to the turn that `kept` is in the middle
    of; `turn` is `kept` where no turn is split."""

    kept: int
    turn: int


@dataclass(frozen=True, slots=True)
class _Joints:
    """Indices at which messages can be cut, in order: all of them, and those at which a turn begins."""

    legal: list[int]
    starts: list[int]


def find_cut(messages: Sequence[AgentMessage], keep_tokens: int) -> Cut | None:
    """The cut that keeps about `keep_tokens` (at least 1); None where nothing would be before it.

    A turn that is longer than that is split at one of its messages, others stay whole: then up to half a
    turn more or less is kept. A tool result is never parted from its call, however large it is.
    """
    keep = keep_tokens * CHARS_PER_TOKEN
    chars = _chars_from(messages)
    reached = bisect_right(chars, -keep, key=lambda each: -each) - 1
    if reached < 0:
        return None
    joints = _joints(messages)
    kept = min(_choices(joints, chars, reached, keep), key=lambda index: (abs(chars[index] - keep), index))
    turn = _last(joints.starts, kept)
    if turn != kept and _is_short_opening(messages[turn:kept], keep):
        kept = turn
    return Cut(kept, turn) if kept > 0 else None


def cut_behind(messages: Sequence[AgentMessage]) -> Cut:
    """The cut that keeps nothing; a turn at the end that is not over is told apart."""
    end = len(messages)
    if not messages or _is_final(messages[-1]):
        return Cut(end, end)
    return Cut(end, _last(_joints(messages).starts, end))


def _chars_from(messages: Sequence[AgentMessage]) -> list[int]:
    """For each index the characters of the messages from there on. The prompt and its changes count none."""
    sizes = (0 if isinstance(each, SystemMessage) else estimate_chars(each) for each in reversed(messages))
    sums = list(accumulate(sizes, initial=0))
    sums.reverse()
    return sums


def _choices(joints: _Joints, chars: list[int], reached: int, keep: int) -> list[int]:
    """Where to cut, when the messages from `reached` on are enough to keep."""
    turn, next_turn = _last(joints.starts, reached), _next(joints.starts, reached)
    if turn != reached and chars[turn] - chars[next_turn[0] if next_turn else -1] <= keep:
        return [turn, *next_turn]
    before = _last(joints.legal, reached)
    if before == reached and chars[reached] <= _FAR_TOO_MUCH * keep:
        return [reached]
    return [before, *_next(joints.legal, reached)]


def _last(indices: list[int], limit: int) -> int:
    """The last of the indices that is not over the limit; 0 without one."""
    found = bisect_right(indices, limit)
    return indices[found - 1] if found else 0


def _next(indices: list[int], limit: int) -> list[int]:
    """The first of the indices that is over the limit, if there is one."""
    found = bisect_right(indices, limit)
    return indices[found : found + 1]


def _joints(messages: Sequence[AgentMessage]) -> _Joints:
    """Where calls and their results are not parted.

    A turn begins with a user message. What the user or an extension did between two turns stands for
    itself.
    """
    legal: list[int] = []
    starts: list[int] = []
    caller: AssistantMessage | None = None  # the last message with calls
    asked_at = 0
    is_over = True
    for index, message in enumerate(messages):
        if isinstance(message, ToolResultMessage):
            if caller is not None and any(call.id == message.tool_call_id for call in caller.tool_calls):
                _drop_after(legal, asked_at)
                _drop_after(starts, asked_at)
        elif isinstance(message, AssistantMessage):
            legal.append(index)
            is_over = _is_final(message)
            if message.tool_calls:
                caller, asked_at = message, index
        elif isinstance(message, (UserMessage, *_BESIDE_TURNS)):
            legal.append(index)
            if is_over or isinstance(message, UserMessage):
                starts.append(index)
            is_over = is_over and not isinstance(message, UserMessage)
    return _Joints(legal, starts)


def _drop_after(indices: list[int], limit: int) -> None:
    while indices and indices[-1] > limit:
        indices.pop()


def _is_final(message: AgentMessage) -> bool:
    """Whether a turn ends with this message."""
    return isinstance(message, AssistantMessage) and not message.tool_calls


def _is_short_opening(messages: Sequence[AgentMessage], keep: int) -> bool:
    """Whether there is only a short question here, which is better kept than summarised by itself."""
    answered = any(isinstance(message, AssistantMessage) for message in messages)
    return not answered and sum(map(estimate_chars, messages)) * _SHORT_OPENING <= keep
