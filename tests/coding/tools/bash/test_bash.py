"""`bash`: what a model gets of a command, and what is left of it afterwards."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import TextContent
from pi_term.base.abort import AbortError, run_abortable
from pi_term.coding.tools import LOCAL, ShellSettings

pytestmark = pytest.mark.usefixtures("no_process_left")

HANG = 20
"""Seconds after which something that should take a moment counts as hung."""


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


async def ran(bench: Any, command: str, **args: Any) -> ToolResult:
    result: ToolResult = await asyncio.wait_for(bench.run("bash", command=command, **args), HANG)
    return result


async def until(condition: Any) -> None:
    async with asyncio.timeout(HANG):
        while not condition():
            await asyncio.sleep(0.01)


def living_children() -> set[int]:
    children = psutil.Process().children()
    return {child.pid for child in children if child.status() != psutil.STATUS_ZOMBIE}


HOLD = "exec 9>>alive; flock -s 9; "
"""Begins a command that holds the file `alive` until the last of its processes is gone (`Bench.is_held`)."""


def full_output(result: ToolResult) -> Path:
    return Path(result.details["fullOutputPath"])


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("echo hello; echo world", "hello\nworld\n"),
        ("true", "(no output)"),
        ("echo out; sleep 0.05; echo err >&2", "out\nerr\n"),
        (r"printf '\033[31mred\033[0m\rover\n'", "\x1b[31mred\x1b[0m\rover\n"),
        (r"printf 'a\000b\001c\n'", "a\0b\1c\n"),
        ("printf 'no newline'", "no newline"),
        (r"printf '\n\n  x  \n\n'", "\n\n  x  \n\n"),
        ("for i in 1 2 3\ndo\n  echo $i\ndone", "1\n2\n3\n"),
        ("a=(x y z); echo ${a[1]} <(true) | cut -c1; echo $0 | grep -c bash", "y\n1\n"),
        ("seq 3 > >(tac)", "3\n2\n1\n"),
        ("test -t 0 && echo tty || echo no tty; cat; echo read", "no tty\nread\n"),
    ],
)
async def test_output_comes_back_as_it_is(bench: Any, command: str, output: str) -> None:
    result = await ran(bench, command)
    assert text_of(result) == output
    assert not result.is_error
    assert result.details is None


async def test_commands_run_in_the_working_folder_and_do_not_move_it(bench: Any) -> None:
    (bench.cwd / "sub").mkdir()
    assert text_of(await ran(bench, "cd sub; pwd")) == f"{bench.cwd}/sub\n"
    assert text_of(await ran(bench, "pwd; echo $PWD")) == f"{bench.cwd}\n{bench.cwd}\n"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("echo before; exit 3", "before\n\nCommand exited with code 3"),
        ("printf before; exit 3", "before\n\nCommand exited with code 3"),
        ("exit 3", "Command exited with code 3"),
    ],
)
async def test_a_failure_gives_output_and_code(bench: Any, command: str, text: str) -> None:
    result = await ran(bench, command)
    assert result.is_error
    assert text_of(result) == text


async def test_an_unknown_command_is_an_error(bench: Any) -> None:
    result = await ran(bench, "no-such-command")
    assert result.is_error
    assert "no-such-command" in text_of(result)
    assert "127" in text_of(result)


def test_long_output_is_cut_to_its_last_lines_and_kept_whole_in_a_file(bench: Any) -> None:
    result = asyncio.run(ran(bench, "seq 1 100000"))
    path = full_output(result)
    expected = "\n".join(map(str, range(98001, 100001)))
    note = f"[Showing lines 98001-100000 of 100000. Full output: {path}]"
    assert text_of(result) == f"{expected}\n\n{note}"
    assert path.parent == bench.temp_dir
    assert path.suffix == ".log"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == "".join(f"{n}\n" for n in range(1, 100001))
    truncation = dict(result.details["truncation"])
    assert truncation.pop("content") == expected
    assert truncation == {
        "truncated": True,
        "truncatedBy": "lines",
        "totalLines": 100000,
        "totalBytes": 588895,
        "outputLines": 2000,
        "outputBytes": 12000,
        "lastLinePartial": False,
        "firstLineExceedsLimit": False,
        "maxLines": 2000,
        "maxBytes": 51200,
    }


async def test_2000_lines_are_not_cut(bench: Any) -> None:
    result = await ran(bench, "seq 1 2000")
    assert text_of(result).endswith("\n1999\n2000\n")
    assert result.details is None
    assert not bench.temp_dir.exists()


async def test_many_bytes_in_few_lines_are_cut_to_50_kb(bench: Any) -> None:
    script = "for i in $(seq 1 100); do printf '%s' $i; head -c 1000 /dev/zero | tr '\\0' x; echo; done"
    result = await ran(bench, script)
    assert "[Showing lines 50-100 of 100 (50.0KB limit). Full output: " in text_of(result)
    assert result.details["truncation"]["outputBytes"] == 51153
    assert result.details["truncation"]["totalBytes"] == 100292


async def test_a_failing_command_with_long_output_has_note_and_status(bench: Any) -> None:
    result = await ran(bench, "seq 1 2001; exit 2")
    assert result.is_error
    assert text_of(result).endswith(f"{result.details['fullOutputPath']}]\n\nCommand exited with code 2")


@pytest.mark.parametrize(("timeout", "shown"), [(0.5, "0.5"), (1, "1 ")])
async def test_a_timeout_is_told_with_the_output_so_far(bench: Any, timeout: float, shown: str) -> None:
    result = await ran(bench, "echo early; sleep 30; echo late", timeout=timeout)
    assert result.is_error
    assert text_of(result).startswith("early\n\n")
    assert f"timed out after {shown}" in text_of(result)
    assert "late" not in text_of(result)


@pytest.mark.parametrize("timeout", [0, -1])
async def test_a_timeout_must_be_positive(bench: Any, timeout: float) -> None:
    result = await ran(bench, "touch ran", timeout=timeout)
    assert result.is_error
    assert "timeout" in text_of(result)
    assert not (bench.cwd / "ran").exists()


async def test_b012_a_background_child_does_not_hold_the_call_and_lives_on(bench: Any) -> None:
    result = await ran(bench, f"({HOLD} until [ -e stop ]; do sleep 0.05; done) & echo started")
    assert text_of(result) == "started\n"
    assert not result.is_error
    await asyncio.sleep(0.2)
    assert bench.is_held()
    (bench.cwd / "stop").touch()
    await until(lambda: not bench.is_held())


async def test_b012_a_background_child_may_go_on_printing(bench: Any) -> None:
    script = "(sleep 0.4; for i in $(seq 20000); do echo late line $i; done; touch finished) & echo first"
    assert text_of(await ran(bench, script)) == "first\n"
    assert text_of(await ran(bench, "echo second; sleep 0.6")) == "second\n"
    await until((bench.cwd / "finished").exists)


async def test_b012_a_background_flood_does_not_hold_the_call(bench: Any) -> None:
    result = await ran(bench, f"({HOLD} until [ -e stop ]; do echo y; done) & echo started")
    assert "y\ny\n" in text_of(result)
    (bench.cwd / "stop").touch()
    await until(lambda: not bench.is_held())


STUBBORN = "trap '' TERM; touch begun; while true; do sleep 0.05; done"
LONG = "touch begun; sleep 300"
FORKS = (
    "import os, time; os.fork() and os._exit(0); {leave}; os.fork() and os._exit(0); {again}; "
    "open('begun', 'w'); time.sleep(300)"
)
ORPHAN = FORKS.format(leave="os.setpgid(0, 0)", again="pass")
DAEMON = FORKS.format(leave="os.setsid()", again="os.setsid()")
COMMANDS = {
    "tree": f"(sh -c 'while true; do {LONG}; done' &) ; sleep 300",
    "stubborn": STUBBORN,
    "session": f"setsid sh -c '{LONG}' & sleep 300",
    "jobs": f"set -m; sh -c '{LONG}' & sleep 300",
    "orphan": f'{sys.executable} -c "{ORPHAN}"; sleep 300',
    "daemon": f'{sys.executable} -c "{DAEMON}"; sleep 300',
    "nested": f'sh -c \'setsid sh -c "setsid sh -c \\"{LONG}\\" &" &\'; sleep 300',
}
TREES = pytest.mark.parametrize("command", [HOLD + each for each in COMMANDS.values()], ids=COMMANDS.keys())


def begun(bench: Any) -> Any:
    return (bench.cwd / "begun").exists


@TREES
async def test_b013_a_timeout_leaves_no_process(bench: Any, command: str) -> None:
    result = await ran(bench, command, timeout=1)
    assert "timed out" in text_of(result)
    assert begun(bench)()
    assert not bench.is_held()


@TREES
async def test_b013_an_abort_leaves_no_process(bench: Any, command: str) -> None:
    running = asyncio.create_task(ran(bench, f"echo partial; {command}"))
    await until(begun(bench))
    bench.controller.abort()
    result = await running
    assert result.is_error
    assert text_of(result).startswith("partial\n")
    assert text_of(result).endswith("\n\nCommand aborted")
    assert not bench.is_held()


async def test_b013_an_abort_leaves_the_background_of_other_commands_alone(bench: Any) -> None:
    await ran(bench, f"({HOLD} until [ -e stop ]; do sleep 0.05; done) & true")
    running = asyncio.create_task(ran(bench, LONG))
    await until(begun(bench))
    bench.controller.abort()
    await running
    assert bench.is_held()
    (bench.cwd / "stop").touch()
    await until(lambda: not bench.is_held())


async def test_an_aborted_command_still_tells_its_output_before_the_loop_gives_up(bench: Any) -> None:
    signal = bench.controller.signal
    running = asyncio.create_task(run_abortable(ran(bench, f"echo partial; {STUBBORN}"), signal, grace=5))
    await until(begun(bench))
    bench.controller.abort()
    assert "partial" in text_of(await running)


@TREES
async def test_cancelling_the_call_kills_everything(bench: Any, command: str) -> None:
    running = asyncio.create_task(ran(bench, command))
    await until(begun(bench))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: not bench.is_held())


async def test_cancelling_while_the_command_starts_kills_it(bench: Any) -> None:
    before = living_children()
    running = asyncio.create_task(ran(bench, "sleep 300"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.sleep(0.3)
    await until(lambda: living_children() <= before)


def test_a_program_that_ends_while_a_command_starts_leaves_no_process(bench: Any) -> None:
    async def end_early() -> None:
        asyncio.create_task(ran(bench, "sleep 300"))  # noqa: RUF006 - what nobody holds is cancelled at the end
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    before = living_children()
    asyncio.run(end_early())
    time.sleep(0.3)
    assert living_children() <= before


async def test_nothing_starts_after_an_abort(bench: Any) -> None:
    bench.controller.abort()
    with pytest.raises(AbortError):
        await ran(bench, "touch ran")
    assert not (bench.cwd / "ran").exists()


def test_b014_a_flood_takes_little_memory(bench: Any) -> None:
    result = asyncio.run(ran(bench, "echo begin; yes 'some long line of text' | head -c 200000000"))
    assert psutil.Process().memory_info().rss < 400_000_000
    assert "Showing lines" in text_of(result)
    assert text_of(result).count("some long line of text\n") == 1999
    full = full_output(result)
    assert full.stat().st_size == 200_000_006
    assert result.details["truncation"]["totalBytes"] == 200_000_006
    full.unlink()


async def test_b014_the_loop_stays_free_during_a_flood(bench: Any) -> None:
    running = asyncio.create_task(ran(bench, "yes 'some long line of text'", timeout=1))
    turns = 0
    while not running.done():
        await asyncio.sleep(0.01)
        turns += 1
    assert turns > 20
    assert len(bench.updates) <= 20


@pytest.mark.parametrize("end", ["", "echo"])
async def test_b015_of_a_last_line_over_the_limit_its_end_comes_back(bench: Any, end: str) -> None:
    result = await ran(bench, f"printf 'ok\\n'; head -c 300000 /dev/zero | tr '\\0' x; {end}")
    shown, note = text_of(result).rsplit("\n\n", 1)
    assert shown == "x" * 51200
    assert note.startswith("[Showing last 50.0KB of line 2 (line is 293.0KB). Full output: ")
    assert result.details["truncation"]["lastLinePartial"]
    assert result.details["truncation"]["totalLines"] == 2


@pytest.mark.parametrize(
    "command",
    ["cat", "read -r x; echo got:$x", f"{sys.executable} -c 'input()'", "sh -c 'read x </dev/tty'"],
)
async def test_b016_commands_that_ask_get_no_answer_and_end(bench: Any, command: str) -> None:
    await ran(bench, command)


def test_b016_a_command_cannot_reach_the_terminal_of_the_program(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from pi_term.agent.tools import ToolCallContext\n"
        "from pi_term.base.abort import AbortController\n"
        "from pi_term.coding.tools import MutationQueue, ToolContext, builtin_tools\n"
        "call = ToolCallContext('id', AbortController().signal, lambda partial: None)\n"
        "context = ToolContext(Path.cwd(), call, MutationQueue(), Path('temp'))\n"
        "open('/dev/tty').close()  # the program itself has one\n"
        "command = 'echo drawn >/dev/tty; read x </dev/tty; tty'\n"
        "result = asyncio.run(builtin_tools()['bash'].execute({'command': command}, context))\n"
        "Path('result').write_text(result.content[0].text)\n"
    )
    in_terminal = f"import pty, sys; sys.exit(pty.spawn([sys.executable, {str(script)!r}]))"
    done = subprocess.run(
        [sys.executable, "-c", in_terminal],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert b"drawn" not in done.stdout
    assert "not a tty" in (tmp_path / "result").read_text()


async def test_b017_output_that_is_not_utf8_is_replaced(bench: Any) -> None:
    command = r"printf 'a\xf0b\xff\n'; printf '\xe4\xb8'; sleep 0.2; printf '\xad\n'"
    result = await ran(bench, command)
    assert text_of(result) == "a\ufffdb\ufffd\n中\n"
    assert not result.is_error
    assert all("\ufffd\n\ufffd" not in text_of(update) for update in bench.updates)


@pytest.mark.parametrize(
    ("command", "code", "name"),
    [
        ("echo part; kill -9 $$", 137, "SIGKILL"),
        ("echo part; kill -TERM $$", 143, "SIGTERM"),
        ("echo part; sh -c 'kill -SEGV $$'", 139, ""),
    ],
)
async def test_b018_death_by_a_signal_is_an_error(bench: Any, command: str, code: int, name: str) -> None:
    result = await ran(bench, command)
    assert result.is_error
    assert text_of(result).startswith("part\n")
    assert str(code) in text_of(result)
    assert name in text_of(result) or bench.operations is not LOCAL  # a sandbox hands on the code only


async def test_output_is_shown_while_it_comes_but_not_too_often(bench: Any) -> None:
    await ran(bench, "for i in $(seq 40); do echo line $i; sleep 0.02; done")
    shown = [text_of(update) for update in bench.updates]
    assert shown[0] == ""
    assert shown[1].startswith("line 1\n")
    assert 3 <= len(shown) <= 20
    assert all(later.startswith(earlier) for earlier, later in pairwise(shown))


async def test_no_update_comes_after_the_result(bench: Any) -> None:
    await ran(bench, "(sleep 0.2; echo late) & echo first")
    count = len(bench.updates)
    await ran(bench, "sleep 0.4")
    assert len(bench.updates) == count + 1  # the second call's first


async def test_the_shell_and_lines_before_each_command_are_settings(bench: Any) -> None:
    bench.shell = ShellSettings(path="/bin/sh", command_prefix="greeting=hello\ncount() { echo $#; }")
    assert text_of(await ran(bench, "echo $greeting $0; count a b")) == "hello /bin/sh\n2\n"


async def test_a_shell_that_is_not_there_is_told(bench: Any) -> None:
    bench.shell = ShellSettings(path="~/no-such-shell")
    result = await ran(bench, "true")
    assert result.is_error
    assert "/no-such-shell" in text_of(result)


async def test_commands_know_their_session_and_meet_no_pager(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", "less")
    monkeypatch.setenv("PI_SESSION_FILE", "/outer/session.jsonl")
    bench.env = {"PI_SESSION_ID": "id-1", "PI_MODEL": "claude"}
    command = "echo $PI_SESSION_ID,$PI_SESSION_FILE,$PI_MODEL,$PAGER,$GIT_PAGER"
    assert text_of(await ran(bench, command)) == "id-1,,claude,cat,cat\n"


async def test_commands_have_the_environment_of_the_program(
    local_bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN", "kept")
    assert text_of(await ran(local_bench, "echo $OWN")) == "kept\n"


async def test_a_working_folder_that_vanished_is_told(bench: Any) -> None:
    bench.cwd.rmdir()
    result = await ran(bench, "true")
    assert result.is_error
    assert str(bench.cwd) in text_of(result)


@pytest.mark.parametrize(
    ("command", "said"), [("echo a\0b", "NUL"), ("#" + "x" * 300_000, "too long"), ("echo \ud83d", "\ufffd")]
)
async def test_strange_commands_are_answered(bench: Any, command: str, said: str) -> None:
    assert said in text_of(await ran(bench, command))


async def test_many_commands_at_once_do_not_wait_for_each_other(bench: Any) -> None:
    script = (
        "mktemp here.XXXXXX >/dev/null; until [ $(ls here.* | wc -l) = 12 ]; do sleep 0.05; done; echo met"
    )
    results = await asyncio.gather(*(ran(bench, script) for _ in range(12)))
    assert [text_of(result) for result in results] == ["met\n"] * 12


async def test_no_descriptor_is_left_open(bench: Any) -> None:
    await ran(bench, "seq 3000")
    before = len(os.listdir("/proc/self/fd"))
    for command in ("true", "seq 3000", "exit 1", "echo \0"):
        await ran(bench, command)
    await until(lambda: len(os.listdir("/proc/self/fd")) <= before)
