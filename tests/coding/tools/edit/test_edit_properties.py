"""Random files, line ends and edits against a model that works on the bytes of single lines."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_term.agent.tools import ToolError
from pi_term.coding.tools.edit.apply import Edit, locate, splice
from pi_term.coding.tools.edit.diff import EditDiff
from pi_term.coding.tools.edit.file import edit_bytes
from pi_term.coding.tools.edit.source import Source, with_plain_ends

ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
BODIES = st.sampled_from(
    [b"", b"alpha", b"\xe9\xff", "ü‘中’".encode(), b"  tab\t ", b"$1 \\g<0>", b"\xef\xbb\xbf", b"x\0"]
)
NEW_BODIES = st.sampled_from([b"", b"new", "‘ø’".encode(), b"$& \\1 {0}%s", b"  "])


@st.composite
def files(draw: st.DrawFn) -> list[tuple[bytes, bytes]]:
    """Lines as (content, end): contents are unique by a number, the last end may be missing."""
    bodies = draw(st.lists(BODIES, min_size=1, max_size=10))
    lines = [(b"[%d]%s" % (number, body), draw(ENDS)) for number, body in enumerate(bodies)]
    if draw(st.booleans()):
        lines[-1] = (lines[-1][0], b"")
    return lines


def readable(data: bytes) -> bool:
    """Whether a model could have repeated these bytes."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@st.composite
def cases(draw: st.DrawFn) -> tuple[bytes, list[Edit], bytes]:
    """A file, edits of whole lines without the last one's end, and the bytes they should give."""
    lines = draw(files())
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    before, after, edits = [mark], [mark], []
    position = 0
    while position < len(lines):
        count = draw(st.integers(1, 3))
        passage = lines[position : position + count]
        raw = b"".join(content + end for content, end in passage)
        before.append(raw)
        position += len(passage)
        old = b"\n".join(content for content, _ in passage)
        if not draw(st.booleans()) or not readable(old):
            after.append(raw)
            continue
        new = draw(st.lists(NEW_BODIES, min_size=1, max_size=4))
        first_end = passage[0][1] or (lines[position - 2][1] if position > 1 else b"") or b"\n"
        new_lines = [b"{%d.%d}%s" % (position, number, body) for number, body in enumerate(new)]
        after.append(first_end.join(new_lines) + passage[-1][1])
        asked = draw(st.sampled_from(["\n", "\r\n"]))
        edits.append(
            Edit(old.decode().replace("\n", asked), b"\n".join(new_lines).decode().replace("\n", asked))
        )
    return b"".join(before), draw(st.permutations(edits)), b"".join(after)


@given(cases())
@settings(max_examples=100)
def test_the_result_equals_the_model_byte_for_byte(case: tuple[bytes, list[Edit], bytes]) -> None:
    before, edits, expected = case
    source = Source(before)
    if not edits:
        return
    garbled = not readable(before) and all(map(readable_as_ascii, before.splitlines())) and not_ascii(edits)
    try:
        assert source.encode(splice(source, locate(source, edits, "f"))) == expected
    except ToolError:
        assert garbled
    else:
        assert not garbled


def readable_as_ascii(line: bytes) -> bool:
    """Whether a line is ASCII, or holds bytes that are no UTF-8 at all."""
    return line.isascii() or not any(not each.isascii() for each in line.decode("utf-8", "ignore"))


def not_ascii(edits: list[Edit]) -> bool:
    return any(not edit.new.isascii() for edit in edits)


TEXT = st.text(st.sampled_from("ab \n\n\té中😀$\\1&"), max_size=40)
CODECS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le"])


