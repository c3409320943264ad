"""Images in the transcript of the whole program."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from pi_term.testing.app import run_app
from pi_term.testing.scripted import Call, Say, ScriptedModel


async def test_an_image_that_was_read_is_drawn(still: Path) -> None:
    work = still / "work"
    work.mkdir()
    Image.new("RGB", (160, 64), "navy").save(work / "a.jpg")
    (work / "fake.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 100)
    replies = [[Call("read", {"path": "a.jpg"})], [Say("It is blue.")]]
    with ScriptedModel(replies) as script:
        async with run_app(script, still) as driver:
            await driver.send("look")
            await driver.wait_for("▀" * 20)
            await driver.settle()
            rows = [row for row in driver.text().split("\n") if "▀" in row]
            assert rows == ["  " + "▀" * 20] * 4
