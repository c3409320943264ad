"""Looking for a pattern: what is found, what is no pattern, and that none can hold anything up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_term.ai.messages import AssistantMessage, ImageContent, TextContent, UserMessage
from pi_term.base.abort import AbortError
from pi_term.base.errors import PiTermError
from pi_term.coding.pattern_search import matching, pattern_of, search_sessions_by_pattern
from pi_term.coding.session import MessageEntry, SessionFile, SessionInfoEntry, files_in


def find(pattern: str, *texts: str) -> list[tuple[int, str, str, str]]:
    return list(matching(pattern, enumerate(texts), lambda: True))


def test_a_query_that_is_a_pattern() -> None:
    assert pattern_of(" re: a+ ") == "a+"
    assert pattern_of("re:") == ""
    assert pattern_of("are: a") is None


def test_what_is_found_and_what_stands_around_it() -> None:
    texts = ["Nothing", "the WALRUS,\n\tasleep", "é walrus\0 asleep", "walrus"]
    assert find(r"walrus,?\s+a", *texts) == [
        (1, "the ", "WALRUS, a", "sleep"),
        (2, "é ", "walrus a", "sleep"),
    ]
    (hit,) = find("b", "a" * 500 + "b" + "c" * 500)
    assert hit == (0, "…" + "a" * 60, "b", "c" * 60 + "…")
    assert find("", "a") == []
    assert find("x", "\ud800x") == [(0, "\ufffd", "x", "")]


@pytest.mark.parametrize("pattern", ["a(b", "[", "*"])
def test_what_is_no_pattern_is_told(pattern: str) -> None:
    with pytest.raises(PiTermError, match="No pattern: ") as caught:
        find(pattern, "text")
    assert caught.value.code == "bad_pattern"


def test_an_unlucky_pattern_costs_nothing() -> None:
    start = time.monotonic()
    assert find("(a+)+$", "a" * 50_000 + "b") == []
    assert time.monotonic() - start < 60, "a hang, not a measurement"


def test_it_ends_when_nobody_wants_it_any_more() -> None:
    def endless() -> Iterator[tuple[int, str]]:
        number = 0
        while True:
            yield number, "walrus"
            number += 1

    left = iter([True] * 50 + [False] * 10_000)
    with pytest.raises(AbortError):
        list(matching("nothing", endless(), lambda: next(left, False)))
    found = matching("walrus", endless(), lambda: True)
    assert next(found)[0] == 0
    found.close()  # type: ignore[attr-defined]


def test_what_goes_wrong_with_the_texts_is_raised() -> None:
    def broken() -> Iterator[tuple[int, str]]:
        yield 0, "walrus"
        raise ValueError("broken text")

    with pytest.raises(ValueError, match="broken text"):
        list(matching("walrus", broken(), lambda: True))


def test_sessions(tmp_path: Path) -> None:
    file = SessionFile.create(tmp_path, tmp_path / "work", id="one")
    asked = file.add(
        MessageEntry(UserMessage([TextContent("issue 451?"), ImageContent("A" * 2_000_000, "image/png")]))
    )
    file.add(
        MessageEntry(
            AssistantMessage([TextContent("No, issue 452."), TextContent("issue 453")], stop_reason="stop")
        )
    )
    file.add(SessionInfoEntry(name="issue 99"))
    file.flush()
    file.close()

    def search(pattern: str, cwd: Path | None = None) -> list[tuple[str | None, str, str]]:
        hits = search_sessions_by_pattern(
            files_in(tmp_path), pattern, cwd=cwd, most_per_session=2, wanted=lambda: True
        )
        return [(hit.entry_id, hit.role, hit.match) for hit in hits]

    assert search(r"issue \d{3}\b")[0] == (asked.id, "user", "issue 451")
    assert [role for _, role, _ in search(r"issue \d+")] == ["user", "assistant"]
    assert [role for _, role, _ in search(r"^issue \d\d$")] == ["session_info"]
    assert search(r"issue", tmp_path / "other") == []
