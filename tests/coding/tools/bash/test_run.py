"""`run_command`: what the tool and the user's own shell get of a command line."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pi_term.agent.tools import ToolError
from pi_term.base.abort import AbortController
from pi_term.coding.tools import LOCAL, ShellSettings
from pi_term.coding.tools.bash.output import Output
from pi_term.coding.tools.bash.run import CommandEnd, CommandPlace, run_command

pytestmark = pytest.mark.usefixtures("no_process_left")


@pytest.fixture
def place(bench: Any) -> CommandPlace:
    return CommandPlace(bench.cwd, bench.temp_dir, operations=bench.operations)


async def ended(command: str, place: CommandPlace, **options: Any) -> CommandEnd:
    async with asyncio.timeout(20):
        return await run_command(command, place, AbortController().signal, **options)


async def test_output_and_code(place: CommandPlace) -> None:
    end = await ended("echo out; exit 3", place)
    assert end.output.shown.content == "out\n"
    assert end.output.path is None
    assert (end.exit_code, end.signal_name, end.timed_out, end.aborted) == (3, None, False, False)


async def test_long_output_names_its_file(place: CommandPlace) -> None:
    end = await ended("seq 3000", place)
    assert end.output.shown.truncated
    assert end.output.path is not None
    assert end.output.path.read_bytes().endswith(b"2999\n3000\n")


async def test_a_signal_is_named(place: CommandPlace) -> None:
    end = await ended("kill -KILL $$", place)
    assert end.exit_code == 137
    assert end.signal_name == ("SIGKILL" if place.operations is LOCAL else None)


async def test_a_timeout_has_no_code(place: CommandPlace) -> None:
    end = await ended("echo out; sleep 60", place, timeout=0.3)
    assert (end.exit_code, end.timed_out, end.aborted) == (None, True, False)
    assert end.output.shown.content == "out\n"


async def test_an_abort_has_no_code_even_if_the_time_is_up_as_well(place: CommandPlace) -> None:
    controller = AbortController()
    running = asyncio.create_task(run_command("sleep 60", place, controller.signal, timeout=60))
    await asyncio.sleep(0.2)
    controller.abort()
    async with asyncio.timeout(20):
        end = await running
    assert (end.exit_code, end.timed_out, end.aborted) == (None, False, True)


async def test_what_is_called_off_before_it_begins_does_not_begin(place: CommandPlace) -> None:
    controller = AbortController()
    controller.abort()
    end = await run_command("touch ran", place, controller.signal)
    assert end.aborted
    assert not (place.cwd / "ran").exists()


async def test_output_is_shown_on_the_way_and_never_afterwards(place: CommandPlace) -> None:
    shown: list[Output] = []
    await ended("echo one; sleep 0.4; echo two; (sleep 0.3; echo late) &", place, on_output=shown.append)
    assert shown[0].shown.content == "one\n"
    count = len(shown)
    await asyncio.sleep(0.6)
    assert len(shown) == count


async def test_what_keeps_a_command_from_running_is_a_tool_error(bench: Any) -> None:
    place = CommandPlace(bench.cwd, bench.temp_dir, ShellSettings("/no/such/shell"))
    with pytest.raises(ToolError, match="/no/such/shell"):
        await ended("true", place)
    with pytest.raises(ToolError, match="NUL"):
        await ended("echo \0", place)
