"""Going from one model to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.ai.catalog import ModelChoice

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession


async def cycle_model(session: AgentSession, step: int = 1) -> ModelChoice | None:
    """Use the next model of the scope, or of all that are available, and the level named with it.

    None where there is no other one.
    """
    harness = session.harness
    choices = [each for each in harness.scope if harness.registry.has_auth(each.model.provider)]
    choices = choices or [ModelChoice(model) for model in harness.registry.available()]
    keys = [each.model.key for each in choices]
    current = session.model.key
    if all(key == current for key in keys):
        return None
    at = keys.index(current) if current in keys else (-1 if step > 0 else 0)
    chosen = choices[(at + step) % len(choices)]
    await session.set_model(chosen.model, chosen.level)
    return chosen
