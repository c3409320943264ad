"""Keys that come faster than the program can act on them."""

from __future__ import annotations

from pathlib import Path

from textual import events

from pi_term.ai.messages import UserMessage, text_of
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Say, ScriptedModel, until


def burst(driver: AppDriver, *keys: str) -> None:
    """Press keys all at once, as they arrive after a moment in which the program was busy."""
    for key in keys:
        driver.app.post_message(events.Key(key, key if len(key) == 1 else None))


def prompts(driver: AppDriver) -> list[str]:
    return [text_of(m.content) for m in driver.session.agent.state.messages if isinstance(m, UserMessage)]


async def test_a_follow_up_does_not_overtake_the_prompt(tmp_path: Path) -> None:
    with ScriptedModel([[Say("one")], [Say("two")]]) as script:
        async with run_app(script, tmp_path) as driver:
            burst(driver, "a", "enter", "b", "alt+enter")
            await until(lambda: len(prompts(driver)) == 2, pause=0.01)
            await driver.settle()
            assert prompts(driver) == ["a", "b"]
