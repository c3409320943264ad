"""Images in the transcript of the whole program."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from pathlib import Path

from PIL import Image

from pi_term.ai.messages import ImageContent
from pi_term.testing.app import run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel


def image(colour: str) -> ImageContent:
    out = BytesIO()
    Image.new("RGB", (80, 32), colour).save(out, "PNG")
    return ImageContent(b64encode(out.getvalue()).decode(), "image/png")


async def test_images_of_prompts_and_results_are_drawn(still: Path) -> None:
    work = still / "work"
    work.mkdir()
    Image.new("RGB", (160, 64), "navy").save(work / "a.jpg")
    replies = [[Call("read", {"path": "a.jpg"})], [Say("It is blue.")]]
    with ScriptedModel(replies) as script:
        async with run_app(script, still) as driver:
            driver.app.main.send("look", images=[image("red")])
            await driver.settle()
            await driver.wait_for("▀" * 20)
            rows = [row for row in driver.text().split("\n") if "▀" in row]
            assert rows == ["▌ " + "▀" * 10] * 2 + ["  " + "▀" * 20] * 4
            await driver.pilot.resize_terminal(14, 30)
            await driver.wait_for("\n  " + "▀" * 10 + "\n")
            assert "▀" * 11 not in driver.text()
            # What is copied of an image is what it is called.
            await driver.press("alt+m", "ctrl+home", "space", "ctrl+end")
            copied = driver.app.main.transcript.selected_text()
            assert "▀" not in copied
            assert copied.startswith("look\n[image: image/png, 1 KB]\n")


async def test_without_drawing_words_tell_of_images(still: Path) -> None:
    with ScriptedModel([[Say("Red.")]]) as script:
        async with run_app(script, still, settings={"terminal.showImages": False}) as driver:
            driver.app.main.send("look", images=[image("red")])
            await driver.settle()
            assert "▌ [image: image/png, 1 KB]" in driver.text()
