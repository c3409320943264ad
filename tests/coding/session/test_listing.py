"""The list of sessions that people choose from."""

from __future__ import annotations

import json
import os
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_term.base.abort import AbortError
from pi_term.coding.session import (
    SessionFile,
    SessionSummary,
    files_below,
    files_in,
    folder_for_cwd,
    list_sessions,
    read_summary,
    scan,
)


def summary(path: Path) -> SessionSummary:
    found = read_summary(path)
    assert found is not None
    return found


def ids(found: Any) -> list[str]:
    return [each.id for each in found]


@pytest.fixture
def put(tmp_path: Path, build: Any) -> Any:
    """Writes a session below `tmp_path` that was last used at `time`."""

    def write(id: str, cwd: str = "/w", time: int = 1, folder: Path | None = None) -> Path:
        folder = folder or folder_for_cwd(tmp_path, cwd)
        folder.mkdir(parents=True, exist_ok=True)
        header = build.line({**build.header_data, "id": id, "cwd": cwd})
        path = build.file(folder, *build.chain(2), header=header, name=f"2026-01-01T00-00-00-000Z_{id}.jsonl")
        os.utime(path, (time, time))
        return Path(path)

    return write


class TestFiles:
    def test_newest_first(self, tmp_path: Path, put: Any) -> None:
        paths = [put("a", time=300), put("b", time=400), put("c", time=200)]
        found = files_in(folder_for_cwd(tmp_path, "/w"))
        assert [file.path for file in found] == [paths[1], paths[0], paths[2]]
        assert (found[0].modified_ns, found[0].size) == (400_000_000_000, paths[1].stat().st_size)

    def test_over_all_folders(self, tmp_path: Path, put: Any) -> None:
        put("a", "/one", 300)
        put("b", "/two", 400)
        put("flat", "/three", 350, folder=tmp_path)
        assert ids(list_sessions(files_below(tmp_path))) == ["b", "flat", "a"]
        assert files_in(tmp_path / "--one--") + files_in(tmp_path) != files_below(tmp_path)

    def test_a_folder_reached_by_two_ways_counts_once(self, tmp_path: Path, put: Any) -> None:
        folder = put("a").parent
        (tmp_path / "again").symlink_to(folder)
        assert len(files_below(tmp_path)) == 1

    def test_no_folder(self, tmp_path: Path) -> None:
        assert files_in(tmp_path / "none") == files_below(tmp_path / "none") == []

    def test_the_content_is_not_read(self, tmp_path: Path, put: Any, monkeypatch: Any) -> None:
        path = put("a")
        monkeypatch.setattr("io.FileIO", None)
        monkeypatch.setattr("io.open", None)
        assert files_in(path.parent)[0].path == path


