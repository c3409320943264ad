"""Session files for the tests of this folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.messages import AssistantMessage, TextContent, UserMessage
from pi_term.coding.session import MessageEntry, ModelChangeEntry, SessionFile

HEADER = {"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-01-02T03:04:05.678Z", "cwd": "/w"}


def line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def message(id: str, parent: str | None, text: str, role: str = "user") -> bytes:
    """A stored message entry as Pi writes it."""
    content = [{"type": "text", "text": text}]
    return line(
        {
            "type": "message",
            "id": id,
            "parentId": parent,
            "timestamp": "2026-01-02T03:04:05.678Z",
            "message": {"role": role, "content": content, "timestamp": 1},
        }
    )


def chain(count: int, start: int = 1) -> list[bytes]:
    """Messages `e1`, `e2`, …, each the parent of the next."""
    return [
        message(f"e{n}", f"e{n - 1}" if n > 1 else None, f"text {n}") for n in range(start, start + count)
    ]


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., Path]:
    """Writes a session file of the given lines behind a header; returns its path."""

    def write(*lines: bytes, header: bytes | None = None, name: str = "session.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes((line(HEADER) if header is None else header) + b"".join(lines))
        return path

    return write


@pytest.fixture
def session(tmp_path: Path) -> SessionFile:
    """A new session with a model, a question and an answer, written to its file."""
    made = SessionFile.create(tmp_path / "sessions", "/w")
    made.append(ModelChangeEntry("mock", "mock-chat"))
    made.append(MessageEntry(UserMessage(content=[TextContent("hello")], timestamp=1)))
    made.append(MessageEntry(AssistantMessage(content=[TextContent("hi")], stop_reason="stop", timestamp=2)))
    made.flush()
    return made


def file_entries(path: Path) -> list[dict[str, Any]]:
    """All entries of a file whose every line must parse, without the header."""
    return [json.loads(each) for each in path.read_bytes().splitlines()[1:]]


def ids(session: SessionFile) -> list[str]:
    return [entry.id for entry in session.tree.branch()]
