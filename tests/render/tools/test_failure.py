"""The first row tells failures apart."""

from __future__ import annotations

import pytest

from pi_term.render.tools.failure import failure_of, parted


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("out\n\nCommand exited with code 2", "exit 2"),
        ("Command exited with code -1", "exit -1"),
        ("out\n\nCommand killed by SIGKILL, exited with code 137", "SIGKILL (exit 137)"),
        ("out\n\nCommand timed out after 2.5 seconds", "timed out after 2.5 s"),
        ("out\n\nCommand aborted", "aborted"),
        ("Operation aborted", "aborted"),
        ("Request was aborted", "aborted"),
        ("Cannot read a.py: no such file or directory.", "not found"),
        ("ENOENT: no such file or directory, access 'a'", "not found"),
        ("Path not found: src", "not found"),
        ("Cannot write a/b: permission denied", "permission denied"),
        ("Cannot write a/b: no space left on device", "disk full"),
        ("Cannot write a/b: read-only file system", "read-only"),
        ("Cannot read src: it is a directory.", "is a directory"),
        ("Cannot read pipe: it is not a regular file.", "wrong kind of file"),
        ("Offset 99 is past the end of the file, which has 3 lines.", "past the end"),
        ("Offset 99 is beyond end of file (3 lines total)", "past the end"),
        ("oldText was not found in a.py. It must repeat the file's text exactly", "no match"),
        ("Could not find the exact text in a.py.", "no match"),
        ("edits[1].oldText is in a.py 3 times (at lines 1, 2, 3). It must be unique", "not unique"),
        ("Found 3 occurrences of the text in a.py.", "not unique"),
        ("edits[0] and edits[1] overlap in a.py (at line 3). Make them one edit.", "edits overlap"),
        ("Invalid arguments: path is missing.", "bad arguments"),
        ("The arguments of edit are incomplete or not a JSON object. Received: {", "bad arguments"),
        ("Tool deploy not found. Available: read.", "no such tool"),
        ("Tool call was not run: the answer hit its output limit, so", "not run: answer cut off"),
        ("Something else went wrong", ""),
        ("", ""),
    ],
)
def test_what_a_failure_is_called(text: str, label: str) -> None:
    assert failure_of(text).label == label


def test_being_called_off_is_no_fault() -> None:
    assert failure_of("Command aborted").called_off
    assert not failure_of("Command exited with code 1").called_off


def test_output_that_speaks_of_failures_does_not_count() -> None:
    text = "Command exited with code 9\nall is well\n" + "x\n" * 300 + "\nCommand exited with code 1"
    assert failure_of(text).label == "exit 1"


def test_a_status_is_the_last_paragraph() -> None:
    assert parted("a\nb\n\nCommand exited with code 1") == ("a\nb", "Command exited with code 1")
    assert parted("Command exited with code 1") == ("", "Command exited with code 1")
    assert parted("a\nb") == ("a\nb", "")
    assert parted("a\n\n" + "b" * 300) == ("a\n\n" + "b" * 300, "")
    assert parted("") == ("", "")