class TestSummary:
    def test_of_a_session(self, tmp_path: Path, build: Any) -> None:
        header = build.line({**build.header_data, "parentSession": "/old.jsonl"})
        path = build.file(
            tmp_path,
            build.message("e0", None, "You are…", role="system"),
            build.entry("model_change", "e1", "e0", provider="mock", modelId="m"),
            build.message("e2", "e1", "  What\n\tis this? "),
            build.message("e3", "e2", "A test.", role="assistant"),
            build.entry("session_info", "e4", "e3", name="first name"),
            build.message("e5", "e4", "more"),
            build.message("e6", "e5", "output", role="toolResult"),
            build.entry("session_info", "e7", "e6", name="last name"),
            header=header,
        )
        os.utime(path, ns=(0, 1_700_000_000_123_456_789))
        assert summary(path) == SessionSummary(
            path=path,
            id="s-1",
            cwd="/w",
            name="last name",
            created=1767323045678,
            modified=1_700_000_000_123,
            message_count=4,
            first_message="What is this?",
            parent_session="/old.jsonl",
            size=path.stat().st_size,
        )

    def test_of_an_empty_one(self, tmp_path: Path, build: Any) -> None:
        found = summary(build.file(tmp_path))
        assert (found.name, found.message_count, found.first_message) == (None, 0, "")

    def test_a_name_that_was_taken_away(self, tmp_path: Path, build: Any) -> None:
        given = build.entry("session_info", "e1", None, name="x")
        taken = build.entry("session_info", "e2", "e1")
        assert summary(build.file(tmp_path, given, taken)).name is None

    def test_a_long_first_message_is_cut(self, tmp_path: Path, build: Any) -> None:
        found = summary(build.file(tmp_path, build.message("e1", None, "wörd " * 10_000)))
        assert len(found.first_message) == 200
        assert found.first_message.startswith("wörd wörd")
        assert found.first_message.endswith("…")

    def test_a_picture_alone_is_no_first_message(self, tmp_path: Path, build: Any) -> None:
        picture = {"role": "user", "content": [{"type": "image", "data": "QUJD", "mimeType": "image/png"}]}
        path = build.file(
            tmp_path, build.entry("message", "e1", None, message=picture), build.message("e2", "e1", "see?")
        )
        assert (summary(path).first_message, summary(path).message_count) == ("see?", 2)

    def test_the_oldest_format(self, tmp_path: Path, build: Any) -> None:
        header = {"type": "session", "id": "old", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/w"}
        lines = [
            {"type": "message", "timestamp": "t", "message": {"role": "user", "content": "hello"}},
            {"type": "message", "timestamp": "t", "message": {"role": "assistant", "content": []}},
        ]
        found = summary(build.file(tmp_path, *map(build.line, lines), header=build.line(header)))
        assert (found.id, found.message_count, found.first_message) == ("old", 2, "hello")

    def test_version_2(self, tmp_path: Path, build: Any) -> None:
        header = build.line({**build.header_data, "version": 2})
        assert summary(build.file(tmp_path, *build.chain(3), header=header)).message_count == 3

    def test_other_key_order_and_line_ends(self, tmp_path: Path, build: Any) -> None:
        entry = json.loads(build.message("e1", None, "hi"))
        turned = json.dumps(dict(reversed(entry.items()))).encode() + b"\r\n\r\n"
        path = build.file(tmp_path, turned, build.message("e2", "e1").replace(b"\n", b"\r\n"))
        assert (summary(path).message_count, summary(path).first_message) == (2, "hi")

    def test_a_torn_end(self, tmp_path: Path, build: Any) -> None:
        """B-028, in the picker."""
        path = build.file(tmp_path, *build.chain(200), b'{"type":"message","id":"ab')
        assert summary(path).message_count == 200

    def test_damage_in_the_middle(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(100)
        lines[39] = lines[39][:40] + b"\n"
        lines[59] = lines[59].rstrip(b"\n")  # glued to the next
        assert summary(build.file(tmp_path, *lines)).message_count == 99

    @pytest.mark.parametrize("stamp", ["yesterday", "", 5, None, "9999-99-99T00:00:00Z"])
    def test_a_time_that_is_none(self, tmp_path: Path, build: Any, stamp: Any) -> None:
        path = build.file(tmp_path, header=build.line({**build.header_data, "timestamp": stamp}))
        os.utime(path, (7, 7))
        assert summary(path).created == 7000

    def test_a_message_like_an_entry_is_one_message(self, tmp_path: Path, build: Any) -> None:
        quoted = build.message("e9", "e8", "inner").decode()
        assert summary(build.file(tmp_path, build.message("e1", None, quoted))).message_count == 1


class TestPassedOver:
    def test_what_is_no_session(self, tmp_path: Path, put: Any) -> None:
        folder = put("a").parent
        (folder / "empty.jsonl").touch()
        (folder / "notes.jsonl").write_text("# Notes\n")
        (folder / "data.jsonl").write_text('{"type":"message"}\n')
        (folder / "damaged.jsonl").write_text('{"type":"session","id":"b\n')
        (folder / "folder.jsonl").mkdir()
        (folder / "gone.jsonl").symlink_to("nowhere")
        (folder / "notes.txt").write_text("x")
        os.mkfifo(folder / "pipe.jsonl")
        assert ids(list_sessions(files_in(folder))) == ["a"]
        assert read_summary(folder / "pipe.jsonl") is None
        assert read_summary(folder / "none.jsonl") is None

    def test_a_file_that_is_deleted_meanwhile(self, put: Any) -> None:
        paths = [put("a", time=2), put("b", time=1)]
        files = files_in(paths[0].parent)
        paths[0].unlink()
        assert ids(list_sessions(files)) == ["b"]

    def test_sessions_of_other_directories(self, tmp_path: Path, put: Any) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to("real")
        flat = tmp_path / "flat"
        put("real", str(tmp_path / "real"), 5, flat)
        put("link", str(tmp_path / "link"), 4, flat)
        put("none", "", 3, flat)
        put("other", "/other", 2, flat)
        put("impossible", "a\0b", 1, flat)
        found = ids(list_sessions(files_in(flat), cwd=tmp_path / "link"))
        assert found == ["real", "link", "none"]
        assert len(ids(list_sessions(files_in(flat)))) == 5


class TestLazily:
    def test_one_file_at_a_time(self, put: Any, monkeypatch: Any) -> None:
        paths = [put(f"s{number}", time=number) for number in range(20)]
        opened: list[Path] = []
        blocks = scan.blocks
        monkeypatch.setattr(
            "pi_term.coding.session.digest.blocks", lambda path, _: opened.append(path) or blocks(path)
        )
        found = list_sessions(files_in(paths[0].parent))
        assert next(found).id == "s19"
        assert len(opened) == 1

    def test_called_off_between_files(self, put: Any) -> None:
        paths = [put(f"s{number}", time=number) for number in range(5)]
        seen: list[str] = []
        found = list_sessions(files_in(paths[0].parent), wanted=lambda: len(seen) < 2)
        with pytest.raises(AbortError):
            seen.extend(each.id for each in found)
        assert seen == ["s4", "s3"]

    def test_called_off_within_a_file(self, tmp_path: Path, build: Any) -> None:
        path = build.file(tmp_path, *(build.message(f"e{n}", None, "x" * 100_000) for n in range(30)))
        asked: list[None] = []

        def wanted() -> bool:
            asked.append(None)
            return len(asked) < 4

        with pytest.raises(AbortError):
            read_summary(path, wanted=wanted)
        assert len(asked) == 4

    @pytest.mark.parametrize("role", ["user", "assistant"])
    def test_a_huge_message_is_not_loaded(self, tmp_path: Path, build: Any, role: str) -> None:
        text = "huge wörds " * 3_000_000
        path = build.file(
            tmp_path, build.message("e1", None, text, role), build.message("e2", "e1", "small"), *[b"\n"]
        )
        del text
        tracemalloc.start()
        found = summary(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found.message_count == 2
        assert found.first_message.startswith("huge wörds huge" if role == "user" else "small")
        assert peak < 12_000_000

    def test_a_huge_message_in_another_key_order(self, tmp_path: Path, build: Any) -> None:
        entry = json.loads(build.message("e1", None, "long " * 400_000))
        entry["message"]["details"] = {"role": "system", "content": "no"}
        turned = json.dumps(dict(reversed(entry.items()))).encode() + b"\n"
        found = summary(build.file(tmp_path, turned, turned[:-20]))
        assert (found.message_count, found.first_message[:9]) == (1, "long long")


_LINES = st.one_of(
    st.tuples(st.sampled_from(["user", "assistant", "toolResult", "system"]), st.text(max_size=30)),
    st.tuples(st.just("name"), st.text(max_size=10)),
    st.tuples(st.just("turned"), st.text(max_size=10)),
    st.tuples(st.just("raw"), st.sampled_from(["", "garbage", "{}", "[1]", '{"type":5}', '{"a":', "\xa0"])),
)
_DAMAGE = st.sampled_from(["", "", "", "cut", "glue", "crlf"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(_LINES, _DAMAGE, st.integers(1, 200)), max_size=12), st.integers(1, 300))
def test_it_counts_what_the_opened_session_holds(
    build: Any, monkeypatch: Any, lines: list[Any], piece: int
) -> None:
    """Whatever happened to the file, in whatever pieces it is read."""
    data = b"".join(_written(build, number, *line) for number, line in enumerate(lines))
    monkeypatch.setattr(scan, "_PIECE", piece)
    with tempfile.TemporaryDirectory() as folder:
        path = build.file(Path(folder), data)
        found = summary(path)
        session = SessionFile.open(path)
        messages = [entry for entry in session.tree.entries if entry.type == "message" and not entry.damaged]
        texts = [
            " ".join(entry.data["message"]["content"][0]["text"].split())
            for entry in messages
            if entry.role == "user"
        ]
        assert found.message_count == sum(entry.role != "system" for entry in messages)
        assert found.first_message == next(filter(None, texts), "")
        assert found.name == session.tree.name
        session.close()


def _written(build: Any, number: int, what: tuple[str, str], damage: str, at: int) -> bytes:
    kind, text = what
    id, parent = f"e{number}", f"e{number - 1}" if number else None
    if kind == "raw":
        line = text.encode() + b"\n"
    elif kind == "name":
        line = build.entry("session_info", id, parent, name=text)
    elif kind == "turned":
        line = build.line(dict(reversed(json.loads(build.message(id, parent, text)).items())))
    else:
        line = build.message(id, parent, text, kind)
    if damage == "cut":
        return bytes(line[:at].rstrip(b"}\n")) + b"\n"
    return bytes({"glue": line.rstrip(b"\n"), "crlf": line.replace(b"\n", b"\r\n")}.get(damage, line))
