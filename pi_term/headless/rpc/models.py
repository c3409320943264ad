"""Commands about models and how hard they think."""

from __future__ import annotations

from pi_term.ai.catalog.levels import supported_levels
from pi_term.ai.models import THINKING_LEVELS
from pi_term.base.errors import PiTermError
from pi_term.coding.model_cycle import cycle_model as cycle
from pi_term.headless.model_json import model_json
from pi_term.headless.rpc.desk import NULL, Data, Desk
from pi_term.headless.rpc.params import Params


async def set_model(desk: Desk, params: Params) -> Data:
    """Use the model of exactly this name from the next request on."""
    provider, model_id = params.text("provider"), params.text("modelId")
    model = desk.started.registry.get(provider, model_id)
    if model is None:
        raise PiTermError("unknown_model", f"Model not found: {provider}/{model_id}.")
    await desk.session.set_model(model)
    return model_json(model)


async def cycle_model(desk: Desk, params: Params) -> Data:
    """Go to the next of the models that are chosen for that, else of all that have a key."""
    session = desk.session
    if await cycle(session) is None:
        return NULL
    return {
        "model": model_json(session.model),
        "thinkingLevel": session.thinking_level,
        "isScoped": bool(session.harness.scope),
    }


def get_available_models(desk: Desk, params: Params) -> Data:
    """All models that have a key."""
    return {"models": [model_json(model) for model in desk.started.registry.available()]}


async def set_thinking_level(desk: Desk, params: Params) -> Data:
    """Think as hard as `level` says, as far as the model can."""
    wanted = params.choice("level", THINKING_LEVELS)
    await desk.session.set_thinking_level(next(each for each in THINKING_LEVELS if each == wanted))
    return None


async def cycle_thinking_level(desk: Desk, params: Params) -> Data:
    """Go to the next level that the model has."""
    if not desk.session.model.reasoning:
        return NULL
    return {"level": await desk.session.cycle_thinking_level()}


def get_available_thinking_levels(desk: Desk, params: Params) -> Data:
    """The levels that the model has."""
    return {"levels": list(supported_levels(desk.session.model))}
