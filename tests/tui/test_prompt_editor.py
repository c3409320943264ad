"""The prompt editor of the whole program: what it completes, attaches, keeps and lends to other editors."""

from __future__ import annotations

import asyncio
import os
import struct
import zlib
from contextlib import nullcontext
from pathlib import Path

import pytest
from textual import events
from textual.app import App

from pi_term.ai.messages import ImageContent, UserMessage, text_of
from pi_term.testing.app import AppDriver, run_app
from pi_term.testing.scripted import Say, ScriptedModel, Wait, until
from pi_term.tui.widgets.editor.completion import CompletionList


def project(folder: Path) -> Path:
    """A working folder with files whose names are awkward."""
    work = folder / "work"
    for name in (
        *("src/tui/app.py", "src/tui/editor.py", "README.md", "app/[id]/page.tsx", "a(b).txt", "c++.md"),
        *("my docs/read me.txt", "node_modules/x.js", ".git/config", ".github/ci.yml"),
    ):
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (work / ".gitignore").write_text("node_modules\n")
    return work


def png() -> bytes:
    """The smallest picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def offered(driver: AppDriver) -> list[str]:
    return [each.label for each in driver.app.main.editor.query_one(CompletionList).offers]


def sent_images(driver: AppDriver) -> list[list[str]]:
    """The texts of the prompts that the session has, with the kinds of their images."""
    return [
        [text_of(message.content), *(p.mime_type for p in message.content if isinstance(p, ImageContent))]
        for message in driver.session.agent.state.messages
        if isinstance(message, UserMessage) and not isinstance(message.content, str)
    ]


async def paste(driver: AppDriver, text: str) -> None:
    driver.app.post_message(events.Paste(text))
    await driver.pilot.pause()


async def test_files_are_mentioned_whatever_their_names(tmp_path: Path) -> None:
    """B-062."""
    project(tmp_path)
    with ScriptedModel([[Say("seen")]]) as script:
        async with run_app(script, tmp_path) as driver:
            editor = driver.app.main.editor
            await driver.type("see @")
            await driver.wait_for("README.md")
            await driver.type("[idpage")
            await until(lambda: offered(driver)[:1] == ["app/[id]/page.tsx"], pause=0.01)
            await driver.press("enter")
            await driver.type("and @mydo")
            await until(lambda: offered(driver)[:1] == ["my docs/"], pause=0.01)
            await driver.press("tab")
            assert editor.text == 'see @"app/[id]/page.tsx" and @"my docs/'
            await until(lambda: "my docs/read me.txt" in offered(driver), pause=0.01)
            await driver.press("enter")
            await driver.press("enter")
            await driver.settle()
            prompt = driver.session.agent.state.messages
            texts = [text_of(each.content) for each in prompt if isinstance(each, UserMessage)]
            assert texts == ['see @"app/[id]/page.tsx" and @"my docs/read me.txt"']
            # What was mentioned last comes first.
            await driver.type("@")
            await until(lambda: offered(driver)[:1] == ["my docs/read me.txt"], pause=0.01)


async def test_commands_templates_and_skills_are_offered(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "prompts").mkdir(parents=True)
    (home / "skills" / "pdf").mkdir(parents=True)
    (home / "prompts" / "review.md").write_text(
        '---\ndescription: Review\x1b[2J it\nargument-hint: "<focus>"\n---\nReview $1\n'
    )
    (home / "skills" / "pdf" / "SKILL.md").write_text("---\nname: pdf\ndescription: PDFs\n---\nDo.\n")
    with ScriptedModel([[Say("ok")]]) as script:
        async with run_app(script, tmp_path) as driver:
            editor = driver.app.main.editor
            await driver.type("/")
            await until(lambda: "/skill:pdf" in offered(driver), pause=0.01)
            await driver.type("revie")
            assert offered(driver)[:1] == ["/review <focus>"]
            # What must be followed by something is not sent yet.
            await driver.press("enter")
            assert editor.text == "/review "
            await driver.wait_for("/review <focus>")
            await driver.type("speed")
            await driver.press("enter")
            await driver.settle()
            messages = driver.session.agent.state.messages
            assert any(isinstance(m, UserMessage) and text_of(m.content) == "Review speed" for m in messages)
            await driver.type("/model scr")
            assert offered(driver) == ["test/scripted"]
            await driver.press("escape", "ctrl+c")
            await driver.type("/compact it")
            assert offered(driver) == []

    with ScriptedModel() as script:
        async with run_app(script, tmp_path, settings={"enableSkillCommands": False}) as driver:
            await driver.type("/")
            await until(lambda: "/review <focus>" in offered(driver), pause=0.01)
            assert "/skill:pdf" not in offered(driver)


async def test_images_go_with_the_prompt_and_come_back_with_it(tmp_path: Path) -> None:
    """B-050."""
    work = project(tmp_path)
    picture = work / "a picture.png"
    picture.write_bytes(png())
    (work / "fake.png").write_text("no picture")
    with ScriptedModel([[Wait(asyncio.Event())], [Say("nice")]]) as script:
        async with run_app(script, tmp_path) as driver:
            editor = driver.app.main.editor
            await driver.send("go")
            await until(lambda: driver.session.agent.running, pause=0.01)
            await driver.type("look at ")
            await paste(driver, str(picture).replace(" ", "\\ "))
            await until(lambda: bool(editor.draft.attachments), pause=0.01)
            label = editor.text.removeprefix("look at ")
            assert label.startswith("[image #")
            await driver.press("enter")
            await driver.wait_for("steer: look at [image")
            await driver.press("escape")
            await until(lambda: editor.text == f"look at {label}", pause=0.01)
            await driver.session.wait_settled()
            await driver.press("enter")
            await driver.settle()
            assert sent_images(driver)[-1] == [f"look at {label}", "image/png"]
            # What only looks like a picture is the text that was pasted.
            await paste(driver, f"'{work}/fake.png'")
            await until(lambda: editor.text == f"'{work}/fake.png'", pause=0.01)


async def test_the_clipboard_is_pasted_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter waits for it, and what is typed after that for Enter."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "picture").write_bytes(png())
    script_text = f"""#!/bin/sh
