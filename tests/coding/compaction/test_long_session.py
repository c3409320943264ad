"""A real session of a thousand messages, compacted all along."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.context import Context
from pi_term.coding.compaction.summarize import summarize
from pi_term.coding.messages import agent_message_from_json
from pi_term.coding.tokens import estimate_all
from pi_term.testing import Say, ScriptedModel

DATA = Path(__file__).parents[4] / "shared" / "data" / "session-v1-long.jsonl"
KEEP = 8_000


@pytest.mark.skipif(not DATA.exists(), reason="the real session is not part of the project")
async def test_every_forty_messages(story: Any, office: Any) -> None:
    lines = [json.loads(line) for line in DATA.read_text().splitlines()]
    messages = [agent_message_from_json(line["message"]) for line in lines if line["type"] == "message"]
    assert len(messages) > 900
    script = ScriptedModel(answer=lambda context: [Say(f"summary {len(script.contexts)}")])
    compactions = 0
    for number, message in enumerate(messages, 1):
        story.add(message)
        if number % 40 == 0 and estimate_all(story.context().messages) > 2 * KEEP:
            prepared = story.compacted(f"stored {compactions}", KEEP)
            summary = await summarize(prepared, office.desk(script))
            compactions += 1
            kept = [each for each in story.context().messages[2:] if each.role != "system"]
            assert kept[0].role != "toolResult"
            assert KEEP // 2 < estimate_all(kept) < 3 * KEEP
            assert set(prepared.files.modified).isdisjoint(prepared.files.read)
            assert summary.text.startswith("summary ")
    assert compactions > 3
    assert all(len(_text(context)) < 4 * script.model.context_window for context in script.contexts)


def _text(context: Context) -> str:
    return "".join(str(message.content) for message in context.messages)
