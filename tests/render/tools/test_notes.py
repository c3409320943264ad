"""What `read` says about a file is not taken for its text, nor its text for a note."""

from __future__ import annotations

import pytest

from pi_term.render.tools.notes import read_text


@pytest.mark.parametrize(
    ("note", "total"),
    [
        ("[Showing lines 1-2 of 5000. Use offset=3 to continue.]", "5,000"),
        ("[Showing lines 1-2 of more than 5000 (50.0KB limit). Use offset=3 to continue.]", "5,000+"),
        ("[12 more lines in file. Use offset=3 to continue.]", "14"),
        ("[More than 1200 more lines in file. Use offset=3 to continue.]", "1,202+"),
        ("[The file is UTF-16. edit keeps that; write would make it UTF-8.]", ""),
        ("[Not UTF-8: bytes that are no text are shown as \ufffd. edit keeps them]", ""),
    ],
)
def test_notes(note: str, total: str) -> None:
    told = read_text(f"a\nb\n\n{note}")
    assert told.text == "a\nb"
    assert told.notes == (note,)
    assert told.total(2) == total


def test_several_notes() -> None:
    first, second = (
        "[12 more lines in file. Use offset=3 to continue.]",
        "[The file is UTF-16. edit keeps that.]",
    )
    assert read_text(f"a\n\n{first}\n{second}").notes == (first, second)
    assert read_text(first).text == ""


@pytest.mark.parametrize(
    "text",
    [
        "a\n\n[section]",
        "a\n\n[Showing off]",
        "[12 more lines in file. x]\n\nmore",
        "a [12 more lines in file]",
        "",
    ],
)
def test_a_file_may_end_in_brackets(text: str) -> None:
    assert read_text(text) == (text, ())