while [ ! -e {tmp_path}/ready ]; do sleep 0.02; done
case "$*" in
*list-types*) cat {tmp_path}/kinds ;;
*image/png*) cat {tmp_path}/picture ;;
*) echo some text ;;
esac
"""
    (programs / "wl-paste").write_text(script_text)
    (programs / "wl-paste").chmod(0o755)
    (tmp_path / "kinds").write_text("text/plain\nimage/png\n")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with ScriptedModel([[Say("one")], [Say("two")]]) as script:
        async with run_app(script, tmp_path) as driver:
            editor = driver.app.main.editor
            await driver.type("a ")
            await driver.press("ctrl+v")
            await driver.type(" b")
            await driver.press("enter")
            await driver.type("next")
            assert "[pasting…] b" in driver.text()
            (tmp_path / "ready").touch()
            await until(lambda: editor.text == "next", pause=0.01)
            await driver.settle()
            text, kind = sent_images(driver)[-1]
            assert kind == "image/png"
            assert text.startswith("a [image #")
            assert text.endswith("] b")
            (tmp_path / "kinds").write_text("text/plain\n")
            await driver.press("ctrl+v")
            await until(lambda: editor.text == "nextsome text\n", pause=0.01)


async def test_another_editor_gives_the_text_back_or_leaves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B-063."""
    monkeypatch.setattr(App, "suspend", lambda app: nullcontext())
    folder = tmp_path / "with space"
    folder.mkdir()
    program = folder / "ed"
    program.write_text('#!/bin/sh\n[ "$1" = -w ] || exit 9\n. "$0.mode"\n')
    program.chmod(0o755)
    monkeypatch.setenv("VISUAL", f"'{program}' -w")
    with ScriptedModel() as script:
        async with run_app(script, tmp_path, size=(200, 40)) as driver:
            editor = driver.app.main.editor
            await driver.type("x")
            for mode, text, said in (
                ('printf "a\\nb\\n" >"$2"', "a\nb", ""),
                ('printf lost >"$2"; exit 3', "a\nb", "ended with code 3"),
                ('rm "$2"', "a\nb", "The editor left no text behind"),
            ):
                (folder / "ed.mode").write_text(mode)
                await driver.press("ctrl+g")
                await until(lambda text=text: editor.text == text, pause=0.01)
                await driver.wait_for(said)
            monkeypatch.setenv("VISUAL", "no-such-editor")
            await driver.press("ctrl+g")
            await driver.wait_for("Cannot run no-such-editor")
            assert editor.text == "a\nb"
