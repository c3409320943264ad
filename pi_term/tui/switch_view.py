"""Another model, or another thinking level, as a row of the transcript."""

from __future__ import annotations

from pi_term.agent.events import MessageStart, TurnEnd
from pi_term.ai.messages import AssistantMessage
from pi_term.coding.events import AgentSettled, ModelChanged, SessionEvent, ThinkingLevelChanged
from pi_term.render.blocks import SwitchBlock
from pi_term.render.blocks.switch import Switch
from pi_term.tui.widgets.transcript import Transcript


class SwitchView:
    """Tells of them where they come to count: behind the turn under way, whose model stays what it is.

    What follows one upon the other is one row. Before anything was said there is none: a session begins with
    the model that it has then.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self.said = False  # something was, in the session that is shown
        self._in_turn = False
        self._waiting: Switch | None = None

    @property
    def in_sight(self) -> bool:
        """Whether a switch of now is told where people look."""
        return self.said and not self._in_turn and self._transcript.follow

    def reset(self, *, said: bool) -> None:
        """Another branch is shown, with what was switched on it."""
        self.said = said
        self._waiting = None

    def show(self, event: SessionEvent) -> None:
        """Follow what happens."""
        match event:
            case ModelChanged():
                self._add(Switch(model=event.model.key))
            case ThinkingLevelChanged():
                self._add(Switch(level=event.level))
            case MessageStart(message=AssistantMessage()):
                self._in_turn = True
            case TurnEnd() | AgentSettled():
                self._in_turn = False
                self._tell()

    def _add(self, switch: Switch) -> None:
        self._waiting = switch if self._waiting is None else self._waiting.then(switch)
        if not self._in_turn:
            self._tell()

    def _tell(self) -> None:
        switch, self._waiting = self._waiting, None
        if switch is None or not self.said:
            return
        newest = self._transcript.newest
        if isinstance(newest, SwitchBlock):
            newest.add(switch)
            self._transcript.touch(newest.id)
        else:
            self._transcript.append(SwitchBlock(switch))
