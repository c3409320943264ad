"""Output in bounded memory: what is shown equals what would be shown of the whole."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.coding.tools.bash import output as output_module
from pi_term.coding.tools.bash.output import OutputLog
from pi_term.coding.tools.truncate import truncate_tail

BITS = [
    b"x" * 30_000,
    b"y" * 51_190,
    b"short\n",
    b"\n" * 700,
    "中é😀".encode() * 9000,
    b"\xff" * 20_000,
    b"\xe4\xb8",
]


@given(st.lists(st.sampled_from(BITS), max_size=9), st.integers(1, 70_000))
@settings(max_examples=60, deadline=None)
def test_what_is_shown_is_the_tail_of_all(bits: list[bytes], chunk: int) -> None:
    data = b"".join(bits)
    with tempfile.TemporaryDirectory() as folder:
        log = OutputLog(Path(folder))
        for start in range(0, len(data), chunk):
            assert log.add(data[start : start + chunk])
        found = log.close()
        whole = truncate_tail(data.decode("utf-8", "replace"))
        assert found.shown.content == whole.content
        assert found.shown.truncated == whole.truncated
        assert found.shown.truncated_by == whole.truncated_by
        assert found.shown.total_lines == whole.total_lines
        assert found.shown.last_line_partial == whole.last_line_partial
        assert (found.path is not None) == whole.truncated
        if found.path is not None:
            assert found.path.read_bytes() == data


def test_what_comes_after_the_end_is_dropped(tmp_path: Path) -> None:
    log = OutputLog(tmp_path)
    log.add(b"one\n" * 3000)
    found = log.close()
    assert not log.add(b"two\n")
    assert found.path is not None
    assert found.path.stat().st_size == 12_000


def test_a_character_that_is_still_coming_is_not_shown_yet(tmp_path: Path) -> None:
    log = OutputLog(tmp_path)
    log.add("a中".encode()[:-1])
    assert log.so_far().text() == "a"
    log.add("中".encode()[-1:])
    assert log.so_far().text() == "a中"


def test_the_file_holds_the_beginning_up_to_its_limit_and_the_note_says_so(tmp_path: Path) -> None:
    log = OutputLog(tmp_path, max_file_bytes=100_000)
    for _ in range(50):
        log.add(b"0123456789\n" * 500)
    found = log.close()
    assert found.path is not None
    assert found.path.stat().st_size == 100_000
    assert "(only its first 97.7KB)]" in found.text()
    assert found.shown.total_bytes == 275_000


def test_a_full_disk_is_told_and_nothing_else_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(output_module, "write_all", fail)
    log = OutputLog(tmp_path)
    log.add(b"line\n" * 3000)
    log.add(b"more\n" * 3000)
    assert "(incomplete: No space left on device)]" in log.close().text()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = OutputLog(tmp_path / "file" / "temp")
    log.add(b"line\n" * 3000)
    found = log.close()
    assert found.path is None
    assert "The full output was not kept: Not a directory]" in found.text()
    assert "fullOutputPath" not in (found.details() or {})
