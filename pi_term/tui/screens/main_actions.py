"""What the actions of the main screen do. Each answers whether it applied."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from pi_term.coding.settings import schema
from pi_term.tui.actions import BY_ID
from pi_term.tui.told import do

if TYPE_CHECKING:
    from pi_term.tui.screens.main import MainScreen

_TWICE = 2.0  # seconds within which a second Ctrl+C quits
_DOUBLE = 0.5  # seconds within which two Escapes are one operation
_CALM = 1.0  # seconds after Escape ended something in which more of them mean the same


class MainActions:
    """The handlers named in the action table for the scopes `app` and `transcript`."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._asked_to_quit = 0.0
        self._stopped = 0.0  # when Escape ended something
        self._escaped = 0.0  # when it had nothing to end

    # --- stopping, clearing, leaving

    def action_interrupt(self) -> bool:
        """End a search, drop a selection, else stop what goes on; with nothing to stop, twice opens the tree.

        First the agent, a retry, a compaction or a summary: queued messages come back into the editor.
        Then the user's own commands.
        """
        screen = self._screen
        session = screen.program.session
        now = time.monotonic()
        if screen.transcript_actions.close_row(back=True):
            return True
        if screen.transcript.selected_text():
            screen.clear_selection()
            return True
        if session.busy:
            session.abort()
            self._bring_back(session.take_queued())
        elif session.shell.running:
            session.shell.abort()
        else:
            return self._escaped_idly(now)
        self._stopped = now
        return True

    def _escaped_idly(self, now: float) -> bool:
        """Escape with nothing to end: the second of two in an empty editor does what the settings say."""
        before, self._escaped = self._escaped, now
        if not self._screen.editor.is_empty or now - self._stopped < _CALM:
            self._escaped = 0.0
            return False
        settings = self._screen.program.session.harness.settings
        action = f"app.session.{settings.get(schema.DOUBLE_ESCAPE)}"
        if now - before <= _DOUBLE and action in BY_ID:
            self._escaped = 0.0
            self._screen.dispatch(action)
        return True

    def action_copy_selection(self) -> bool:
        """Copy the selected text."""
        text = self._screen.transcript.selected_text()
        if not text:
            return False
        self._copy(text, "Selection copied.")
        self._screen.clear_selection()
        return True

    def action_clear(self) -> bool:
        """Clear the editor; when it is empty, quit at the second time."""
        screen = self._screen
        if not screen.editor.is_empty:
            screen.editor.clear()
            self._asked_to_quit = 0.0
            return True
        now = time.monotonic()
        if now - self._asked_to_quit <= _TWICE:
            screen.program.exit(0)
            return True
        self._asked_to_quit = now
        screen.status.note(f"Press {screen.program.keys.hint('app.clear')} again to quit.")
        return True

    def action_exit(self) -> bool:
        """Quit, unless something is written in the editor."""
        if not self._screen.editor.is_empty:
            return False
        self._screen.program.exit(0)
        return True

    def action_suspend(self) -> bool:
        """Go to the background of the shell."""
        self._screen.program.action_suspend_process()
        return True

    # --- messages

    def action_follow_up(self) -> bool:
        """Send the text when the agent is done."""
        self._screen.editor.submit(follow_up=True)
        return True

    def action_dequeue(self) -> bool:
        """Put the queued messages back into the editor."""
        self._bring_back(self._screen.program.session.take_queued())
        return True

    def action_edit_queue(self) -> bool:
        """Edit what waits."""
        self._screen.queue_desk.enter()
        return True

    def action_copy_message(self) -> bool:
        """Copy the last answer as it was written; what is selected, unless that was copied at once."""
        from pi_term.ai.messages import AssistantMessage

        copied_at_once = self._screen.program.session.harness.settings.get(schema.COPY_ON_SELECT)
        if not copied_at_once and self.action_copy_selection():
            return True
        for message in reversed(self._screen.program.session.agent.state.messages):
            if isinstance(message, AssistantMessage) and message.text:
                self._copy(message.text, "Last answer copied.")
                return True
        self._screen.status.note("There is no answer to copy yet.")
        return True

    # --- session, model, thinking

    def action_next_model(self) -> bool:
        """Switch to the next model."""
        return self._cycle_model(1)

    def action_previous_model(self) -> bool:
        """Switch to the previous model."""
        return self._cycle_model(-1)

    def action_cycle_thinking(self) -> bool:
        """Go to the next thinking level of the model."""
        do(self._screen, self._cycle_thinking)
        return True

    # --- the transcript

    def action_toggle_tools(self) -> bool:
        """Open or close all tool output."""
        transcript = self._screen.transcript
        transcript.expanded = not transcript.expanded
        return True

    def action_toggle_thinking(self) -> bool:
        """Show or hide what models think."""
        transcript = self._screen.transcript
        transcript.hide_thinking = not transcript.hide_thinking
        self._screen.status.note("Thinking is hidden." if transcript.hide_thinking else "Thinking is shown.")
        return True

    def action_transcript_page_up(self) -> bool:
        self._screen.transcript.scroll_page(-1)
        return True

    def action_transcript_page_down(self) -> bool:
        self._screen.transcript.scroll_page(1)
        return True

    def action_transcript_half_page_up(self) -> bool:
        self._screen.transcript.scroll_half_page(-1)
        return True

    def action_transcript_half_page_down(self) -> bool:
        self._screen.transcript.scroll_half_page(1)
        return True

    def action_transcript_line_up(self) -> bool:
        self._screen.transcript.scroll_lines(-1)
        return True

    def action_transcript_line_down(self) -> bool:
        self._screen.transcript.scroll_lines(1)
        return True

    def action_transcript_previous_prompt(self) -> bool:
        self._screen.transcript.jump_prompt(-1)
        return True

    def action_transcript_next_prompt(self) -> bool:
        self._screen.transcript.jump_prompt(1)
        return True

    def action_transcript_top(self) -> bool:
        self._screen.transcript.go_top()
        return True

    def action_transcript_bottom(self) -> bool:
        self._screen.transcript.scroll_to_end()
        return True

    # --- inside

    def _bring_back(self, texts: list[str]) -> None:
        if texts:
            self._screen.editor.prepend(texts)

    def _copy(self, text: str, said: str) -> None:
        self._screen.transcript_actions.copy(text, said)

    def _cycle_model(self, step: int) -> bool:
        do(self._screen, partial(self._use_next_model, step))
        return True

    async def _use_next_model(self, step: int) -> None:
        from pi_term.coding.model_cycle import cycle_model

        chosen = await cycle_model(self._screen.program.session, step)
        if chosen is None:
            self._screen.status.note("There is no other model to switch to.")
        else:
            self._screen.note_switch(f"Model: {chosen.model.key}")

    async def _cycle_thinking(self) -> None:
        session = self._screen.program.session
        if not session.model.reasoning:
            self._screen.status.note(f"{session.model.label} does not think.")
            return
        self._screen.note_switch(f"Thinking: {await session.cycle_thinking_level()}")
