"""Sessions of the formats 1 and 2 become ones of version 3 when they are opened."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.messages import UserMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.messages import CompactionSummaryMessage, CustomMessage
from pi_term.coding.session import MessageEntry, SessionFile, build_context
from pi_term.coding.session.entries import SessionHeader
from pi_term.coding.session.locate import latest_for_cwd, read_head
from pi_term.coding.session.migrate import upgraded

STAMP = "2025-11-20T23:33:01.550Z"
REAL = Path(__file__).parents[4] / "shared" / "data" / "session-v1-long.jsonl"


def line(type: str, **fields: Any) -> bytes:
    return json.dumps({"type": type, "timestamp": STAMP, **fields}, separators=(",", ":")).encode() + b"\n"


def said(text: str, role: str = "user", **fields: Any) -> bytes:
    return line("message", message={"role": role, "content": text, "timestamp": 1, **fields})


HEADER = line("session", id="s-1", cwd="/w", provider="p", modelId="m", thinkingLevel="off", odd={"a": [1]})


def write(folder: Path, *lines: bytes, name: str = "x.jsonl") -> Path:
    path = folder / name
    path.write_bytes(b"".join(lines))
    return path


def texts(session: SessionFile) -> list[str]:
    return [
        message.summary if isinstance(message, CompactionSummaryMessage) else str(message.content)  # type: ignore[union-attr]
        for message in build_context(session.tree).messages
    ]


class TestVersionOne:
    def test_entries_get_ids_and_each_the_one_before_as_its_parent(self, tmp_path: Path) -> None:
        path = write(tmp_path, HEADER, said("a"), line("model_change", provider="p", modelId="m"), said("b"))
        session = SessionFile.open(path)
        header, *entries = [json.loads(each) for each in path.read_bytes().splitlines()]
        assert header == {**json.loads(HEADER), "version": 3}
        ids = [entry["id"] for entry in entries]
        assert all(len(id) == 8 and int(id, 16) >= 0 for id in ids)
        assert len(set(ids)) == 3
        assert [entry["parentId"] for entry in entries] == [None, *ids[:-1]]
        assert texts(session) == ["a", "b"]
        assert (session.header.version, session.header.cwd) == (3, "/w")
        assert [entry.id for entry in session.tree.branch()] == ids

    def test_everything_else_stays_byte_for_byte(self, tmp_path: Path) -> None:
        odd = [
            b'{"type":"message" ,"timestamp":"t",  "message":{"role":"user","content":"\\ud800"}, "x":1.5}\n',
            b'{"type":"future","big":123456789012345678901234567890,"keep":[ 1 ,2 ]}\r\n',
            b'{"type":"message","message":{"role":"user","content":"raw \xff bytes"}}\n',
        ]
        path = write(
            tmp_path, HEADER, *odd, b"{broken\n", b"\n", b'{"no":"type"}\n', b"[1]\n", b'{"type":"to'
        )
        SessionFile.open(path)
        new = path.read_bytes().split(b"\n")
        for before, after in zip(odd, new[1:4], strict=True):
            start, added, rest = after.partition(b'"id":')
            assert start + rest.partition(b",")[2].partition(b",")[2] == before.rstrip(b"\n")
            assert added
        assert new[4:] == [b"{broken", b"", b'{"no":"type"}', b"[1]", b'{"type":"to']

    def test_the_old_file_is_kept_beside_and_no_file_is_overwritten(self, tmp_path: Path) -> None:
        path = write(tmp_path, HEADER, said("a"))
        path.chmod(0o644)
        os.utime(path, (1_000_000_000, 1_000_000_000))
        before = path.read_bytes()
        (tmp_path / "x.jsonl.v1").write_text("mine")
        session = SessionFile.open(path)
        assert (tmp_path / "x.jsonl.v1").read_text() == "mine"
        assert (tmp_path / "x.jsonl.v1-2").read_bytes() == before
        assert sorted(each.name for each in tmp_path.iterdir()) == ["x.jsonl", "x.jsonl.v1", "x.jsonl.v1-2"]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.stat().st_mtime == 1_000_000_000
        (notice,) = session.diagnostics
        assert (notice.severity, notice.file) == ("info", path)
        assert "x.jsonl.v1-2" in notice.message

    def test_one_that_was_killed_on_the_way_begins_anew(self, tmp_path: Path) -> None:
        path = write(tmp_path, HEADER, said("a"))
        os.link(path, tmp_path / "x.jsonl.v1")
        assert texts(SessionFile.open(path)) == ["a"]
        assert sorted(each.name for each in tmp_path.iterdir()) == ["x.jsonl", "x.jsonl.v1"]
        assert b'"version"' not in (tmp_path / "x.jsonl.v1").read_bytes()

    def test_opened_again_nothing_more_happens(self, tmp_path: Path) -> None:
        path = write(tmp_path, HEADER, said("a"), said("b"))
        SessionFile.open(path)
        once = path.read_bytes()
        again = SessionFile.open(path)
        assert path.read_bytes() == once
        assert again.diagnostics == []
        assert len(list(tmp_path.iterdir())) == 2

    def test_it_goes_on(self, tmp_path: Path, build: Any) -> None:
        path = write(tmp_path, HEADER, said("a"), said("b"))
        session = SessionFile.open(path)
        session.append(MessageEntry(UserMessage(content="c")))
        session.tree.leaf = session.tree.get(session.tree.entries[0].id)
        session.append(MessageEntry(UserMessage(content="d")))
        assert texts(SessionFile.open(path)) == ["a", "d"]
        assert len(build.entries(path)) == 4

    def test_looking_at_the_head_does_not_migrate(self, tmp_path: Path) -> None:
        path = write(tmp_path, HEADER, said("a"))
        before = path.read_bytes()
        head = read_head(path)
        assert head is not None
        assert head.version == 1
        assert latest_for_cwd(tmp_path, "/w") == path
        assert path.read_bytes() == before

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        target = write(tmp_path / "elsewhere", HEADER, said("a"))
        link = tmp_path / "link.jsonl"
        link.symlink_to(target)
        assert texts(SessionFile.open(link)) == ["a"]
        assert link.is_symlink()
        assert b'"version":3' in target.read_bytes()
        assert (tmp_path / "elsewhere" / "x.jsonl.v1").exists()

    @pytest.mark.parametrize(
        ("index", "kept"),
        [
            (1, ["a", "b"]),
            (2, ["b"]),
            (2.0, ["b"]),
            (0, []),
            (99, []),
            (-1, []),
            ("2", []),
            (None, []),
            (True, []),
            (1.5, []),
        ],
    )
    def test_what_a_compaction_kept(self, tmp_path: Path, index: Any, kept: list[str]) -> None:
        """As Pi 1.6.0 counts: the header is number 0, lines that cannot be decoded have none."""
        compaction = line("compaction", summary="S", firstKeptEntryIndex=index, tokensBefore=10, mine=1.0)
        path = write(tmp_path, HEADER, said("a"), b"{broken\n", b"\n", said("b"), compaction, said("c"))
        session = SessionFile.open(path)
        assert texts(session) == ["S", *kept, "c"]
        stored = path.read_bytes().splitlines()[5]
        assert b'"mine":1.0' in stored
        assert (b"firstKeptEntryIndex" in stored) == (type(index) not in (int, float))

    def test_messages_of_extensions(self, tmp_path: Path) -> None:
        hook = said("hooked", "hookMessage", customType="x", display=True, details={"role": "hookMessage"})
        other = said("hookMessage")
        path = write(tmp_path, HEADER, hook, other)
        session = SessionFile.open(path)
        assert texts(session) == ["hooked", "hookMessage"]
        custom = build_context(session.tree).messages[0]
        assert isinstance(custom, CustomMessage)
        assert (custom.custom_type, custom.details) == ("x", {"role": "hookMessage"})

    def test_entries_that_are_linked_already_stay_as_they_are(self, tmp_path: Path) -> None:
        def linked(id: str, parent: str | None) -> bytes:
            return line("message", id=id, parentId=parent, message={"role": "user", "content": id})

        path = write(tmp_path, HEADER, linked("x", None), linked("y", "x"), linked("z", "x"), said("after z"))
        session = SessionFile.open(path)
        assert texts(session) == ["x", "z", "after z"]
        assert path.read_bytes().splitlines()[1:4] == [
            each.rstrip(b"\n") for each in (linked("x", None), linked("y", "x"), linked("z", "x"))
        ]

    def test_an_id_without_a_parent_is_none(self, tmp_path: Path) -> None:
        odd = line("message", id=5, message={"role": "user", "content": "a"})
        path = write(tmp_path, HEADER, odd, said("b"))
        assert texts(SessionFile.open(path)) == ["a", "b"]
        entries = [json.loads(each) for each in path.read_bytes().splitlines()[1:]]
        assert entries[1]["parentId"] == entries[0]["id"] != 5

    @pytest.mark.parametrize("version", [1, None, 0])
    def test_ways_to_write_the_version(self, tmp_path: Path, version: Any) -> None:
        path = write(tmp_path, line("session", version=version, id="s", cwd="/w"), said("a"))
        session = SessionFile.open(path)
        assert session.header.version == 3
        assert json.loads(path.read_bytes().splitlines()[0])["version"] == 3
        assert texts(session) == ["a"]

    def test_a_byte_order_mark_and_other_line_ends(self, tmp_path: Path) -> None:
        path = write(
            tmp_path, b"\xef\xbb\xbf" + HEADER.replace(b"\n", b"\r\n"), said("a").replace(b"\n", b"\r\n")
        )
        assert texts(SessionFile.open(path)) == ["a"]
        assert path.read_bytes().count(b"\r\n") == 2

    def test_only_a_header(self, tmp_path: Path) -> None:
        path = write(tmp_path, HEADER.rstrip(b"\n"))
        session = SessionFile.open(path)
        session.append(MessageEntry(UserMessage(content="a")))
        assert texts(SessionFile.open(path)) == ["a"]


class TestVersionTwo:
    def test_only_the_header_and_the_role_change(self, tmp_path: Path) -> None:
        header = line("session", version=2, id="s-1", cwd="/w")
        lines = [
            line("message", id="a", parentId=None, message={"role": "user", "content": "version"}),
            line(
                "message",
                id="b",
                parentId="a",
                message={"role": "hookMessage", "customType": "x", "content": "h"},
            ),
            line("label", id="c", parentId="b", targetId="a", label='"role":"hookMessage"'),
            b"{torn",
        ]
        path = write(tmp_path, header, *lines)
        before = path.read_bytes()
        session = SessionFile.open(path)
        assert [entry.id for entry in session.tree.branch()] == ["a", "b", "c"]
        assert path.read_bytes() == before.replace(b'"version":2', b'"version":3').replace(
            b'"role":"hookMessage","customType"', b'"role":"custom","customType"'
        )
        assert (tmp_path / "x.jsonl.v2").read_bytes() == before


class TestWhereItCannotBeWritten:
    @pytest.fixture
    def refuse(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
        """Let no file be made; what is called afterwards lets them again."""
        real = os.open

        def open(path: Any, flags: int, *more: Any, **named: Any) -> int:
            if flags & os.O_CREAT and flags & os.O_EXCL:
                raise PermissionError(13, "Permission denied")
            return real(path, flags, *more, **named)

        monkeypatch.setattr("pi_term.coding.session.appender.os.open", open)
        return lambda: monkeypatch.setattr("pi_term.coding.session.appender.os.open", real)

    def test_it_is_opened_all_the_same_and_stored_later(
        self, tmp_path: Path, refuse: Callable[[], None], build: Any
    ) -> None:
        path = write(tmp_path, HEADER, said("a"), said("b"))
        before = path.read_bytes()
        session = SessionFile.open(path)
        assert texts(session) == ["a", "b"]
        (notice,) = session.diagnostics
        assert notice.severity == "warning"
        assert "Permission denied" in notice.message
        with pytest.raises(PiTermError, match="Permission denied"):
            session.append(MessageEntry(UserMessage(content="c")))
        assert path.read_bytes() == before
        assert [each.name for each in tmp_path.iterdir()] == ["x.jsonl"]
        refuse()
        session.append(MessageEntry(UserMessage(content="d")))
        assert (tmp_path / "x.jsonl.v1").read_bytes() == before
        again = SessionFile.open(path)
        assert texts(again) == ["a", "b", "c", "d"] == texts(session)
        assert [entry.id for entry in again.tree.entries] == [entry.id for entry in session.tree.entries]

    def test_closed_it_stays_readable(self, tmp_path: Path, refuse: Callable[[], None]) -> None:
        session = SessionFile.open(write(tmp_path, HEADER, said("a"), said("b")))
        session.close()
        assert texts(session) == ["a", "b"]

    def test_another_pi_term_was_quicker(self, tmp_path: Path, refuse: Callable[[], None]) -> None:
        path = write(tmp_path, HEADER, said("a"))
        session = SessionFile.open(path)
        refuse()
        SessionFile.open(path).append(MessageEntry(UserMessage(content="theirs")))
        session.append(MessageEntry(UserMessage(content="ours")))
        again = SessionFile.open(path)
        assert len(again.tree.entries) == 3
        assert texts(again) == ["a", "ours"]

    def test_another_program_has_made_something_else_of_it(
        self, tmp_path: Path, refuse: Callable[[], None]
    ) -> None:
        path = write(tmp_path, HEADER, said("a"))
        session = SessionFile.open(path)
        refuse()
        path.write_bytes(
            line("session", version=3, id="s-1", cwd="/w")
            + line("custom", id="q", parentId=None, customType="x")
        )
        theirs = path.read_bytes()
        with pytest.raises(PiTermError, match="another program has changed it"):
            session.append(MessageEntry(UserMessage(content="ours")))
        assert path.read_bytes() == theirs
        assert session.unwritten == 1

    def test_a_failed_exchange_leaves_nothing_behind(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: Any) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr("pi_term.coding.session.migrate.os.replace", fail)
        path = write(tmp_path, HEADER, said("a"))
        assert texts(SessionFile.open(path)) == ["a"]
        assert [each.name for each in tmp_path.iterdir()] == ["x.jsonl"]


def test_where_files_have_one_name_only_the_old_one_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: Any) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr("pi_term.coding.session.migrate.os.link", no_links)
    path = write(tmp_path, HEADER, said("a"))
    before = path.read_bytes()
    assert texts(SessionFile.open(path)) == ["a"]
    assert (tmp_path / "x.jsonl.v1").read_bytes() == before


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
_ENTRIES = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "compaction", "custom", "label", "x"])},
    optional={
        "message": st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "hookMessage"]), "content": st.text()}
        ),
        "firstKeptEntryIndex": st.integers(-2, 8) | st.text(max_size=3),
        "id": st.text(max_size=3) | st.integers(),
        "other": _VALUES,
    },
)
_LINES = st.lists(_ENTRIES.map(lambda entry: json.dumps(entry).encode()) | st.binary(max_size=30), max_size=8)


@settings(max_examples=150, deadline=None)
@given(_LINES, st.sampled_from([1, 2]))
def test_only_what_has_to_change_changes(lines: list[bytes], version: int) -> None:
    lines = [each.replace(b"\n", b" ") + b"\n" for each in lines]
    header = SessionHeader(version=version, id="s", cwd="/w")
    old = [json.dumps(header.to_json()).encode() + b"\n", *lines]
    new = list(upgraded(old, header))
    assert new == list(upgraded(old, header))
    assert len(new) == len(old)
    for before, after in zip(lines, new[1:], strict=True):
        try:
            was = json.loads(before)
        except ValueError:
            assert after == before
            continue
        now = json.loads(after)
        if not isinstance(was, dict) or "type" not in was:
            assert after == before
            continue
        if "message" in was and was["message"]["role"] == "hookMessage":
            was["message"]["role"] = "custom"
        if version == 1:
            was["id"], was["parentId"] = now["id"], now["parentId"]
            if was["type"] == "compaction" and isinstance(was.get("firstKeptEntryIndex"), int):
                del was["firstKeptEntryIndex"]
                now.pop("firstKeptEntryId", None)
        assert now == was


@pytest.mark.skipif(not REAL.exists(), reason="the real session is not part of the project")
def test_a_real_session(tmp_path: Path) -> None:
    path = tmp_path / "real.jsonl"
    path.write_bytes(REAL.read_bytes())
    session = SessionFile.open(path)
    assert [each.severity for each in session.diagnostics] == ["info"]
    entries = session.tree.branch()
    assert len(entries) == 1018
    assert len(build_context(session.tree).messages) == 914
    old = REAL.read_bytes().splitlines()[1:]
    for entry, before in zip(entries, old, strict=True):
        head, _, _ = entry.line.partition(b'"timestamp"')
        assert before == b'{"type":"%s",' % entry.type.encode() + entry.line[len(head) :]
    session.tree.leaf = session.tree.get(entries[500].id)
    session.append(MessageEntry(UserMessage(content="another way")))
    again = SessionFile.open(path)
    assert len(again.tree.branch()) == 502
    assert again.diagnostics == []
