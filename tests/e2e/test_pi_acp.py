"""pi-acp, a client that was written for Pi's RPC mode, drives pi-term unchanged.

It speaks the Agent Client Protocol (JSON-RPC, an object a line) to an editor; here, the test is the editor.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Reference

pytestmark = pytest.mark.node

PROGRAM = Path(sys.executable).with_name("pi-term")
GUARD = 60
Record = dict[str, Any]


class Editor:
    """Sends requests to pi-acp and keeps the updates that it sends by itself."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.updates: list[Record] = []
        self._process = process
        self._ids = count(1)
        self._answers: dict[int, Queue[Record]] = {}
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, method: str, **params: Any) -> int:
        """A request; its id."""
        id = next(self._ids)
        self._answers[id] = Queue()
        self._write({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def notify(self, method: str, **params: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def result(self, id: int) -> Record:
        answer = self._answers[id].get(timeout=GUARD)
        assert "error" not in answer, answer
        return dict(answer["result"] or {})

    def call(self, method: str, **params: Any) -> Record:
        return self.result(self.send(method, **params))

    def wait(self, test: Callable[[Record], bool]) -> Record:
        """The first update so far, or later, that passes the test."""
        with self._news:
            assert self._news.wait_for(lambda: any(map(test, self.updates)), GUARD), self.updates
            return next(filter(test, self.updates))

    def said(self, kind: str) -> str:
        """The text of all updates of this kind."""
        return "".join(each["content"]["text"] for each in self.updates if each["sessionUpdate"] == kind)

    def _write(self, record: Record) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(record).encode() + b"\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            record = json.loads(line)
            if record.get("id") in self._answers and "method" not in record:
                self._answers[record["id"]].put(record)
            elif record.get("method") == "session/update":
                with self._news:
                    self.updates.append(record["params"]["update"])
                    self._news.notify_all()


@pytest.fixture
def editor(reference: Reference, clean_environment: Path) -> Iterator[Editor]:
    adapter = Path(os.environ["NODE_DIR"]).parents[3] / "clients/node_modules/pi-acp/dist/index.js"
    if not adapter.exists():
        pytest.skip(f"needs pi-acp at {adapter}")
    settings = {"defaultProvider": "mock", "defaultModel": "mock-chat"}
    (reference.home / "settings.json").write_text(json.dumps(settings))
    env = {**reference.environment(), "PI_ACP_PI_COMMAND": str(PROGRAM)}
    with subprocess.Popen(
        [Path(os.environ["NODE_DIR"]) / "node", adapter],
        cwd=reference.work,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        yield Editor(process)
        process.kill()


def begin(editor: Editor, reference: Reference) -> str:
    """Initialise and open a session; its id."""
    hello = editor.call("initialize", protocolVersion=1, clientCapabilities={})
    assert hello["protocolVersion"] == 1
    session = editor.call("session/new", cwd=str(reference.work), mcpServers=[])
    return str(session["sessionId"])


def prompt(editor: Editor, session: str, text: str) -> int:
    return editor.send("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])


def test_a_prompt_with_a_tool_call(editor: Editor, reference: Reference) -> None:
    session = begin(editor, reference)

    done = editor.result(prompt(editor, session, "please read package and tell deps"))

    assert done["stopReason"] == "end_turn"
    assert "It depends on **left-pad**." in editor.said("agent_message_chunk")
    call = editor.wait(lambda each: each["sessionUpdate"] == "tool_call")
    assert "package.json" in json.dumps(call)
    editor.wait(lambda each: each["sessionUpdate"] == "tool_call_update" and each["status"] == "completed")
    assert len(reference.sessions()) == 1


def test_cancelling(editor: Editor, reference: Reference) -> None:
    session = begin(editor, reference)
    running = prompt(editor, session, "take your time")
    editor.wait(lambda each: each.get("status") == "in_progress")

    editor.notify("session/cancel", sessionId=session)

    assert editor.result(running)["stopReason"] == "cancelled"
    again = editor.result(prompt(editor, session, "please read package and tell deps"))
    assert again["stopReason"] == "end_turn"


def test_sessions_are_listed_and_loaded(editor: Editor, reference: Reference) -> None:
    session = begin(editor, reference)
    editor.result(prompt(editor, session, "please read package and tell deps"))

    listed = editor.call("session/list", cwd=str(reference.work))["sessions"]
    editor.updates.clear()
    editor.call("session/load", sessionId=listed[0]["sessionId"], cwd=str(reference.work), mcpServers=[])
    editor.wait(lambda each: each["sessionUpdate"] == "agent_message_chunk")

    assert len(listed) == 1
    assert listed[0]["cwd"] == str(reference.work)
    assert editor.said("user_message_chunk") == "please read package and tell deps"
    assert "left-pad" in editor.said("agent_message_chunk")
    done = editor.result(prompt(editor, listed[0]["sessionId"], "and now"))
    assert done["stopReason"] == "end_turn"
    assert "Now I know more." in editor.said("agent_message_chunk")
    assert len(reference.sessions()) == 1
