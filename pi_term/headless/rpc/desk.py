"""What commands work on, and what they come to."""

from __future__ import annotations

from typing import Final, TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.startup import Started
from pi_term.headless.outbox import Outbox


@dataclass(frozen=True, slots=True)
class Encoded:
    """Data of a response that is JSON text already."""

    json: bytes


NULL: Final = Encoded(b"null")
"""Nothing, said expressly."""

Data: TypeAlias = JsonObject | Encoded | None
"""What a response carries; None: nothing."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What commands work on."""

    started: Started
    outbox: Outbox

    @property
    def session(self) -> AgentSession:
        """The session that is open."""
        return self.started.session
