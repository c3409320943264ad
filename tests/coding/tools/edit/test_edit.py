"""`edit`: what it changes, what it leaves alone, and what it says."""

from __future__ import annotations

from typing import Any

import pytest

from pi_term.agent.tools import ToolResult
from pi_term.ai.messages import TextContent


def text_of(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def edits(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"oldText": old, "newText": new} for old, new in pairs]


async def edited(bench: Any, before: str | bytes, *pairs: tuple[str, str]) -> bytes:
    """The bytes of a file after an edit that must succeed."""
    path = bench.cwd / "f.txt"
    path.write_bytes(before.encode() if isinstance(before, str) else before)
    result = await bench.run("edit", path="f.txt", edits=edits(*pairs))
    assert not result.is_error, text_of(result)
    return bytes(path.read_bytes())


async def refused(bench: Any, before: str, *pairs: tuple[str, str]) -> str:
    """What is said of an edit that must fail and leave the file alone."""
    path = bench.cwd / "f.txt"
    path.write_bytes(before.encode())
    result = await bench.run("edit", path="f.txt", edits=edits(*pairs))
    assert result.is_error
    assert path.read_bytes() == before.encode()
    return text_of(result)


async def test_b001_crlf_files_match_and_stay_crlf(bench: Any) -> None:
    assert await edited(bench, b"a\r\nb\r\nc\r\n", ("a\nb", "a\nnew\nb")) == b"a\r\nnew\r\nb\r\nc\r\n"
    assert await edited(bench, b"one\r\ntwo\r\n", ("one\r\ntwo", "1\r\n2")) == b"1\r\n2\r\n"
    assert await edited(bench, b"one\ntwo\n", ("one\r\ntwo", "1\r\n2")) == b"1\n2\n"


async def test_b002_the_byte_order_mark_stays(bench: Any) -> None:
    once = await edited(bench, b"\xef\xbb\xbfhello\nworld\n", ("hello", "hello2"))
    assert await edited(bench, once, ("hello2", "hello3")) == b"\xef\xbb\xbfhello3\nworld\n"
    assert (
        await edited(bench, b"\xef\xbb\xbfalpha\r\nbeta\r\n", ("alpha\nbeta", "A\nB"))
        == b"\xef\xbb\xbfA\r\nB\r\n"
    )


async def test_b003_a_loose_match_changes_only_what_it_matched(bench: Any) -> None:
    before = "\u201cone\u201d\ntwo   \nsay \u2018hi\u2019 now\n"
    after = await edited(bench, before, ("say 'hi' now", "say 'bye' now"))
    assert after.decode() == "\u201cone\u201d\ntwo   \nsay 'bye' now\n"


async def test_b003_lines_that_were_only_repeated_keep_their_characters(bench: Any) -> None:
    before = "say \u2018hi\u2019\nfoo   \nbar\n"
    after = await edited(bench, before, ("say 'hi'\nfoo\nbar", "say 'hi'\nfoo\nBAR"))
    assert after.decode() == "say \u2018hi\u2019\nfoo   \nBAR\n"


@pytest.mark.parametrize("new", ["$&", "$1", "$$", r"\1", r"\g<0>", r"\n", "%s", "{0}", r"\\", "\\u0041"])
async def test_b004_new_text_is_written_literally(bench: Any, new: str) -> None:
    path = bench.cwd / "f.js"
    path.write_text('log("done");\n')
    result = await bench.run("edit", path="f.js", edits=edits(("done", new)))
    assert path.read_text() == f'log("{new}");\n'
    assert f'+1 log("{new}");' in result.details["diff"].splitlines()


async def test_b005_every_line_keeps_its_own_end(bench: Any) -> None:
    before = b"one\r\ntwo\nthree\rstill three\nfour\r\n"
    assert await edited(bench, before, ("two", "TWO")) == before.replace(b"two", b"TWO")
    assert await edited(bench, before, ("three\nstill three", "3\nstill 3")) == before.replace(b"three", b"3")


async def test_b006_slightly_wrong_shapes_of_edits_are_understood(bench: Any) -> None:
    path = bench.cwd / "f"
    shapes: list[dict[str, Any]] = [
        {"edits": '[{"oldText": "aaa", "newText": "AAA"}]'},
        {"edits": '{"oldText": "aaa", "newText": "AAA"}'},
        {"edits": {"oldText": "aaa", "newText": "AAA"}},
        {"edits": [{"oldText": "aaa", "newText": "AAA", "why": "louder"}], "note": 1},
        {"edits": ['{"oldText": "aaa", "newText": "AAA"}']},
        {"oldText": "aaa", "newText": "AAA"},
        {"oldText": "aaa", "newText": "AAA", "edits": None},
        {"oldText": "aaa", "newText": "AAA", "edits": []},
    ]
    for shape in shapes:
        path.write_text("aaa\nbbb\n")
        result = await bench.run("edit", path="f", **shape)
        assert not result.is_error, shape
        assert path.read_text() == "AAA\nbbb\n"


