"""A limit for what a session may spend."""

from __future__ import annotations

from collections.abc import Callable

from pi_term.base.errors import PiTermError
from pi_term.coding.conversation import Conversation
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.ui_bridge import UiBridge


class SpendLimit:
    """Looks before each model call at what this process has spent; on whatever sessions.

    Each time a person agrees, as much again may be spent.
    """

    def __init__(
        self, conversation: Conversation, settings: Callable[[], SettingsStore], ui: Callable[[], UiBridge]
    ) -> None:
        self._conversation = conversation
        self._settings = settings
        self._ui = ui
        self._agreed = 0.0  # dollars beyond the limit

    async def check(self) -> None:
        """Ask a person once the limit is reached; raises `PiTermError("spend_limit")` without a yes."""
        limit = self._settings().get(schema.SPEND_LIMIT)
        if limit is None or self._conversation.spent < limit + self._agreed:
            return
        spent = f"${self._conversation.spent:.2f} spent, the limit is ${limit + self._agreed:.2f}."
        question = f"Go on until another ${max(limit, 0.01):.2f} is spent?"
        if not await self._ui().confirm("Spend limit reached", f"{spent} {question}"):
            raise PiTermError(
                "spend_limit", f"Spend limit reached: {spent}", "Raise spendLimit or --max-cost."
            )
        self._agreed = self._conversation.spent - limit + max(limit, 0.01)
