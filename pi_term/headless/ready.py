"""What has to be there before a prompt is taken."""

from __future__ import annotations

from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession


def require_key(session: AgentSession) -> None:
    """Raise `PiTermError("no_key")` where the session's model cannot be asked, as far as that can be told
    without running a command."""
    provider = session.model.provider
    if not session.harness.registry.has_auth(provider):
        text = f"There is no key for {provider}."
        raise PiTermError(
            "no_key", text, f"Store one with pi-term auth login {provider}; see docs/models.md."
        )