@pytest.mark.parametrize(
    ("args", "field"),
    [
        ({"edits": "[not json"}, "edits"),
        ({"edits": "text"}, "edits"),
        ({"edits": []}, "edits"),
        ({"edits": [{"oldText": "aaa"}]}, "edits[0].newText"),
        ({"edits": [{"oldText": "", "newText": "b"}]}, "oldText"),
        ({}, "edits"),
    ],
)
async def test_b006_unusable_edits_are_refused_by_name(bench: Any, args: dict[str, Any], field: str) -> None:
    (bench.cwd / "f").write_text("aaa\n")
    result = await bench.run("edit", path="f", **args)
    assert result.is_error
    assert field in text_of(result)
    assert (bench.cwd / "f").read_text() == "aaa\n"


async def test_several_edits_are_made_against_the_original(bench: Any) -> None:
    assert await edited(bench, "x = 1\ny = 2\n", ("y = 2", "x = 1"), ("x = 1", "y = 2")) == b"y = 2\nx = 1\n"
    assert await edited(bench, "ab\n", ("b", "2"), ("a", "1")) == b"12\n"


async def test_all_edits_or_none(bench: Any) -> None:
    said = await refused(bench, "first\nsecond\n", ("first", "FIRST"), ("third", "THIRD"))
    assert "edits[1]" in said
    assert "f.txt" in said


async def test_text_that_is_not_there(bench: Any) -> None:
    assert "not found in f.txt" in await refused(bench, "content\n", ("absent", "x"))


@pytest.mark.parametrize(
    ("before", "old", "count"),
    [("same\nother\nsame\n", "same", "2"), ("====\n", "===", "2"), ("a \u2019\na \u2018\n", "a '", "2")],
)
async def test_text_that_is_there_more_than_once(bench: Any, before: str, old: str, count: str) -> None:
    said = await refused(bench, before, (old, "x"))
    assert f"{count} times" in said
    assert "unique" in said


async def test_repeated_text_is_told_by_its_lines(bench: Any) -> None:
    assert "lines 1, 3)" in await refused(bench, "same\nother\nsame\n", ("same", "x"))
    assert "2000 times" not in await refused(bench, "a" * 2000, ("a", "x"))


async def test_edits_that_overlap(bench: Any) -> None:
    said = await refused(bench, "abcdef\nghijkl\n", ("ghi", "2"), ("abcdef\ng", "1"))
    assert "edits[0] and edits[1] overlap in f.txt" in said
    assert "overlap" in await refused(bench, "abc\n", ("abc", "1"), ("abc", "2"))


async def test_an_edit_that_changes_nothing(bench: Any) -> None:
    assert "f.txt was not changed" in await refused(bench, "unchanged\n", ("unchanged", "unchanged"))
    assert "not changed" in await refused(bench, "a \u2019b\u2019\n", ("a 'b'", "a 'b'"))


@pytest.mark.parametrize("path", ["missing.txt", "folder", "folder/below"])
async def test_a_file_that_cannot_be_edited_is_named(bench: Any, path: str) -> None:
    (bench.cwd / "folder").mkdir()
    result = await bench.run("edit", path=path, edits=edits(("a", "b")))
    assert result.is_error
    assert path in text_of(result)
    assert not (bench.cwd / "missing.txt").exists()


async def test_the_result_says_what_and_how_much(bench: Any) -> None:
    (bench.cwd / "many.py").write_text("x = 1\nz = 3\n")
    said = text_of(await bench.run("edit", path="many.py", edits=edits(("1", "100"), ("3", "300"))))
    assert "many.py" in said
    assert "2" in said


async def test_bytes_that_are_not_utf8_stay(bench: Any) -> None:
    before = b"caf\xe9\r\nname\r\n\xff\xfe\0\xf0\x9f\n"
    assert await edited(bench, before, ("name", "NAME")) == before.replace(b"name", b"NAME")
    assert await edited(bench, before, ("caf", "tea in a caf")) == before.replace(b"caf", b"tea in a caf")


async def test_a_utf8_file_with_a_broken_byte_takes_any_text(bench: Any) -> None:
    before = "größe\n".encode() + b"\xff\nname\n"
    assert await edited(bench, before, ("name", "näme")) == before.replace(b"name", "näme".encode())


async def test_text_that_an_unknown_encoding_would_garble_is_refused(bench: Any) -> None:
    path = bench.cwd / "f.txt"
    path.write_bytes(b"caf\xe9\nname\n")
    result = await bench.run("edit", path="f.txt", edits=edits(("name", "näme")))
    assert result.is_error
    assert "f.txt is not UTF-8" in text_of(result)
    assert "ä" in text_of(result)
    assert path.read_bytes() == b"caf\xe9\nname\n"


async def test_a_replacement_character_of_read_is_explained(bench: Any) -> None:
    path = bench.cwd / "f.txt"
    path.write_bytes(b"caf\xe9\n")
    result = await bench.run("edit", path="f.txt", edits=edits(("caf\ufffd", "tea")))
    assert "edit around it" in text_of(result)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
async def test_a_file_with_a_byte_order_mark_keeps_its_encoding(bench: Any, codec: str) -> None:
    before = "\ufeffeins\r\nzwei 中 😀\r\ndrei".encode(codec)
    after = await edited(bench, before, ("zwei 中", "2 ü\nund"))
    assert after == "\ufeffeins\r\n2 ü\r\nund 😀\r\ndrei".encode(codec)


async def test_half_a_character_in_utf16_stays(bench: Any) -> None:
    before = b"\xff\xfe" + "a\ud83db\nc\n".encode("utf-16-le", "surrogatepass")
    assert await edited(bench, before, ("c", "d")) == before.replace(b"c\0", b"d\0")


async def test_a_file_without_a_final_newline_gets_none(bench: Any) -> None:
    assert await edited(bench, "last line", ("last line", "last line\nmore")) == b"last line\nmore"
    assert await edited(bench, b"a\r\nlast", ("last", "last\nmore")) == b"a\r\nlast\r\nmore"


async def test_new_lines_take_the_end_of_the_line_where_the_match_begins(bench: Any) -> None:
    assert await edited(bench, b"a\r\nb\nc\r\nd\n", ("b\nc", "B\nC\nCC")) == b"a\r\nB\nC\nCC\r\nd\n"
    assert await edited(bench, b"a\r\nb\nc\r\nd\n", ("a\nb\nc", "a\nX\nc")) == b"a\r\nX\r\nc\r\nd\n"
    assert await edited(bench, b"a\rb\rc\r", ("b", "B\nBB")) == b"a\rB\rBB\rc\r"


async def test_a_kept_end_in_a_replaced_passage_stays_as_it_is(bench: Any) -> None:
    before = b"one\r\ntwo\nthree\rfour\r\n"
    after = await edited(bench, before, ("one\ntwo\nthree\nfour", "1\ntwo\nthree\n4"))
    assert after == b"1\r\ntwo\nthree\r4\r\n"


async def test_a_lone_cr_and_a_lf_that_come_together_stay_two_line_ends(bench: Any) -> None:
    assert await edited(bench, b"a\rb\n\nc", ("b\n", "")) == b"a\r\r\nc"
    assert await edited(bench, b"a\rb\n\nc", ("a\nb\n", "Q\n")) == b"Q\r\r\nc"


@pytest.mark.parametrize(
    ("before", "old"),
    [
        ("caf\u00e9 one\n", "cafe\u0301 one"),
        ("cafe\u0301 one\n", "caf\u00e9 one"),
        ("\ufb01sh\n", "fish"),
        ("\u2026dots\n", "...dots"),
        ("\uff21wide\n", "Awide"),
        ("a\u2013b \u2014 c\n", "a-b - c"),
        ("a\u00a0b\u3000c\n", "a b c"),
        ("a b\n", "a\u202fb"),
        ("a   \nb\t\n", "a\nb"),
        ("a\nb\n", "a  \nb"),
        ("foo(\n x  \n", "foo( \n x "),
    ],
)
async def test_what_a_loose_match_forgives(bench: Any, before: str, old: str) -> None:
    after = await edited(bench, before, (old, "NEW"))
    assert after.decode().rstrip("\t\n") == "NEW"


@pytest.mark.parametrize(
    ("before", "old"),
    [
        ("  indented\n", " \tindented"),
        ("Case\n", "case"),
        ("\ufb01sh\n", "ish"),
        ("caf\u00e9\n", "cafe"),
        ("\u2018cafe\u0301\n", "'cafe"),
        ("a b\n", "ab"),
        ("a\nb\n", "a b"),
        ("foo(bar)\n", "foo( "),
        ("   \n", "\t"),
        ("\u2028\n", "\n\n"),
    ],
)
async def test_what_a_loose_match_does_not_forgive(bench: Any, before: str, old: str) -> None:
    assert "not found" in await refused(bench, before, (old, "NEW"))


async def test_an_exact_match_wins_over_loose_ones(bench: Any) -> None:
    before = "say \u2018hi\u2019\nsay 'hi'\n"
    assert (await edited(bench, before, ("say 'hi'", "X"))).decode() == "say \u2018hi\u2019\nX\n"


async def test_a_very_long_run_of_spaces_does_not_slow_a_loose_match(bench: Any) -> None:
    before = " " * 200_000 + "x\n\u2018a\u2019\n"
    assert (await edited(bench, before, ("'a'", "b"))).decode() == " " * 200_000 + "x\nb\n"
