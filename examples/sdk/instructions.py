"""Instructions of your program's own: a system prompt, a skill and a prompt template; nothing of the user's.

python examples/sdk/instructions.py MODEL
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from pi_term import ResourceOptions, SessionManager, create_agent_session

SKILL = """\
---
name: house-style
description: How texts of this house are written. Use it before writing or changing a text.
---
British spelling. Short sentences.
"""
TEMPLATE = "Write a note about $1 of at most ${2:-50} words."


async def main(model: str | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "house-style").mkdir()
        (folder / "house-style" / "SKILL.md").write_text(SKILL)
        (folder / "note.md").write_text(TEMPLATE)
        resources = ResourceOptions(
            system_prompt="You write short notes.",
            explicit={"skills": [folder / "house-style"], "prompts": [folder / "note.md"]},
            off=frozenset({"skills", "prompts"}),
            context_files=False,
        )
        started = await create_agent_session(
            model=model,
            resources=resources,
            tools=["read"],
            session_manager=SessionManager.in_memory(),
        )
        async with started:
            await started.session.prompt("/note 'the new bridge' 20")
            answer = started.session.last_answer()
            print(answer.text if answer else "There is no answer.")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
