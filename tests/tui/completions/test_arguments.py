"""What is offered behind a command."""

from __future__ import annotations

import json
from pathlib import Path

from pi_term import create_agent_session
from pi_term.tui.completions.arguments import arguments_of


def provider(*ids: str) -> dict[str, object]:
    models = [{"id": each} for each in ids]
    return {"baseUrl": "http://x.invalid", "api": "openai-completions", "apiKey": "k", "models": models}


async def test_models_are_offered_by_their_ids_the_newest_first(tmp_path: Path) -> None:
    providers = {"qwen-plan": provider("glm-5"), "gate": provider("qwen/qwen3-8b", "qwen/qwen4-max")}
    (tmp_path / "models.json").write_text(json.dumps({"providers": providers}))
    async with await create_agent_session(home=tmp_path, cwd=tmp_path) as started:
        offers = arguments_of(started)
        assert [each.value for each in offers["model"]("qwen")] == [
            *("gate/qwen/qwen4-max", "gate/qwen/qwen3-8b", "qwen-plan/glm-5")
        ]
        assert offers["model"]("")[0].value == "qwen-plan/glm-5"
        assert [each.value for each in offers["thinking"]("o")] == ["off"]


async def test_each_theme_and_keymap_is_offered_once(tmp_path: Path) -> None:
    (tmp_path / "models.json").write_text(json.dumps({"providers": {"p": provider("m")}}))
    (tmp_path / "themes").mkdir()
    (tmp_path / "themes" / "mine.json").write_text('{"name": "mine"}')
    async with await create_agent_session(home=tmp_path, cwd=tmp_path) as started:
        offers = arguments_of(started)
        assert [each.value for each in offers["theme"]("")] == [
            *("dark", "high-contrast", "light", "mine", "system", "system-light")
        ]
        assert [each.value for each in offers["keymap"]("")] == ["emacs", "pi"]
