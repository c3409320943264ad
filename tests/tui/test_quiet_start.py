"""What stands at the top before the first prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.testing.app import run_app
from pi_term.testing.scripted import ScriptedModel


@pytest.mark.parametrize(
    ("quiet", "header", "loaded"), [(False, True, True), ("header", True, False), (True, False, False)]
)
async def test_people_choose_how_much_is_told(
    tmp_path: Path, quiet: bool | str, header: bool, loaded: bool
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "AGENTS.md").write_text("Be brief.")
    with ScriptedModel([]) as script:
        async with run_app(script, tmp_path, settings={"quietStartup": quiet}) as driver:
            screen = await driver.wait_for("Ask, or tell")
            await driver.wait_for(lambda text: ("opens tool output" in text) == header)
            screen = await driver.wait_for(lambda text: ("AGENTS.md" in text) == loaded)
    assert screen.lstrip().startswith("pi-term ") == header


async def test_the_hints_name_the_list_of_keys_also_where_it_is_narrow(tmp_path: Path) -> None:
    with ScriptedModel([]) as script:
        async with run_app(script, tmp_path, size=(60, 20)) as driver:
            shown = await driver.wait_for("f1 lists keys")
            assert "…" not in shown.splitlines()[1]
            await driver.pilot.resize_terminal(100, 20)
            await driver.wait_for("f1 lists keys · ctrl+o opens tool output")
            await driver.pilot.resize_terminal(30, 20)
            shown = await driver.wait_for(lambda text: "f1" not in text)
            assert shown.splitlines()[1].strip() == "enter sends"
