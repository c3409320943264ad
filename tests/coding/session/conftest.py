"""Session files for the tests of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import AssistantMessage, TextContent, UserMessage
from pi_term.coding.session import MessageEntry, ModelChangeEntry, SessionFile


class Build:
    """Makes session files line by line, as Pi writes them."""

    header_data = {
        "type": "session",
        "version": 3,
        "id": "s-1",
        "timestamp": "2026-01-02T03:04:05.678Z",
        "cwd": "/w",
    }

    def line(self, data: dict[str, Any]) -> bytes:
        return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"

    @property
    def header(self) -> bytes:
        return self.line(self.header_data)

    def entry(self, type: str, id: str, parent: str | None, **fields: Any) -> bytes:
        stamp = "2026-01-02T03:04:05.678Z"
        return self.line({"type": type, "id": id, "parentId": parent, "timestamp": stamp, **fields})

    def message(
        self, id: str, parent: str | None, text: str = "x", role: str = "user", **fields: Any
    ) -> bytes:
        content = [{"type": "text", "text": text}]
        data = {"role": role, "content": content, **fields, "timestamp": 1}
        return self.entry("message", id, parent, message=data)

    def chain(self, count: int) -> list[bytes]:
        """Messages `e1`, `e2`, …, each the parent of the next."""
        return [
            self.message(f"e{n}", f"e{n - 1}" if n > 1 else None, f"text {n}") for n in range(1, count + 1)
        ]

    def names(self, count: int, start: int = 1) -> list[str]:
        return [f"e{n}" for n in range(start, count + 1)]

    def file(self, folder: Path, *lines: bytes, header: bytes | None = None, name: str = "x.jsonl") -> Path:
        path = folder / name
        path.write_bytes((self.header if header is None else header) + b"".join(lines))
        return path

    def entries(self, path: Path) -> list[dict[str, Any]]:
        """The entries of a file in which every line must parse."""
        return [json.loads(each) for each in path.read_bytes().splitlines()[1:]]

    def ids(self, session: SessionFile) -> list[str]:
        """The branch of a session."""
        return [entry.id for entry in session.tree.branch()]


@pytest.fixture(scope="session")
def build() -> Build:
    return Build()


@pytest.fixture
def session(tmp_path: Path) -> SessionFile:
    """A new session with a model, a question and an answer, written to its file."""
    made = SessionFile.create(tmp_path / "sessions", "/w")
    made.append(ModelChangeEntry("mock", "mock-chat"))
    made.append(MessageEntry(UserMessage(content=[TextContent("hello")], timestamp=1)))
    made.append(MessageEntry(AssistantMessage(content=[TextContent("hi")], stop_reason="stop", timestamp=2)))
    made.flush()
    return made
