"""pi-term against a third party's mock server, and its files against the real Pi."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pi_term.testing.terminal import TerminalProgram

if TYPE_CHECKING:
    from conftest import Reference

pytestmark = pytest.mark.node

PROGRAM = [str(Path(sys.executable).with_name("pi-term"))]
MODELS = ["mock/mock-chat", "mocka/mock-claude", "mockr/mock-gpt", "mockg/mock-gemini"]


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def messages(path: Path) -> list[dict[str, Any]]:
    return [entry["message"] for entry in entries(path) if entry["type"] == "message"]


def names_the_call(reference: Reference, call_id: str, model: str) -> bool:
    """Whether the last request names the call: by the first of the two ids of the Responses API; Google's
    results are matched by their order."""
    return model.startswith("mockg/") or call_id.partition("|")[0] in json.dumps(reference.journal()[-1])


@pytest.mark.parametrize("model", MODELS)
def test_a_task_over_the_wire(reference: Reference, model: str) -> None:
    done = reference.pi_term("--model", model, "-p", "please read package and tell deps")
    assert done.stderr == ""
    assert (done.returncode, done.stdout) == (0, "It depends on **left-pad**.\n")
    written = messages(reference.sessions()[0])
    assert [message["role"] for message in written] == [
        "system", "user", "assistant", "toolResult", "assistant",
    ]  # fmt: skip
    call_id = written[2]["content"][-1]["id"]
    assert written[3]["toolCallId"] == call_id
    assert names_the_call(reference, call_id, model)
    assert "left-pad" in json.dumps(reference.journal()[-1])


@pytest.mark.parametrize("model", MODELS)
def test_the_same_task_on_the_screen(reference: Reference, model: str) -> None:
    argv = [*PROGRAM, "--model", model]
    with TerminalProgram(argv, cwd=reference.work, env=reference.environment()) as program:
        program.wait_for("Ask, or tell what to do")
        program.send("please read package and tell deps\r")
        screen = program.wait_for("It depends on left-pad.")
        assert "package.json" in screen
        program.wait_for(lambda text: "to interrupt" not in text)
        program.send(b"\x04")
        assert program.wait_exit() == 0
    written = messages(reference.sessions()[0])
    call_id = written[2]["content"][-1]["id"]
    assert written[3]["toolCallId"] == call_id
    assert names_the_call(reference, call_id, model)


@pytest.mark.parametrize("model", MODELS)
def test_pi_goes_on_with_a_session_of_ours(reference: Reference, model: str) -> None:
    reference.pi_term("--model", model, "-p", "please read package and tell deps")
    file = reference.sessions()[0]
    before = file.read_bytes()
    done = reference.pi("--model", model, "--session", str(file), "-p", "and now")
    assert (done.returncode, done.stdout.strip()) == (0, "Now I know more."), done.stderr
    after = file.read_bytes()
    assert after.startswith(before)
    sent = json.dumps(reference.journal()[-1])
    assert "left-pad" in sent
    assert messages(file)[-1]["content"][-1]["text"] == "Now I know more."


@pytest.mark.parametrize("model", MODELS)
def test_we_go_on_with_a_session_of_pi(reference: Reference, model: str) -> None:
    made = reference.pi("--model", model, "-p", "please read package and tell deps")
    assert made.returncode == 0, made.stderr
    file = reference.sessions()[0]
    before = file.read_bytes()
    done = reference.pi_term("--model", model, "-c", "-p", "and now")
    assert (done.returncode, done.stdout) == (0, "Now I know more.\n"), done.stderr
    assert file.read_bytes().startswith(before)
    assert "left-pad" in json.dumps(reference.journal()[-1])
    parents = {entry["id"]: entry["parentId"] for entry in entries(file)[1:]}
    assert all(parent is None or parent in parents for parent in parents.values())


def test_pi_sees_the_same_messages_and_tree(reference: Reference) -> None:
    reference.pi_term("--model", MODELS[0], "-p", "please read package and tell deps")
    file = reference.sessions()[0]
    commands = [{"id": "1", "type": "get_messages"}, {"id": "2", "type": "get_entries"}]
    done = reference.pi(
        "--mode", "rpc", "--model", MODELS[0], "--session", str(file),
        stdin=None, input="".join(json.dumps(command) + "\n" for command in commands),
    )  # fmt: skip
    answers = {
        answer["id"]: answer["data"]
        for answer in map(json.loads, done.stdout.splitlines())
        if answer.get("type") == "response"
    }
    assert answers["1"]["messages"] == messages(file)
    assert answers["2"]["entries"] == entries(file)[1:]


def test_piped_text_is_put_before_the_prompt(reference: Reference) -> None:
    done = reference.pi_term("--model", MODELS[0], "-p", " read package", stdin=None, input="please\n")
    assert done.stdout == "It depends on **left-pad**.\n", done.stderr


def test_a_server_that_is_gone_is_an_error_with_exit_1(reference: Reference) -> None:
    config = json.loads((reference.home / "models.json").read_text())
    config["providers"]["mock"]["baseUrl"] = "http://127.0.0.1:9/v1"
    (reference.home / "models.json").write_text(json.dumps(config))
    done: subprocess.CompletedProcess[str] = reference.pi_term("--model", MODELS[0], "-p", "hello")
    assert (done.returncode, done.stdout) == (1, "")
    assert "127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr
