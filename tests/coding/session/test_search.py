"""Looking for words in all that was said."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pi_term.base.abort import AbortError
from pi_term.coding.session import (
    BranchSummaryEntry,
    CompactionEntry,
    SearchHit,
    SessionFile,
    files_in,
    scan,
    search_sessions,
)
from pi_term.coding.session import search as search_module


def search(folder: Path, query: str, **options: Any) -> list[SearchHit]:
    return list(search_sessions(files_in(folder), query, **options))


def found(folder: Path, query: str, **options: Any) -> list[str | None]:
    return [hit.entry_id for hit in search(folder, query, **options)]


def content(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return list(parts)


class TestWhatIsSearched:
    def test_users_and_models(self, tmp_path: Path, build: Any) -> None:
        path = build.file(
            tmp_path,
            build.message("e1", None, "Where is the walrus?"),
            build.message("e2", "e1", "The Walrus sleeps.", role="assistant"),
            build.entry("message", "e3", "e2", message={"role": "user", "content": "wake the walrus"}),
        )
        hits = search(tmp_path, "walrus")
        assert [(hit.path, hit.entry_id, hit.role) for hit in hits] == [
            (path, "e1", "user"),
            (path, "e2", "assistant"),
            (path, "e3", "user"),
        ]
        assert (hits[1].before, hits[1].match, hits[1].after) == ("The ", "Walrus", " sleeps.")

    def test_phrases(self, tmp_path: Path, build: Any) -> None:
        build.file(
            tmp_path,
            build.message("e1", None, "the walrus sleeps in the\n  Cold sea"),
            build.message("e2", "e1", "the sea is cold, in the end"),
        )
        for query in ('"in the cold sea"', '"In  The cold', 'walrus "the cold"'):
            assert found(tmp_path, query)[:1] == ["e1"], query
        (hit, *_) = search(tmp_path, '"in the cold sea"')
        assert (hit.before, hit.match) == ("the walrus sleeps ", "in the Cold sea")
        assert found(tmp_path, '"cold the in"') == []
        assert found(tmp_path, '""') == []

    def test_output_when_asked_for(self, tmp_path: Path, build: Any) -> None:
        shell = {"role": "bashExecution", "command": "ls cage", "output": "walrus", "timestamp": 1}
        build.file(
            tmp_path,
            build.message("e1", None, "a walrus", role="toolResult"),
            build.entry("message", "e2", "e1", message=shell),
        )
        assert found(tmp_path, "walrus") == []
        assert found(tmp_path, "walrus", tool_results=True) == ["e1", "e2"]
        assert found(tmp_path, "cage") == ["e2"]

    def test_summaries_names_and_messages_of_extensions(self, tmp_path: Path, build: Any) -> None:
        build.file(
            tmp_path,
            build.entry("compaction", "e1", None, summary="walrus", firstKeptEntryId="e1", tokensBefore=1),
            build.entry("branch_summary", "e2", "e1", summary="walrus", fromId="e1"),
            build.entry("session_info", "e3", "e2", name="walrus"),
            build.entry("custom_message", "e4", "e3", customType="x", content="walrus", display=True),
            build.entry("custom_message", "e5", "e3", customType="x", content="walrus", display=False),
            build.message("e6", "e5", "walrus", role="hookMessage"),
        )
        hits = search(tmp_path, "walrus", most_per_session=9)
        assert [(hit.entry_id, hit.role) for hit in hits] == [
            ("e1", "compaction"),
            ("e2", "branch_summary"),
            ("e3", "session_info"),
            ("e4", "custom_message"),
            ("e6", "hookMessage"),
        ]

    def test_nothing_else(self, tmp_path: Path, build: Any) -> None:
        parts = content(
            {"type": "thinking", "thinking": "walrus"},
            {"type": "toolCall", "id": "walrus", "name": "walrus", "arguments": {"text": "walrus"}},
            {"type": "image", "data": "walrus", "mimeType": "walrus"},
            {"type": "text", "text": "none", "textSignature": "walrus"},
        )
        message = {"role": "assistant", "content": parts, "errorMessage": "walrus", "text": "walrus"}
        build.file(
            tmp_path,
            build.message("e1", None, "walrus", role="system"),
            build.message("e2", "e1", "x", role="walrus"),
            build.entry("message", "e3", "e2", message=message, walrus="walrus"),
            build.entry(
                "custom", "e4", "e3", customType="walrus", data={"content": "walrus"}, content="walrus"
            ),
            build.entry("model_change", "e5", "e4", provider="walrus", modelId="walrus", summary="walrus"),
            build.entry("user", "e6", "e5", content="walrus", message="walrus"),
        )
        assert found(tmp_path, "walrus", tool_results=True) == []
        for key in ("content", "parentId", "role", "thinking", "errorMessage"):
            assert found(tmp_path, key, tool_results=True) == []

    def test_the_oldest_format(self, tmp_path: Path, build: Any) -> None:
        header = build.line({"type": "session", "id": "old", "timestamp": "", "cwd": "/w"})
        line = build.line({"type": "message", "timestamp": "t", "message": {"role": "user", "content": "hi"}})
        build.file(tmp_path, line, header=header)
        assert found(tmp_path, "hi") == [None]

    def test_what_the_program_itself_writes(self, tmp_path: Path, session: SessionFile) -> None:
        session.append(CompactionEntry('a "quoted"\tsummary', "x", 1))
        session.append(BranchSummaryEntry("x", "ünïcode"))
        assert session.path is not None
        assert len(found(session.path.parent, '"QUOTED" Ünïcode hello')) == 3


class TestWords:
    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("The Quick Fox", "quick"),
            ("the quick fox", "QUICK"),
            ("superquickest", "quick"),
            ('say "hi" now', '"hi"'),
            ("C:\\new\\table", "c:\\new\\TABLE"),
            ("a/b/c", "b/c"),
            ("one\ntwo", "two"),
            ("tab\tbed", "bed"),
            ("Größe", "grösse"),
            ("GRÖSSE", "größe"),
            ("Straße", "STRASSE"),
            ("ﬁnd", "find"),
            ("ſill", "sill"),
            ("273 \u212a", "k"),
            ("İstanbul", "i\u0307stanbul"),
            ("ΟΔΟΣ", "οδος"),
            ("Привет, мир", "ПРИВЕТ"),
            ("ПРИВЕТ", "привет"),
            ("日本語のテキスト", "本語"),
            ("so 😀 happy", "😀"),
            ("½ is half", "½"),
            ("é", "É"),
            ("x" * 300, "x" * 250),
            ("/", "/"),
            ("\\", "\\"),
            ("a~b", "~"),
            ("del\x7f", "del\x7f"),
        ],
    )
    @pytest.mark.parametrize("ascii", [False, True])
    def test_found_however_they_are_written(
        self, tmp_path: Path, build: Any, text: str, query: str, ascii: bool
    ) -> None:
        entry = json.loads(build.message("e1", None, text))
        build.file(tmp_path, json.dumps(entry, ensure_ascii=ascii).encode() + b"\n")
        assert found(tmp_path, query) == ["e1"]

    @pytest.mark.parametrize("escaped", ["\\u0077alrus", "w\\u0041lrus", "walrus\\/", "\\nwalrus\\u001b"])
    def test_needless_escapes(self, tmp_path: Path, build: Any, escaped: str) -> None:
        build.file(tmp_path, build.message("e1", None, "WORD").replace(b"WORD", escaped.encode()))
        assert found(tmp_path, "walrus") == ["e1"]
        assert found(tmp_path, "nwalrus") == found(tmp_path, "u0077") == []

    def test_halves_of_characters(self, tmp_path: Path, build: Any) -> None:
        line = build.message("e1", None, "WORD").replace(b"WORD", b"a\\ud83d b\\ud83d\\ude00c")
        build.file(tmp_path, line)
        (hit,) = search(tmp_path, "b😀c")
        assert hit.snippet == "a\ufffd b😀c"
        assert found(tmp_path, "\ud83d") == ["e1"]

    def test_all_must_occur_somewhere_in_the_session(self, tmp_path: Path, build: Any) -> None:
        one = build.file(
            tmp_path, build.message("e1", None, "apple"), build.message("e2", "e1", "pear"), name="1.jsonl"
        )
        build.file(tmp_path, build.message("e1", None, "apple"), name="2.jsonl")
        hits = search(tmp_path, "  pear\tAPPLE apple")
        assert [(hit.path, hit.entry_id) for hit in hits] == [(one, "e1"), (one, "e2")]

    @pytest.mark.parametrize("query", ["", " \n\t", "\xa0"])
    def test_no_words(self, tmp_path: Path, build: Any, query: str) -> None:
        build.file(tmp_path, *build.chain(2))
        assert found(tmp_path, query) == []


class TestHits:
    def test_the_first_ones_and_those_that_show_another_word(self, tmp_path: Path, build: Any) -> None:
        lines = [build.message(f"e{n}", None, "apple") for n in range(9)]
        build.file(tmp_path, *lines, build.message("last", None, "apple pear"))
        hits = search(tmp_path, "apple pear", most_per_session=2)
        assert [hit.entry_id for hit in hits] == ["e0", "e1", "last"]
        assert hits[-1].match == "pear"

    def test_newest_session_first(self, tmp_path: Path, build: Any) -> None:
        for time, name in ((2, "b"), (3, "c"), (1, "a")):
            os.utime(build.file(tmp_path, *build.chain(1), name=f"{name}.jsonl"), (time, time))
        assert [hit.path.stem for hit in search(tmp_path, "text")] == ["c", "b", "a"]

    def test_around_a_match(self, tmp_path: Path, build: Any) -> None:
        build.file(tmp_path, build.message("e1", None, f"{'x ' * 50}\n\n  a\tWalrus,\n\n{'y ' * 50}"))
        (hit,) = search(tmp_path, "walrus")
        assert hit.snippet.startswith("…")
        assert hit.snippet.endswith("y…")
        assert "x x a Walrus, y y" in hit.snippet
        assert len(hit.snippet) < 150

    def test_the_match_is_the_original_text(self, tmp_path: Path, build: Any) -> None:
        build.file(tmp_path, build.message("e1", None, "ßßß İ Straße, ﬁn"))
        assert [search(tmp_path, word)[0].match for word in ("strasse", "fin", "ss", "i\u0307")] == [
            "Straße",
            "ﬁn",
            "ß",
            "İ",
        ]


class TestWhatIsPassedOver:
    def test_no_sessions(self, tmp_path: Path, build: Any) -> None:
        build.file(tmp_path, *build.chain(1), header=b"no header\n")
        (tmp_path / "folder.jsonl").mkdir()
        os.mkfifo(tmp_path / "pipe.jsonl")
        assert found(tmp_path, "text") == []

    def test_other_directories(self, tmp_path: Path, build: Any) -> None:
        build.file(tmp_path, *build.chain(1))
        assert found(tmp_path, "text", cwd="/w") == ["e1"]
        assert found(tmp_path, "text", cwd="/other") == []

    def test_a_file_that_is_deleted_meanwhile(self, tmp_path: Path, build: Any) -> None:
        files = [build.file(tmp_path, *build.chain(1), name=f"{name}.jsonl") for name in "ab"]
        listed = files_in(tmp_path)
        files[0].unlink()
        assert [hit.path for hit in search_sessions(listed, "text")] == [files[1]]

    def test_damage(self, tmp_path: Path, build: Any) -> None:
        """What can be saved of damaged lines is found, and all that stands behind them."""
        lines = [build.message(f"e{n}", None, "walrus") for n in range(6)]
        lines[1] = lines[1][:60] + b"walrus\n"
        lines[2] = lines[2][:-10]  # cut, and the next one glued to it
        lines[4] = b'"walrus\n\xff\xfe walrus {"walrus"\n\n' + lines[4]
        lines[5] = lines[5].replace(b"walrus", b"\xff walrus").rstrip(b"\n")
        build.file(tmp_path, *lines, b"\n" + lines[0][:-5])
        assert found(tmp_path, "walrus", most_per_session=9) == ["e0", "e3", "e4", "e5"]


class TestLazily:
    def test_hits_come_before_the_next_file_is_read(
        self, tmp_path: Path, build: Any, monkeypatch: Any
    ) -> None:
        for name in "abc":
            build.file(tmp_path, *build.chain(1), name=f"{name}.jsonl")
        opened: list[Path] = []
        blocks = scan.blocks
        monkeypatch.setattr(search_module, "blocks", lambda path, _: opened.append(path) or blocks(path))
        next(search_sessions(files_in(tmp_path), "text"))
        assert len(opened) == 1

    def test_files_without_the_word_are_not_decoded(
        self, tmp_path: Path, build: Any, monkeypatch: Any
    ) -> None:
        build.file(tmp_path, *build.chain(1))
        monkeypatch.setattr(search_module, "blocks", None)
        assert found(tmp_path, "walrus") == found(tmp_path, "text walrus") == []

    def test_called_off(self, tmp_path: Path, build: Any) -> None:
        end = build.message("end", None, "tusk", role="system")
        build.file(tmp_path, *(build.message(f"e{n}", None, "walrus" * 20_000) for n in range(30)), end)
        files = files_in(tmp_path)
        for most in (0, 1, 5, 20):  # before the file, in the first look at its bytes, and in the second
            asked: list[None] = []

            def wanted(asked: list[None] = asked, most: int = most) -> bool:
                asked.append(None)
                return len(asked) <= most

            with pytest.raises(AbortError):
                list(search_sessions(files, "walrus tusk", wanted=wanted))
            assert len(asked) == most + 1

    @pytest.mark.parametrize("turned", [False, True])
    def test_a_huge_message_is_not_loaded(self, tmp_path: Path, build: Any, turned: bool) -> None:
        picture = {"type": "image", "data": "walrus" * 2_000_000, "mimeType": "walrus"}
        parts = content(picture, {"type": "text", "text": f'{"wörd " * 2_000_000}\nThe Wal"rus sleeps. END'})
        message = {"role": "user", "content": parts}
        entry = json.loads(build.entry("message", "e1", None, message=message))
        if turned:
            entry = dict(reversed(entry.items()))
        path = build.file(tmp_path, build.line(entry), build.message("e2", "e1", "the last"))
        del parts, message, entry, picture
        tracemalloc.start()
        (hit,) = search(tmp_path, 'wal"rus')
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (hit.path, hit.entry_id, hit.role, hit.match) == (path, "e1", "user", 'Wal"rus')
        assert hit.before.endswith("wörd wörd The ")
        assert hit.after == " sleeps. END"
        assert found(tmp_path, "walrus") == []
        assert found(tmp_path, "last end") == ["e1", "e2"]
        assert peak < 12_000_000


_CHARS = st.sampled_from([*'ab ksi"\\/\n\t\x1bßſKİﬁµόΣς日ЁёÖ😀', "\ud83d", "\ude00", "\\u0061"])
_TEXTS = st.lists(_CHARS, max_size=12).map("".join)
_ENTRIES = st.tuples(
    st.sampled_from(["user", "assistant", "toolResult", "system", "compaction", "session_info", "custom"]),
    st.lists(_TEXTS, max_size=3),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "", "", "cut", "glue", "noise"]),
)


def _entry(number: int, kind: str, texts: list[str]) -> dict[str, Any]:
    head = {"type": kind, "id": f"e{number}", "parentId": None, "timestamp": "t", "note": "aks"}
    if kind == "compaction":
        return {**head, "summary": "".join(texts)}
    if kind == "session_info":
        return {**head, "name": "".join(texts)}
    if kind == "custom":
        return {**head, "data": texts}
    parts: list[Any] = [{"type": "text", "text": text, "signature": "aks"} for text in texts]
    parts.append({"type": "image", "data": "abks", "mimeType": "si"})
    return {**head, "type": "message", "message": {"role": kind, "content": parts}}


def _said(entry: dict[str, Any], tools: bool) -> list[str]:
    if entry["type"] != "message":
        return [str(entry[key]) for key in ("summary", "name") if key in entry]
    roles = {"user", "assistant", *(["toolResult"] if tools else [])}
    message = entry["message"]
    return [part["text"] for part in message["content"] if "text" in part] if message["role"] in roles else []


def _fold(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").casefold()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(_ENTRIES, max_size=6),
    st.lists(_TEXTS.filter(lambda text: bool(text.split()) and '"' not in text), min_size=1, max_size=3),
    st.booleans(),
    st.integers(5, 200),
    st.sampled_from([1 << 20, 150, 10]),
)
@example([("user", ["\ud83d", "\ude00"], False, False, "")], ["😀"], False, 7, 10)
def test_it_finds_what_a_plain_search_finds(
    build: Any,
    monkeypatch: Any,
    entries: list[Any],
    words: list[str],
    tools: bool,
    piece: int,
    longest: int,
) -> None:
    """In whatever pieces the file is read, also where each line is too long to be held."""
    monkeypatch.setattr(scan, "_PIECE", piece)
    monkeypatch.setattr(scan, "LONGEST_LINE", longest)
    lines: list[bytes] = []
    whole: list[dict[str, Any]] = []
    for number, (kind, texts, ascii, turned, damage) in enumerate(entries):
        entry = _entry(number, kind, texts)
        order = dict(reversed(entry.items())) if turned else entry
        written = json.dumps(order, ensure_ascii=ascii, separators=(",", ":"))
        line = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", written).encode()
        if damage == "cut":
            line = line[: len(line) // 2]
        else:
            whole.append(entry)
        lines.append(b'a"\xff{"aks":"ks\n' * (damage == "noise") + line + b"\n")
    asked = " ".join(words)
    wanted = set(_fold(asked).split())
    said = {entry["id"]: [_fold(text) for text in _said(entry, tools)] for entry in whole}
    found_words = {word for word in wanted if any(word in text for texts in said.values() for text in texts)}
    expected = [id for id, texts in said.items() if any(word in text for word in wanted for text in texts)]
    with tempfile.TemporaryDirectory() as folder:
        build.file(Path(folder), *lines)
        assert found(Path(folder), asked, tool_results=tools, most_per_session=99) == (
            expected if found_words == wanted else []
        )
