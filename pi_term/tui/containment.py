"""What the screen of an extension or of an embedding program raises ends that screen, and nothing else.

Where one of this program's own raises, the program ends, with a report of it.
"""

from __future__ import annotations

import traceback
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar

from textual._context import active_message_pump
from textual.app import App
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker

from pi_term.base.log import log

R = TypeVar("R")
_OURS = "pi_term."


class ContainingApp(App[R], inherit_bindings=False):
    """An app that goes on when a screen which is not its own breaks.

    The screen is closed, as if by Escape, with what lies over it.
    """

    @abstractmethod
    def notice(self, text: str, level: str = "info") -> None:
        """Tell something."""

    async def _dispatch_message(self, message: Message) -> None:
        """Keys and mouse come through the app, and with them the actions that a screen binds to them."""
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            if not self._contains(error):
                raise

    def _handle_exception(self, error: Exception) -> None:
        if not self._contains(error):
            super()._handle_exception(error)

    def _contains(self, error: Exception) -> bool:
        """Whether a foreign screen raised it, which is closed then."""
        if not self._running or self._exit:
            return False
        screen = culprit(error, self.screen_stack[1:])
        if screen is None:
            return False
        log.error("the screen %s broke", type(screen).__qualname__, exc_info=error)
        self.call_next(self._close_broken, screen, error)
        return True

    def _close_broken(self, screen: Screen[Any], error: Exception) -> None:
        """Once: a screen that cannot be drawn raises again and again."""
        if screen not in self.screen_stack:
            return
        place = self.screen_stack.index(screen)
        for each in reversed(self.screen_stack[place:]):
            Screen.dismiss(each, None)
        self.notice(_told(screen, _carried(error)), "error")


def culprit(error: BaseException, screens: Sequence[Screen[Any]]) -> Screen[Any] | None:
    """The foreign one among the screens of the stack that raised it; None where that was anybody else.

    The innermost piece of the interface that was at work when it was raised decides.
    """
    node = next(_nodes_at_work(error), None) or active_message_pump.get(None)
    if not isinstance(node, DOMNode):
        return None
    screen = next((each for each in node.ancestors_with_self if isinstance(each, Screen)), None)
    if screen is None or screen not in screens or type(screen).__module__.startswith(_OURS):
        return None
    return screen


def _nodes_at_work(error: BaseException) -> Iterator[DOMNode]:
    """The widgets and screens whose methods, timers or workers raised it, innermost first."""
    frames = [*_frames(_carried(error).__traceback__), *_frames(error.__traceback__)]
    for each in frames:
        node = each.node if isinstance(each, Worker) else each
        if isinstance(each, Timer):
            node = each._target()
        if isinstance(node, DOMNode) and not isinstance(node, App):
            yield node


def _frames(trace: TracebackType | None) -> list[object]:
    """The objects whose methods a traceback goes through, innermost first."""
    found: list[object] = []
    while trace is not None:
        found.append(trace.tb_frame.f_locals.get("self"))
        trace = trace.tb_next
    return found[::-1]


def _told(screen: Screen[Any], error: BaseException) -> str:
    """Which screen was closed, and what raised where."""
    kind = type(screen)
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f" ({each.filename}:{each.lineno})" for each in where)
    said = ": ".join(filter(None, (type(error).__name__, str(error))))
    return f"The screen {kind.__qualname__} of {kind.__module__} broke and was closed. {said}{place}"


def _carried(error: BaseException) -> BaseException:
    """What was raised: one of a worker comes wrapped."""
    carried: object = getattr(error, "error", None)
    return carried if isinstance(carried, BaseException) else error