@given(
    TEXT,
    st.sampled_from(["\n", "\r\n", "\r"]),
    CODECS,
    st.lists(st.tuples(st.integers(0, 39), st.integers(1, 12), TEXT), min_size=1, max_size=3),
)
@settings(max_examples=300)
def test_bytes_outside_of_the_edits_are_the_same_bytes(
    plain: str, end: str, codec: str, cuts: list[tuple[int, int, str]]
) -> None:
    mark = "\ufeff" if codec.startswith(("utf-16", "utf-32")) else ""

    def as_bytes(text: str, *, first: bool = False) -> bytes:
        used = codec if first else codec.removesuffix("-sig")
        return text.replace("\n", end).encode(used)

    before = as_bytes(mark + plain, first=True)
    spans = sorted((start, start + len(plain[start : start + size]), new) for start, size, new in cuts)
    edits = [Edit(plain[start:stop], new) for start, stop, new in spans]
    is_sound = (
        all(is_once(edit.old, plain) for edit in edits)
        and all(one[1] <= other[0] for one, other in pairwise(spans))
        and any(edit.old != edit.new for edit in edits)
    )
    try:
        after, _ = edit_bytes(before, edits, "f")
    except ToolError:
        assert not is_sound
        return
    assert is_sound
    end = end if "\n" in plain else "\n"
    expected, position = as_bytes(mark, first=True), 0
    for start, stop, new in spans:
        expected += as_bytes(plain[position:start]) + as_bytes(new)
        position = stop
    assert after == expected + as_bytes(plain[position:])


def is_once(old: str, text: str) -> bool:
    return old != "" and text.find(old) == text.rfind(old)


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "a", "b‘", "“c  ", "\u00a0"]), ENDS.map(bytes.decode)), max_size=8
    ),
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8), st.text("ab\n'\r", max_size=5)), max_size=3),
)
@settings(max_examples=100)
def test_pieces_of_lines_change_and_all_else_stays(
    lines: list[tuple[str, str]], cuts: list[tuple[int, int, str]]
) -> None:
    raw = "".join(content + end for content, end in lines)
    source = Source(raw.encode())
    edits = [Edit(source.text[start : start + size], new) for start, size, new in cuts]
    try:
        splices = locate(source, edits, "f")
    except ToolError:
        return
    result = splice(source, splices)
    plain, position = "", 0
    for each in splices:
        plain += source.text[position : each.start] + each.plain
        position = each.end
    assert with_plain_ends(result) == plain + source.text[position:]
    assert result.startswith(source.raw_slice(0, splices[0].start))
    assert result.endswith(source.raw_slice(splices[-1].end, len(source.text)))
    news = {with_plain_ends(edit.new) for edit in edits}
    assert {each.plain for each in splices} <= news | {source.text[s.start : s.end] for s in splices}


@given(
    st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=40).map("".join),
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(1, 6), st.text("ab\n", max_size=6)), min_size=1, max_size=4
    ),
    st.sampled_from(["", "end"]),
)
@settings(max_examples=100)
def test_a_patch_turns_the_old_text_into_the_new(
    body: str, cuts: list[tuple[int, int, str]], last: str
) -> None:
    numbered = "".join(f"{number}{line}" for number, line in enumerate(body.splitlines(keepends=True))) + last
    source = Source(numbered.encode())
    edits = [Edit(source.text[start : start + size], new) for start, size, new in cuts]
    try:
        splices = locate(source, edits, "f")
    except ToolError:
        return
    patch = EditDiff(source, splices, "f").details()["patch"]
    assert applied(numbered, patch) == splice(source, splices)


def applied(text: str, patch: str) -> str:
    """What the patch makes of the text, by the rules of unified diffs; every line it names must be there."""
    old = text.splitlines(keepends=True)
    new: list[str] = []
    position = 0
    rows = patch.splitlines(keepends=True)[2:]
    for index, row in enumerate(rows):
        kind, content = row[0], row[1:]
        if rows[index + 1 : index + 2] and rows[index + 1].startswith("\\"):
            content = content.removesuffix("\n")
        if kind == "@":
            start, count = map(int, row.split()[1][1:].split(","))
            begin = start if count == 0 else start - 1
            new += old[position:begin]
            position = begin
            new_start, new_count = map(int, row.split()[2][1:].split(","))
            assert len(new) == (new_start if new_count == 0 else new_start - 1)
        elif kind in " -":
            assert old[position] == content
            position += 1
        if kind in " +":
            new.append(content)
    return "".join(new + old[position:])


def test_a_large_file_is_edited_quickly_enough() -> None:
    before = "".join(f"line {n} of a long file\n" for n in range(200_000)).encode()
    old, new = (
        "".join(f"{word} {n} of a long file\n" for n in range(1000, 6000)) for word in ("line", "row")
    )
    after, details = edit_bytes(before, [Edit(old, new), Edit("line 199999 ", "last ")], "f")
    assert after.count(b"row") == 5000
    assert details["firstChangedLine"] == 1001
