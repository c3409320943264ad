"""The core in another program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pi_term
from pi_term import PiTermError, ResourceOptions, SessionEvent, SessionManager, create_agent_session
from pi_term.ai.messages import text_of
from pi_term.coding.startup import Started
from pi_term.testing import Say, ScriptedModel


def test_the_public_face_is_true() -> None:
    for name in pi_term.__all__:
        assert getattr(pi_term, name) is not None
    assert sorted(pi_term.__all__, key=str.lower) == sorted(set(pi_term.__all__), key=str.lower)
    with pytest.raises(AttributeError):
        pi_term.nothing  # noqa: B018


def test_importing_it_loads_nothing() -> None:
    code = "import sys, pi_term; print(sorted(name for name in sys.modules if name.startswith('pi_term')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['pi_term', 'pi_term.base', 'pi_term.base.lazy', 'pi_term.version']"


class Program:
    """One that keeps all its files in a folder."""

    def __init__(self, script: ScriptedModel, folder: Path) -> None:
        self.script, self.folder, self.home = script, folder, folder / "home"
        self.home.mkdir()
        script.install(self.home)

    async def start(self, **options: object) -> Started:
        given = {"cwd": self.folder, "home": self.home, "model": self.script.model.key, **options}
        return await create_agent_session(**given)  # type: ignore[arg-type]

    async def run(self, prompt: str, **options: object) -> Started:
        self.script.replies.append([Say("ok")])
        async with await self.start(**options) as started:
            await started.session.prompt(prompt)
        return started

    def asked(self) -> list[str]:
        """What the user said, as the model saw it last."""
        return [text_of(each.content) for each in self.script.contexts[-1].messages if each.role == "user"]


@pytest.fixture
def program(tmp_path: Path):  # type: ignore[no-untyped-def]
    with ScriptedModel() as script:
        yield Program(script, tmp_path)


async def test_a_task_with_events(program: Program) -> None:
    seen: list[str] = []

    async def note(event: SessionEvent) -> None:
        seen.append(event.type)

    program.script.replies = [[Say("The answer.")]]
    async with await program.start(session_manager=SessionManager.in_memory()) as started:
        assert started.session.last_answer() is None
        started.session.subscribe(note)
        await started.session.prompt("hello")
        answer = started.session.last_answer()
    assert answer is not None
    assert answer.text == "The answer."
    assert (seen[0], seen[-1]) == ("agent_start", "agent_settled")
    assert not (program.home / "sessions").exists()


async def test_which_session(program: Program, tmp_path: Path) -> None:
    first = await program.run("first", name="Work")
    await program.run("second", session_manager=SessionManager.continue_recent())
    assert program.asked() == ["first", "second"]
    file = first.session.file
    await program.run("third", session_manager=SessionManager.open(file.id[:-4]))
    await program.run("fourth", session_manager=SessionManager.open(file.path))  # type: ignore[arg-type]
    assert program.asked() == ["first", "second", "third", "fourth"]
    fork = await program.run("fifth", session_manager=SessionManager.fork(file.id))
    assert program.asked()[-2:] == ["fourth", "fifth"]
    assert fork.session.file.header.parent_session == str(file.path)
    await program.run("other", session_manager=SessionManager.create(id="mine"))
    await program.run("again", session_manager=SessionManager.create(id="mine"))
    assert program.asked() == ["other", "again"]

    listed = await SessionManager.list(program.folder, home=program.home)
    assert [each.id for each in listed] == ["mine", fork.session.file.id, file.id]
    assert [each.name for each in listed] == [None, "Work", "Work"]
    assert await SessionManager.list(tmp_path / "elsewhere", home=program.home) == []


async def test_a_folder_of_its_own(program: Program) -> None:
    folder = program.folder / "kept"
    await program.run("first", session_manager=SessionManager.create(folder))
    await program.run("second", session_manager=SessionManager.continue_recent(folder))
    assert program.asked() == ["first", "second"]
    assert len(await SessionManager.list(program.folder, folder, home=program.home)) == 1


async def test_a_bad_id_is_refused(program: Program) -> None:
    with pytest.raises(PiTermError) as caught:
        await program.start(session_manager=SessionManager.create(id="../x"))
    assert caught.value.code == "bad_session_id"


async def test_instructions_and_tools(program: Program) -> None:
    template = program.folder / "note.md"
    template.write_text("A note about $1.")
    resources = ResourceOptions(system_prompt="OWN PROMPT", explicit={"prompts": [template]})
    await program.run("/note 'two words'", resources=resources, tools=["read", "ls"], exclude_tools=["ls"])
    asked = program.script.contexts[-1]
    assert program.asked() == ["A note about two words."]
    assert asked.system_prompt.startswith("OWN PROMPT")
    assert [tool.name for tool in asked.tools] == ["read"]


async def test_a_queued_prompt_is_expanded(program: Program) -> None:
    template = program.folder / "note.md"
    template.write_text("A note about $1.")
    program.script.replies = [[Say("one")], [Say("two")]]
    resources = ResourceOptions(explicit={"prompts": [template]})
    async with await program.start(resources=resources) as started:
        started.session.submit("first")
        started.session.submit("/note birds", follow_up=True)
        started.session.submit("/unknown birds", follow_up=True)
        await started.session.wait_settled()
    assert program.asked() == ["first", "A note about birds.", "/unknown birds"]


async def test_settings_and_trust(program: Program) -> None:
    (program.folder / ".pi").mkdir()
    (program.folder / ".pi" / "SYSTEM.md").write_text("PROJECT PROMPT")
    started = await program.run("one", settings={"defaultTools": ["read"]})
    assert "PROJECT PROMPT" not in program.script.contexts[-1].system_prompt
    assert [tool.name for tool in program.script.contexts[-1].tools] == ["read"]
    assert any("not trusted" in each.text() for each in started.diagnostics)
    await program.run("two", trust=True)
    assert program.script.contexts[-1].system_prompt.startswith("PROJECT PROMPT")


async def test_listed_skills_and_what_is_wrong_with_them(program: Program) -> None:
    for name, about in (("good", "description: d"), ("bad", "")):
        (program.home / "more" / name).mkdir(parents=True)
        (program.home / "more" / name / "SKILL.md").write_text(f"---\n{about}\n---\n")
    (program.home / "settings.json").write_text('{"skills": ["more"]}')
    started = await program.run("one")
    assert "<name>good</name>" in program.script.contexts[-1].system_prompt
    assert [each.file for each in started.diagnostics] == [program.home / "more" / "bad" / "SKILL.md"]
