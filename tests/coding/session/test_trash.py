"""Deleting sessions, into the trash where there is one."""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path
from typing import Any

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.session import delete_session, trash


@pytest.fixture(autouse=True)
def commands(tmp_path: Path, monkeypatch: Any) -> Path:
    """The only folder on PATH, empty."""
    folder = tmp_path / "commands"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def path(tmp_path: Path, build: Any) -> Path:
    folder = tmp_path / "--sessions--"
    folder.mkdir()
    return Path(build.file(folder, *build.chain(2), name="-rf ; touch x.jsonl"))


def install(folder: Path, name: str, script: str) -> Path:
    """A command that notes its arguments, one a line, and runs `script`; returns the notes."""
    notes = folder / f"{name}.notes"
    command = folder / name
    command.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {shlex.quote(str(notes))}\n{script}\n")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return notes


def moving(folder: Path) -> str:
    return f'for last; do :; done; /bin/mv -- "$last" {shlex.quote(str(folder))}/trashed'


class TestTrash:
    @pytest.mark.parametrize(
        ("name", "before"), [("trash", []), ("trash-put", []), ("gio", ["trash"])], ids=str
    )
    def test_by_each_command(self, commands: Path, path: Path, name: str, before: list[str]) -> None:
        content = path.read_bytes()
        notes = install(commands, name, moving(commands))
        assert delete_session(path) == "trashed"
        assert not path.exists()
        assert (commands / "trashed").read_bytes() == content
        assert notes.read_text().splitlines() == [*before, str(path)]

    def test_a_name_like_an_option(self, commands: Path, path: Path, monkeypatch: Any) -> None:
        """No command takes it for one, and no shell reads it."""
        notes = install(commands, "trash", moving(commands))
        monkeypatch.chdir(path.parent)
        assert delete_session(Path(path.name)) == "trashed"
        assert notes.read_text().splitlines() == [str(path)]
        assert os.listdir(path.parent) == []

    def test_the_next_command_when_one_fails(self, commands: Path, path: Path) -> None:
        install(commands, "trash", "exit 1")
        install(commands, "trash-put", "exit 0")  # says so, but did nothing
        install(commands, "gio", moving(commands))
        assert delete_session(path) == "trashed"

    def test_removed_when_none_works(self, commands: Path, path: Path) -> None:
        install(commands, "trash", "exit 1")
        (commands / "gio").write_text("no program")
        (commands / "gio").chmod(0o700)
        assert delete_session(path) == "removed"
        assert not path.exists()

    def test_removed_when_there_is_none(self, path: Path) -> None:
        assert delete_session(path) == "removed"
        assert not path.exists()

    def test_a_command_that_hangs(self, commands: Path, path: Path, monkeypatch: Any) -> None:
        monkeypatch.setattr(trash, "_SECONDS", 0.2)
        install(commands, "trash", "exec /bin/sleep 100")
        assert delete_session(path) == "removed"

    def test_a_link_is_deleted_but_not_what_it_leads_to(self, path: Path) -> None:
        link = path.with_name("link.jsonl")
        link.symlink_to(path)
        assert delete_session(link) == "removed"
        assert path.exists()
        assert not link.is_symlink()

    def test_a_way_back_out_of_a_link(self, commands: Path, path: Path, build: Any) -> None:
        """`link/..` is where the link leads to, not where it lies."""
        notes = install(commands, "gio", moving(commands))
        (path.parent / "inner").mkdir()
        link = commands.parent / "link"
        link.symlink_to(path.parent / "inner")
        bystander = build.file(commands.parent, name=path.name)
        assert delete_session(link / ".." / path.name) == "trashed"
        assert notes.read_text().splitlines() == ["trash", str(path)]
        assert bystander.exists()


class TestRefused:
    def refused(self, path: Path, **options: Any) -> PiTermError:
        with pytest.raises(PiTermError) as error:
            delete_session(path, **options)
        assert str(path) in error.value.message
        return error.value

    def test_the_open_session(self, commands: Path, path: Path) -> None:
        install(commands, "trash", moving(commands))
        link = path.with_name("link.jsonl")
        link.symlink_to(path)
        for spelled in (path, path.parent / ".." / path.parent.name / path.name, link):
            assert self.refused(path, open_session=spelled).code == "session_open"
        assert self.refused(link, open_session=path).code == "session_open"
        assert path.exists()

    def test_another_open_session_does_not_matter(self, path: Path, build: Any) -> None:
        other = build.file(path.parent, name="other.jsonl")
        assert delete_session(other, open_session=path) == "removed"
        assert delete_session(path, open_session=path.with_name("not yet stored.jsonl")) == "removed"

    @pytest.mark.parametrize(
        "content", ["", "# Notes\n", '{"type":"message"}\n', '{"type":"session","id":"x"}']
    )
    def test_what_is_no_session(self, path: Path, content: str) -> None:
        notes = path.with_name("notes.jsonl")
        notes.write_text(content)
        assert self.refused(notes).code == "not_a_session"
        assert notes.read_text() == content

    def test_folders_and_pipes(self, path: Path) -> None:
        pipe = path.with_name("pipe.jsonl")
        os.mkfifo(pipe)
        assert self.refused(pipe).code == self.refused(path.parent).code == "not_a_session"
        assert path.exists()
        assert pipe.exists()

    def test_what_is_not_there(self, path: Path) -> None:
        assert self.refused(path.with_name("none.jsonl")).code == "no_session"
        link = path.with_name("link.jsonl")
        link.symlink_to("nowhere")
        assert self.refused(link).code == "no_session"

    def test_what_cannot_be_deleted(self, path: Path, monkeypatch: Any) -> None:
        def refuse(*_: Any, **__: Any) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "unlink", refuse)
        error = self.refused(path)
        assert error.code == "not_deleted"
        assert "Permission denied" in error.message
