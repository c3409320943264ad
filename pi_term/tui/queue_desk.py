"""Editing what waits: the queues of the agent, held while somebody looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import events

from pi_term.tui.background import run_in_background
from pi_term.tui.opening import again
from pi_term.tui.widgets.queue_strip import Waiting

if TYPE_CHECKING:
    from pi_term.agent.agent import Agent
    from pi_term.agent.queues import MessageQueue
    from pi_term.ai.messages import ImageContent, UserMessage
    from pi_term.tui.screens.main import MainScreen


class QueueDesk:
    """Does what the queue strip asks for.

    While the strip has the focus nothing is delivered: a run that has nothing else to do ends, and what waits
    begins another one when the strip is left.
    """

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._rewriting = False

    def waiting(self) -> list[Waiting]:
        """What waits: steering first, each in the order of delivery."""
        from pi_term.ai.messages import text_of

        agent = self._agent
        return [
            Waiting(each.id, text_of(each.message.content), queue is agent.steering)
            for queue in (agent.steering, agent.follow_ups)
            for each in queue
        ]

    def paint(self) -> None:
        """Show it."""
        self._screen.queue.update(self.waiting(), self._screen.program.theme_colours)

    def enter(self) -> None:
        """Begin to edit, or say that there is nothing to edit."""
        if self.waiting():
            self._screen.queue.edit()
        else:
            self._screen.status.note("Nothing waits.")

    # --- for the strip

    def begin(self) -> None:
        """Hold what waits."""
        self._hold(True)

    def end(self) -> None:
        """Let it go on, unless a message is being rewritten; what the run did not wait for is sent now."""
        if self._rewriting:
            return
        self._hold(False)
        session = self._screen.program.session
        if not session.busy and not session.leaving:
            session.start(session.undelivered())

    def leave(self, event: events.Key | None = None) -> None:
        """Go back to the editor, with a key that was typed for it."""
        editor = self._screen.editor
        editor.focus()
        if event is not None:
            editor.post_message(again(event))

    def dispatch(self, action_id: str) -> bool:
        """What is not the queue's is the screen's."""
        return self._screen.dispatch(action_id)

    def edit(self, waiting: Waiting) -> None:
        """Let the text be changed in an editor of its own: what is being written in the other one stays."""
        if not self._rewriting:
            self._rewriting = True
            run_in_background(self._screen, partial(self._rewrite, waiting), "queue")

    def delete(self, waiting: Waiting) -> None:
        """Take it out."""
        self._queue_of(waiting).remove(waiting.id)
        self.paint()

    def move(self, waiting: Waiting, by: int) -> None:
        """One place earlier or later; over the end of its kind it becomes one of the other."""
        queue = self._queue_of(waiting)
        ids = [each.id for each in queue]
        place = ids.index(waiting.id) + by if waiting.id in ids else 0
        if 0 <= place < len(ids):
            queue.move(waiting.id, place)
        elif waiting.steering is (by > 0):  # below the last to steer come the follow-ups
            self.switch(waiting)
        self.paint()

    def switch(self, waiting: Waiting) -> None:
        """The last to steer becomes the first to follow, and the other way round."""
        if waiting.steering:
            self._agent.demote(waiting.id)
        else:
            self._agent.promote(waiting.id)
        self.paint()

    # --- inside

    @property
    def _agent(self) -> Agent:
        return self._screen.program.session.agent

    def _hold(self, held: bool) -> None:
        self._agent.steering.held = self._agent.follow_ups.held = held

    def _queue_of(self, waiting: Waiting) -> MessageQueue:
        return self._agent.steering if waiting.steering else self._agent.follow_ups

    async def _rewrite(self, waiting: Waiting) -> None:
        screen = self._screen
        try:
            written = await screen.program.bridge.rewrite(f"Waiting {waiting.label}", waiting.text)
            queue = self._queue_of(waiting)
            message = next((each.message for each in queue if each.id == waiting.id), None)
            if written is not None and message is not None:
                queue.replace(waiting.id, rewritten(message, *written))
        finally:
            self._rewriting = False
            if screen.focused is not screen.queue:
                self.end()
        self.paint()


def rewritten(message: UserMessage, text: str, images: Sequence[ImageContent] | None = None) -> UserMessage:
    """The message with another text and other images; None: its own stay."""
    from pi_term.ai.messages import ImageContent, TextContent, parts_of

    own = [part for part in parts_of(message.content) if isinstance(part, ImageContent)]
    return replace(message, content=[TextContent(text), *(own if images is None else images)])
