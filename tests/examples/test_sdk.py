"""The examples do what they say."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from pi_term.ai.messages import text_of
from pi_term.testing import Call, Say, ScriptedModel

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "sdk"


def run(name: str, *args: str, cwd: Path) -> list[str]:
    """The lines that an example prints, as its own program."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *args],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    home = Path(os.environ["PI_TERM_HOME"])
    home.mkdir()
    with ScriptedModel() as script:
        script.install(home)
        yield script


def test_one_task(tmp_path: Path) -> None:
    lines = run("one_task.py", "run echo from the example", cwd=tmp_path)
    assert lines[0] == "agent_start"
    assert "agent_settled" in lines
    assert "from the example" in lines
    assert not Path(os.environ["PI_TERM_HOME"], "sessions").exists()


async def test_own_tool(
    script: ScriptedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    script.replies = [
        [Call("stock", {"item": "nails", "unit": "boxes"})],
        [Call("stock", {"item": "cheese"})],
        [Say("There are 12.")],
    ]
    await example("own_tool").main(script.model.key)
    assert capsys.readouterr().out == "There are 12.\n"
    assert [tool.name for tool in script.contexts[0].tools] == ["read", "stock"]
    results = [message for message in script.contexts[-1].messages if message.role == "toolResult"]
    assert [(text_of(result.content), result.is_error) for result in results] == [
        ("12 boxes", False),
        ("There are no cheese in the list.", True),
    ]
    assert (tmp_path / "asked.txt").read_text() == "nails"


def test_watch(tmp_path: Path) -> None:
    lines = run("watch.py", cwd=tmp_path)
    assert "> bash {'command': 'echo one'}" in lines
    assert lines.count("< done") == 2
    assert lines[-1] == "2 prompts, 2 tool calls"


def test_sessions(tmp_path: Path) -> None:
    lines = run("sessions.py", "kept", cwd=tmp_path)
    assert [line.partition(", ")[0] for line in lines] == ["First steps: 8 messages"] * 2
    texts = [file.read_text() for file in (tmp_path / "kept").glob("*.jsonl")]
    assert sorted("run echo another" in text for text in texts) == [False, True]


async def test_instructions(
    script: ScriptedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "AGENTS.md").write_text("NOT FOR THIS PROGRAM")
    script.replies = [[Say("A note.")]]
    await example("instructions").main(script.model.key)
    assert capsys.readouterr().out == "A note.\n"
    asked = script.contexts[0]
    assert asked.messages[-1].content[0].text == "Write a note about the new bridge of at most 20 words."  # type: ignore[union-attr]
    assert asked.system_prompt.startswith("You write short notes.")
    assert "<name>house-style</name>" in asked.system_prompt
    assert "NOT FOR" not in asked.system_prompt
