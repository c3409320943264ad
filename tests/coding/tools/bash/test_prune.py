"""Old files of full output."""

from __future__ import annotations

import os
import time
from pathlib import Path

from pi_term.coding.tools.bash.output import OutputLog
from pi_term.coding.tools.bash.prune import KEPT_DAYS, prune_outputs

LONG_AGO = time.time() - (KEPT_DAYS + 1) * 24 * 60 * 60


def aged(path: Path) -> Path:
    os.utime(path, (LONG_AGO, LONG_AGO), follow_symlinks=False)
    return path


def kept_output(folder: Path) -> Path:
    log = OutputLog(folder)
    log.add(b"line\n" * 3000)
    path = log.close().path
    assert path is not None
    return path


def test_only_old_outputs_go(tmp_path: Path) -> None:
    old, new = aged(kept_output(tmp_path)), kept_output(tmp_path)
    other = tmp_path / "notes.log"
    other.write_text("mine")
    aged(other)
    assert prune_outputs(tmp_path) == 1
    assert not old.exists()
    assert new.exists()
    assert other.exists()


def test_links_folders_and_files_of_others_stay(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("keep")
    link = tmp_path / "pi-term-bash-link.log"
    link.symlink_to(precious)
    folder = tmp_path / "pi-term-bash-folder.log"
    folder.mkdir()
    for path in (precious, link, folder):
        aged(path)
    if os.getuid() == 0:
        foreign = kept_output(tmp_path)
        os.chown(foreign, 12345, 12345)
        aged(foreign)
    before = sorted(tmp_path.iterdir())
    assert prune_outputs(tmp_path) == 0
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_is_not_there_is_no_trouble(tmp_path: Path) -> None:
    assert prune_outputs(tmp_path / "missing") == 0
