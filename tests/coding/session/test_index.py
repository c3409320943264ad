"""Damaged, odd and huge session files: they always load, and nothing whole is lost."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.ai.messages import UserMessage
from pi_term.base.errors import PiTermError
from pi_term.coding.session import MessageEntry, SessionFile, build_context


def texts(session: SessionFile) -> list[str]:
    return [str(m.content[0].text) for m in build_context(session.tree).messages]  # type: ignore[union-attr]


class TestDamagedLine:
    """B-029."""

    @pytest.mark.parametrize("cut", ["half", "start", "garbage", "before the last brace", "zeros"])
    def test_its_children_stay_reachable(self, tmp_path: Path, build: Any, cut: str) -> None:
        lines = build.chain(100)
        whole = lines[39]
        lines[39] = {
            "half": whole[: len(whole) // 2] + b"\n",
            "start": whole[len(whole) // 2 :],
            "garbage": b"\xff\xfe garbage\n",
            "before the last brace": whole[:-2] + b"\n",
            "zeros": b"\0" * (len(whole) - 1) + b"\n",
        }[cut]
        path = build.file(tmp_path, *lines)
        before = path.read_bytes()
        session = SessionFile.open(path)
        kept = [entry.id for entry in session.tree.entries if entry.data and not entry.damaged]
        assert kept == build.names(39) + build.names(100, 41)
        assert set(build.names(100, 41)) <= set(build.ids(session))
        assert any(each.line == 41 for each in session.diagnostics)
        assert path.read_bytes() == before

    def test_a_line_cut_in_half_does_not_part_the_branch(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(100)
        lines[39] = lines[39][: len(lines[39]) - 20] + b"\n"
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert build.ids(session) == build.names(39) + build.names(100, 41)
        assert len(texts(session)) == 99

    def test_damage_that_only_decoding_can_find(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(10)
        lines[4] = lines[4].replace(b'"text":"text 5"', b'"text":"text 5', 1)
        path = build.file(tmp_path, *lines)
        session = SessionFile.open(path)
        assert texts(session) == [f"text {n}" for n in range(1, 11) if n != 5]
        (notice,) = session.diagnostics
        assert "e5" in notice.message
        assert notice.line == 6
        assert build.ids(session) == [name for name in build.names(10) if name != "e5"]

    def test_the_leaf_is_never_a_damaged_entry(self, tmp_path: Path, build: Any) -> None:
        lines = build.chain(10)
        lines[9] = lines[9].replace(b'"text":"text 10"', b'"text":"text 10', 1)
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert session.tree.leaf is not None
        assert session.tree.leaf.id == "e9"

    def test_a_damaged_header(self, tmp_path: Path, build: Any) -> None:
        header = build.header[:30] + b'???,"cwd":"/w/x"\n'
        path = build.file(tmp_path, *build.chain(3), header=header, name="2026_my-id.jsonl")
        session = SessionFile.open(path)
        assert (session.id, session.header.cwd) == ("my-id", "/w/x")
        assert build.ids(session) == build.names(3)
        assert session.diagnostics


class TestGaps:
    """B-030."""

    def gapped(self, folder: Path, build: Any) -> Path:
        lines = build.chain(10)
        lines[5] = build.message("e6", "nowhere", "text 6")
        path: Path = build.file(folder, *lines)
        return path

    def test_the_context_begins_behind_the_gap(self, tmp_path: Path, build: Any) -> None:
        session = SessionFile.open(self.gapped(tmp_path, build))
        assert texts(session) == [f"text {n}" for n in range(6, 11)]
        assert any("gap" in each.message for each in session.diagnostics)

    def test_the_tree_has_both_sides(self, tmp_path: Path, build: Any) -> None:
        tree = SessionFile.open(self.gapped(tmp_path, build)).tree
        assert [root.id for root in tree.children(None)] == ["e1", "e6"]
        assert len(tree.entries) == 10

    def test_a_message_goes_on(self, tmp_path: Path, build: Any) -> None:
        path = self.gapped(tmp_path, build)
        session = SessionFile.open(path)
        session.append(MessageEntry(UserMessage(content="new")))
        assert build.entries(path)[-1]["parentId"] == "e10"


class TestOddEntries:
    def test_cycles(self, tmp_path: Path, build: Any) -> None:
        lines = [
            build.message("a", "c"),
            build.message("b", "a"),
            build.message("c", "b"),
            build.message("d", "d"),
            build.message("e", "c"),
        ]
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert build.ids(session) == ["a", "b", "c", "e"]
        assert {root.id for root in session.tree.children(None)} == {"a", "d"}
        assert len(session.diagnostics) == 2

    def test_children_before_their_parents(self, tmp_path: Path, build: Any) -> None:
        lines = list(reversed(build.chain(50)))
        session = SessionFile.open(build.file(tmp_path, *lines))
        session.tree.leaf = session.tree.get("e50")
        assert build.ids(session) == build.names(50)
        assert session.diagnostics == []

    def test_two_entries_with_one_id(self, tmp_path: Path, build: Any) -> None:
        lines = [
            build.message("a", None, "first"),
            build.message("b", "a", "on the first"),
            build.message("a", "b", "second"),
            build.message("c", "a", "on the second"),
        ]
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert texts(session) == ["first", "on the first", "second", "on the second"]
        assert any("id a" in each.message for each in session.diagnostics)

    def test_unknown_types_and_other_key_orders(self, tmp_path: Path, build: Any) -> None:
        lines = [
            build.entry("from_the_future", "a", None, what={"x": 1}),
            build.line(
                {"parentId": "a", "id": "b", "message": {"content": "hi", "role": "user"}, "type": "message"}
            ),
            b'  {"type": "message", "id": "c", "parentId": "b", "message": {"role": "user"}}\r\n',
            b"\n",
            build.message("dé", "c"),
        ]
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert build.ids(session) == ["a", "b", "c", "dé"]
        assert [entry.role for entry in session.tree.branch()] == [None, "user", "user", "user"]
        assert session.diagnostics == []

    def test_lines_that_are_json_but_no_entries(self, tmp_path: Path, build: Any) -> None:
        odd = [b"[]\n", b"3\n", b'{"no":"type"}\n', build.header, build.entry("x", "p", None)[:-2] + b"}\n"]
        session = SessionFile.open(build.file(tmp_path, *build.chain(2), *odd, build.message("e3", "e2")))
        assert build.ids(session) == build.names(3)
        assert len(session.diagnostics) == 4

    def test_an_entry_without_an_id(self, tmp_path: Path, build: Any) -> None:
        lines = [
            *build.chain(2),
            build.line({"type": "message", "message": {"role": "user", "content": "x"}}),
        ]
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert len(build.ids(session)) == 3
        assert len(session.diagnostics) == 1

    def test_text_that_is_hard_to_decode(self, tmp_path: Path, build: Any) -> None:
        surrogate = build.message("a", None, "SURROGATE").replace(b"SURROGATE", rb"\ud83d lone")
        not_utf8 = build.message("b", "a", "BYTES").replace(b"BYTES", b"caf\xe9")
        huge_number = build.entry("custom", "c", "b", data=10**40)  # more than 64 bits
        session_text = build.message("d", "c", json.dumps(build.message("zz", "a").decode()))
        session = SessionFile.open(build.file(tmp_path, surrogate, not_utf8, huge_number, session_text))
        assert build.ids(session) == ["a", "b", "c", "d"]
        assert texts(session)[:2] == ["\ud83d lone", "caf\ufffd"]
        session.append(MessageEntry(UserMessage(content="\udc00 back")))
        assert session.path is not None
        assert SessionFile.open(session.path).tree.branch()[-1].data["message"]["content"] == "\udc00 back"

    def test_a_newer_version_is_read_with_a_warning(self, tmp_path: Path, build: Any) -> None:
        path = build.file(tmp_path, *build.chain(2), header=build.line({**build.header_data, "version": 9}))
        session = SessionFile.open(path)
        assert build.ids(session) == build.names(2)
        assert "newer" in session.diagnostics[0].message

    def test_lines_longer_than_what_is_read_at_once(self, tmp_path: Path, build: Any) -> None:
        lines = [
            build.message("e1", None, "a" * 3_000_000),
            build.message("e2", "e1", "b"),
            build.message("e3", "e2", "ü" * 500_000),
            build.message("e4", "e3", "d"),
        ]
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert build.ids(session) == build.names(4)
        assert [text[0] for text in texts(session)] == ["a", "b", "ü", "d"]


class TestLongSessions:
    """B-087: the work depends on what is looked at, not on the session's length."""

    @pytest.fixture
    def decoded(self, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
        """Grows by each line that is decoded."""
        seen: list[bytes] = []

        def count(line: bytes) -> Any:
            seen.append(line)
            return json.loads(line)

        for module in ("stored", "index"):
            monkeypatch.setattr(f"pi_term.coding.session.{module}.decode_line", count)
        return seen

    def test_opening_decodes_next_to_nothing(self, tmp_path: Path, build: Any, decoded: list[bytes]) -> None:
        session = SessionFile.open(build.file(tmp_path, *build.chain(5000)))
        assert len(session.tree.branch()) == 5000
        assert len(decoded) == 1  # the leaf

    def test_the_end_is_shown_without_the_rest(
        self, tmp_path: Path, build: Any, decoded: list[bytes]
    ) -> None:
        session = SessionFile.open(build.file(tmp_path, *build.chain(5000)))
        shown = [entry.data["message"]["content"][0]["text"] for entry in session.tree.branch()[-30:]]
        assert shown[-1] == "text 5000"
        assert len(decoded) == 30

    def test_the_context_under_a_compaction(self, tmp_path: Path, build: Any, decoded: list[bytes]) -> None:
        compaction = build.entry(
            "compaction", "c", "e5000", summary="S", firstKeptEntryId="e4990", tokensBefore=1
        )
        lines = [*build.chain(5000), compaction, build.message("e5001", "c")]
        session = SessionFile.open(build.file(tmp_path, *lines))
        assert len(build_context(session.tree).messages) == 13
        assert len(decoded) <= 14

    def test_what_was_decoded_is_not_kept_for_ever(
        self, tmp_path: Path, build: Any, decoded: list[bytes]
    ) -> None:
        session = SessionFile.open(build.file(tmp_path, *build.chain(2000)))
        entries = session.tree.branch()
        for entry in entries:
            assert entry.data["id"] == entry.id
        before = len(decoded)
        assert entries[0].data["id"] == "e1"
        assert entries[-1].data["id"] == "e2000"
        assert len(decoded) == before + 1


_TEXT = st.text(max_size=30) | st.sampled_from(['"}{"type":"message"', '","parentId":', "\n", "\u2028", "💥"])


@st.composite
def session_bytes(draw: st.DrawFn) -> list[bytes]:
    """A header and the lines of a random tree, as our own store writes them."""
    session = SessionFile.in_memory("/w")
    for text in draw(st.lists(_TEXT, min_size=1, max_size=6)):
        if session.tree.entries and draw(st.booleans()):
            ids = [entry.id for entry in session.tree.entries]
            session.tree.leaf = session.tree.get(draw(st.sampled_from(ids)))
        session.add(MessageEntry(UserMessage(content=text)))
    header = json.dumps(session.header.to_json()).encode()
    return [line + b"\n" for line in (header, *(entry.line for entry in session.tree.entries))]


def opened(content: bytes, folder: str) -> SessionFile:
    path = Path(folder, "x.jsonl")
    path.write_bytes(content)
    session = SessionFile.open(path)
    assert path.read_bytes() == content or not content
    return session


def id_of(line: bytes) -> str:
    return str(json.loads(line)["id"])


@settings(max_examples=60, deadline=None)
@given(session_bytes(), st.data())
def test_a_file_cut_anywhere_keeps_all_finished_entries(lines: list[bytes], data: st.DataObject) -> None:
    content = b"".join(lines)
    cut = data.draw(st.integers(0, len(content)))
    whole, reached = [], 0
    for line in lines:
        reached += len(line)
        if reached - 1 <= cut:  # a line that lacks only its line feed is whole
            whole.append(line)
    with tempfile.TemporaryDirectory() as folder:
        if not whole and cut:
            with pytest.raises(PiTermError):
                opened(content[:cut], folder)
            return
        session = opened(content[:cut], folder)
        assert [entry.id for entry in session.tree.entries] == [id_of(line) for line in whole[1:]]
        new = session.append(MessageEntry(UserMessage(content="after the crash")))
        again = SessionFile.open(Path(folder, "x.jsonl"))
        found = [entry.id for entry in again.tree.entries if entry.data and not entry.damaged]
        assert found == [*(id_of(line) for line in whole[1:]), new.id]
        assert again.tree.leaf is not None
        assert again.tree.leaf.id == new.id
        for handle in (session, again):
            handle.close()


@settings(max_examples=80, deadline=None)
@given(session_bytes(), st.data(), st.binary(max_size=12))
def test_damage_anywhere_loses_only_what_it_hits(
    lines: list[bytes], data: st.DataObject, garbage: bytes
) -> None:
    body = b"".join(lines[1:])
    start = data.draw(st.integers(0, len(body)))
    end = data.draw(st.integers(start, min(len(body), start + 400)))
    untouched, reached = [], 0
    for line in lines[1:]:
        if reached + len(line) - 1 <= start or reached >= end:
            untouched.append(id_of(line))
        reached += len(line)
    with tempfile.TemporaryDirectory() as folder:
        session = opened(lines[0] + body[:start] + garbage + body[end:], folder)
        kept = [entry.id for entry in session.tree.entries if entry.data and not entry.damaged]
        assert set(untouched) <= set(kept)
        assert set(session.tree.walk(session.tree.leaf)) <= set(session.tree.entries)
        build_context(session.tree)
        session.close()
