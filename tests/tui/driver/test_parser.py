from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events, messages
from textual.message import Message

from pi_term.tui.driver.parser import InputParser, escape_delay
from pi_term.tui.driver.reports import TerminalColour

DELAY = 0.04


def feed(*chunks: bytes) -> list[Message]:
    """The messages for chunks that follow each other at once, and then nothing for a long time."""
    parser = InputParser(DELAY)
    now = 100.0
    result: list[Message] = []
    for chunk in chunks:
        result += parser.feed(chunk, now)
    while parser.deadline is not None:
        now = parser.deadline
        result += parser.expire(now)
    return result


def show(result: list[Message]) -> list[object]:
    shown: list[object] = []
    for message in result:
        match message:
            case events.Key():
                shown.append((message.key, message.character))
            case events.Paste():
                shown.append(("paste", message.text))
            case events.MouseEvent():
                shown.append((type(message).__name__, message.x, message.y, message.button))
            case _:
                shown.append(type(message).__name__)
    return shown


def keys(*chunks: bytes) -> list[str]:
    return [message.key for message in feed(*chunks) if isinstance(message, events.Key)]


LEGACY = {
    b"a": ("a", "a"),
    b"A": ("A", "A"),
    b".": ("full_stop", "."),
    b" ": ("space", " "),
    "é".encode(): ("é", "é"),
    "漢".encode(): ("漢", "漢"),
    b"\r": ("enter", "\r"),
    b"\n": ("ctrl+j", "\n"),
    b"\t": ("tab", "\t"),
    b"\x7f": ("backspace", "\x7f"),
    b"\x00": ("ctrl+space", "\x00"),
    b"\x03": ("ctrl+c", "\x03"),
    b"\x1f": ("ctrl+underscore", "\x1f"),
    b"\x1b": ("escape", "\x1b"),
    b"\x1b\r": ("alt+enter", None),
    b"\x1b\x7f": ("alt+backspace", None),
    b"\x1bb": ("alt+b", None),
    b"\x1bf": ("alt+f", None),
    b"\x1bd": ("alt+d", None),
    b"\x1bO": ("alt+shift+o", None),
    b"\x1bP": ("alt+shift+p", None),
    b"\x1bX": ("alt+shift+x", None),
    b"\x1bB": ("alt+shift+b", None),
    b"\x1b1": ("alt+1", None),
    b"\x1b-": ("alt+minus", None),
    b"\x1b?": ("alt+question_mark", None),
    b"\x1b<": ("alt+less_than_sign", None),
    b"\x1b[": ("alt+left_square_bracket", None),
    b"\x1b]": ("alt+right_square_bracket", None),
    b"\x1b\\": ("alt+backslash", None),
    b"\x1b ": ("alt+space", None),
    "\x1bé".encode(): ("alt+é", None),
    b"\x1b\x01": ("alt+ctrl+a", None),
    b"\x1b\x08": ("alt+backspace", None),
    b"\x1b\t": ("shift+tab", None),
    b"\x1b[Z": ("shift+tab", None),
    b"\x1b[A": ("up", None),
    b"\x1bOA": ("up", None),
    b"\x1b[H": ("home", None),
    b"\x1b[1~": ("home", None),
    b"\x1b[3~": ("delete", None),
    b"\x1b[5~": ("pageup", None),
    b"\x1bOP": ("f1", None),
    b"\x1b[15~": ("f5", None),
    b"\x1b[24~": ("f12", None),
    b"\x1b[[A": ("f1", None),
    b"\x1b[1;2A": ("shift+up", None),
    b"\x1b[1;3D": ("alt+left", None),
    b"\x1b[1;5C": ("ctrl+right", None),
    b"\x1b[1;6F": ("ctrl+shift+end", None),
    b"\x1b[1;7D": ("alt+ctrl+left", None),
    b"\x1b[1;2P": ("shift+f1", None),
    b"\x1b[1;5R": ("ctrl+f3", None),
    b"\x1b[3;5~": ("ctrl+delete", None),
    b"\x1b[5;7~": ("alt+ctrl+pageup", None),
    b"\x1bO5A": ("ctrl+up", None),
    b"\x1bO1;3P": ("alt+f1", None),
    b"\x1b\x1b[D": ("alt+left", None),
    b"\x1b\x1bOC": ("alt+right", None),
    b"\x1b[a": ("shift+up", None),
    b"\x1bOa": ("ctrl+up", None),
    b"\x1bOb": ("ctrl+down", None),
    b"\x1b[3$": ("shift+delete", None),
    b"\x1b[7^": ("ctrl+end", None),
    b"\x1b[5A": ("ctrl+up", None),
    b"\x1bOM": ("enter", "\r"),
    b"\x1bOk": ("plus", "+"),
    b"\x1b[1;5q": ("ctrl+1", None),
}

KITTY = {
    b"\x1b[97u": ("a", "a"),
    b"\x1b[97;;97u": ("a", "a"),
    b"\x1b[97;2;65u": ("A", "A"),
    b"\x1b[97:65;2u": ("A", "A"),
    b"\x1b[97;2u": ("A", "A"),
    b"\x1b[97;65;65u": ("A", "A"),
    b"\x1b[49:33;2;33u": ("exclamation_mark", "!"),
    b"\x1b[49:33;2u": ("exclamation_mark", "!"),
    b"\x1b[32;;32u": ("space", " "),
    b"\x1b[32;2;32u": ("shift+space", " "),
    b"\x1b[233;;233u": ("é", "é"),
    b"\x1b[13u": ("enter", "\r"),
    b"\x1b[13;1:1u": ("enter", "\r"),
    b"\x1b[13;1:2u": ("enter", "\r"),
    b"\x1b[13;2u": ("shift+enter", None),
    b"\x1b[13;3u": ("alt+enter", None),
    b"\x1b[13;5u": ("ctrl+enter", None),
    b"\x1b[13;5:2u": ("ctrl+enter", None),
    b"\x1b[57414u": ("enter", "\r"),
    b"\x1b[9u": ("tab", "\t"),
    b"\x1b[9;2u": ("shift+tab", None),
    b"\x1b[127u": ("backspace", "\x7f"),
    b"\x1b[127;3u": ("alt+backspace", None),
    b"\x1b[27u": ("escape", "\x1b"),
    b"\x1b[27;3u": ("alt+escape", None),
    b"\x1b[98;3u": ("alt+b", None),
    b"\x1b[98;3;98u": ("alt+b", None),
    b"\x1b[98:66;4u": ("alt+shift+b", None),
    b"\x1b[108;3;64u": ("at", "@"),  # Option+L of a German Mac
    b"\x1b[113;7;64u": ("at", "@"),  # AltGr reported as Ctrl+Alt
    b"\x1b[112;6u": ("ctrl+shift+p", None),
    b"\x1b[112:80;6u": ("ctrl+shift+p", None),
    b"\x1b[112;5;112u": ("ctrl+p", None),
    b"\x1b[112;7u": ("alt+ctrl+p", None),
    b"\x1b[32;5u": ("ctrl+space", None),
    b"\x1b[46:62;4u": ("alt+greater_than_sign", None),
    b"\x1b[45:95;6u": ("ctrl+underscore", None),
    b"\x1b[99;9u": ("super+c", None),
    b"\x1b[1089::99;5u": ("ctrl+c", None),
    b"\x1b[1089:1057:99;6u": ("ctrl+shift+c", None),
    b"\x1b[1;1:1A": ("up", None),
    b"\x1b[1;5:2A": ("ctrl+up", None),
    b"\x1b[1;129A": ("up", None),
    b"\x1b[3;5:1~": ("ctrl+delete", None),
    b"\x1b[57400;129;49u": ("1", "1"),
    b"\x1b[57417u": ("left", None),
    b"\x1b[57376u": ("f13", None),
    b"\x1b[0;;128512u": ("grinning_face", "😀"),
}

MODIFY_OTHER_KEYS = {
    b"\x1b[27;2;13~": ("shift+enter", None),
    b"\x1b[27;5;13~": ("ctrl+enter", None),
    b"\x1b[27;3;13~": ("alt+enter", None),
    b"\x1b[27;5;97~": ("ctrl+a", None),
    b"\x1b[27;6;80~": ("ctrl+shift+p", None),
    b"\x1b[27;3;98~": ("alt+b", None),
    b"\x1b[27;4;66~": ("alt+shift+b", None),
    b"\x1b[27;7;120~": ("alt+ctrl+x", None),
    b"\x1b[27;2;65~": ("A", "A"),
    b"\x1b[27;2;97~": ("A", "A"),
    b"\x1b[27;2;63~": ("question_mark", "?"),
    b"\x1b[27;6;95~": ("ctrl+underscore", None),
    b"\x1b[27;4;62~": ("alt+greater_than_sign", None),
    b"\x1b[27;5;8~": ("ctrl+backspace", None),
    b"\x1b[27;2;9~": ("shift+tab", None),
    b"\x1b[27;5;32~": ("ctrl+space", None),
}

SILENT = [
    b"\x1b[13;1:3u",  # releases
    b"\x1b[97;1:3u",
    b"\x1b[1;1:3A",
    b"\x1b[3;1:3~",
    b"\x1b[57441;2u",  # a lone Shift
    b"\x1b[57358;65u",  # Caps Lock
    b"\x1b[0u",
    b"\x1b[99999999999999999999u",
    b"\x1b[1114112u",
    b"\x1b[55296u",
    b"\x1b[13;" + b"9" * 5000 + b"u",
    b"\x1b[?62;1;4c",
    b"\x1b[>1;10;0c",
    b"\x1b[=0c",
    b"\x1b[0n",
    b"\x1b[?997;1n",
    b"\x1b[24;80R",
    b"\x1b[1;1R",
    b"\x1b[1;80R",
    b"\x1b[?2026;0$y",
    b"\x1b[?2048;2$y",
    b"\x1b[48;24;80;480;800t",
    b"\x1b[8;24;80t",
    b"\x1b[4;480;800t",
    b"\x1b]11;?\x07",
    b"\x1b]52;c;aGVsbG8=\x1b\\",
    b"\x1b]Lwindow title\x1b\\",
    b"\x1bP>|XTerm(370)\x1b\\",
    b"\x1bP1+r544e=787465726d\x1b\\",
    b"\x1bP!|00000000\x1b\\",
    b"\x1b_Gi=31;OK\x1b\\",
    b"\x1b^private\x1b\\",
    b"\x1bXstart of string\x1b\\",
    b"\x1bPcancelled\x18",
    b"\x1b[M !!",
    b"\x1b[M\xa0\xc3\xa9",
    b"\x1b[32;10;20M",
    b"\x1b[<0;1M",
    b"\x1b[<128;1;1M",
    b"\x1b[<0;-3;-1M",
    b"\x1b[<0;0;0M",
    b"\x1b[<99999999999;1;1M",
    b"\x1b[201~",
    b"\x1b[12345~",
    b"\x1b[?25h",
    b"\x1b[ q",
    b"\x1b[62~",
    b"\x1b[1;2;3;4;5u",
    b"\x1b[" + b"1;" * 4000 + b"1m",
    b"\xc2\x9b",
]

OTHERS: dict[bytes, list[object]] = {
    b"\x1b[I": ["AppFocus"],
    b"\x1b[O": ["AppBlur"],
    b"\x1b[<0;3;5M": [("MouseDown", 2.0, 4.0, 1)],
    b"\x1b[<0;3;5m": [("MouseUp", 2.0, 4.0, 1)],
    b"\x1b[<35;3;5M": [("MouseMove", 2.0, 4.0, 0)],
    b"\x1b[<64;3;5M": [("MouseScrollUp", 2.0, 4.0, 0)],
    b"\x1b[?1u": ["KeyboardReported"],
    b"\x1b[?2026;2$y": ["TerminalSupportsSynchronizedOutput"],
    b"\x1b]11;rgb:ffff/8080/0000\x1b\\": ["TerminalColour"],
    b"\x1b[200~hi\x1b[201~": [("paste", "hi")],
    b"\x1b[200~\x1b[201~": [("paste", "")],
    b"\x1b[200~a\x1b[31mb\x1b\x1b[200~c\x00\x1b[201~": [("paste", "a\x1b[31mb\x1b\x1b[200~c\x00")],
    b"\x1b[200~line 1\nline 2\rline 3\r\n\x1b[201~": [("paste", "line 1\nline 2\nline 3\n")],
    "\x1b[200~漢\x1b[201~x".encode(): [("paste", "漢"), ("x", "x")],
    b"\x1b[0;;104:105u": [("h", "h"), ("i", "i")],
    b"\x1b\x1b": [("escape", "\x1b"), ("escape", "\x1b")],
    b"\x1b\x1bx": [("escape", "\x1b"), ("alt+x", None)],
    b"\x1b\x1b[<35;3;5M": [("escape", "\x1b"), ("MouseMove", 2.0, 4.0, 0)],
    b"\x1b\x1b[200~p\x1b[201~": [("escape", "\x1b"), ("paste", "p")],
    b"\x1b\x1b]0;t\x07": [("escape", "\x1b")],
    b"\xffa": [("replacement_character", "\ufffd"), ("a", "a")],
    b"\xc3\x1b[A": [("replacement_character", "\ufffd"), ("up", None)],
    b"\x1b]unterminated\r": [("enter", "\r")],
    b"\x1b]unterminated\x1b[A": [("up", None)],
    b"\x1b]\r": [("alt+right_square_bracket", None), ("enter", "\r")],
    b"\x1b[1;\rx": [("enter", "\r"), ("x", "x")],
}

KEY_TABLE = {**LEGACY, **KITTY, **MODIFY_OTHER_KEYS}
CASES: dict[bytes, list[object]] = {
    **{sequence: [key] for sequence, key in KEY_TABLE.items()},
    **{sequence: [] for sequence in SILENT},
    **OTHERS,
}


@pytest.mark.parametrize(("sequence", "expected"), CASES.items(), ids=lambda value: repr(value)[:40])
def test_a_sequence_means_what_was_pressed(sequence: bytes, expected: list[object]) -> None:
    assert show(feed(sequence)) == expected


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60), st.data())
def test_any_bytes_in_any_pieces_give_the_same_and_never_an_error(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=8)))
    pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    assert show(feed(*pieces)) == show(feed(data))


sequence_like = st.lists(
    st.one_of(
        st.sampled_from(sorted(CASES)),
        st.sampled_from(
            [b"\x1b", b"\x1b[", b"\x1bO", b"\x1b]", b"\x1bP", b";", b":", b"1", b"u", b"~", b"$", b"M"]
        ),
        st.binary(max_size=3),
    ),
    max_size=12,
).map(b"".join)


@settings(max_examples=100, deadline=None)
@given(sequence_like, st.data())
def test_mixed_sequences_survive_any_cuts(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=8)))
    pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    assert show(feed(*pieces)) == show(feed(data))


@pytest.mark.parametrize("sequence", CASES, ids=lambda value: repr(value)[:40])
def test_a_known_sequence_may_arrive_byte_by_byte(sequence: bytes) -> None:
    assert show(feed(*(bytes([byte]) for byte in sequence))) == CASES[sequence]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**22), st.integers(0, 2**9), st.integers(0, 4), st.sampled_from(b"u~ABCDEFHPQRSZ"))
def test_numbered_keys_never_fail(code: int, modifiers: int, event: int, final: int) -> None:
    for text in (b"", b";", b";65", b";65:66"):
        feed(b"\x1b[%d:%d:%d;%d:%d%b%c" % (code, code + 1, code, modifiers, event, text, final))


def test_typing_ascii_yields_printable_events() -> None:
    text = "".join(map(chr, range(0x20, 0x7F)))
    result = [message for message in feed(text.encode()) if isinstance(message, events.Key)]
    assert "".join(message.character or "" for message in result) == text
    assert all(message.is_printable for message in result)


def test_chords_type_nothing() -> None:
    chords = [sequence for sequence, (key, _) in KEY_TABLE.items() if re.match("(alt|ctrl|super)[+]", key)]
    for sequence in chords:
        assert not any(message.is_printable for message in feed(sequence) if isinstance(message, events.Key))


def test_every_alt_letter_is_its_own_key() -> None:
    names = {letter: keys(b"\x1b%c" % letter) for letter in b"abcdefghijklmnopqrstuvwxyz"}
    assert names == {letter: [f"alt+{chr(letter)}"] for letter in names}


class TestTime:
    def test_escape_is_known_after_the_delay_and_not_before(self) -> None:
        parser = InputParser(DELAY)
        assert parser.feed(b"\x1b", 1.0) == []
        assert parser.deadline == pytest.approx(1.0 + DELAY)
        assert parser.expire(1.0 + DELAY / 2) == []
        assert show(parser.expire(1.0 + DELAY)) == [("escape", "\x1b")]
        assert parser.deadline is None

    def test_input_that_was_there_in_time_is_not_a_lone_escape(self) -> None:
        # The thread was kept waiting past the deadline: who feeds first asks whether bytes are there.
        parser = InputParser(DELAY)
        parser.feed(b"\x1b", 1.0)
        assert show(parser.feed(b"[A", 9.0 - 8.0 + 0.5)) == [("up", None)]

    @pytest.mark.parametrize(
        "rest", [b"[?62;1c", b"[<35;10;10M", b"]11;rgb:0/0/0\x07", b"P>|term\x1b\\", b"_Gi=1;OK\x1b\\"]
    )
    def test_an_answer_whose_rest_comes_late_is_not_typed(self, rest: bytes) -> None:
        for cut in (0, 1, 2):
            parser = InputParser(DELAY)
            parser.feed(b"\x1b" + rest[:cut], 1.0)
            parser.expire(1.5)
            late = parser.feed(rest[cut:], 1.9)
            assert not any(message.is_printable for message in late if isinstance(message, events.Key))

    def test_typing_soon_after_escape_is_typing(self) -> None:
        for typed in (b"[", b"]", b"hello", b"P", b"[x]"):
            parser = InputParser(DELAY)
            parser.feed(b"\x1b", 1.0)
            parser.expire(1.1)
            result = [message for message in parser.feed(typed, 1.2) if isinstance(message, events.Key)]
            assert "".join(message.character or "" for message in result) == typed.decode()

    def test_an_unterminated_string_gives_the_keyboard_back(self) -> None:
        parser = InputParser(DELAY)
        parser.feed(b"\x1b]11;rgb", 1.0)
        assert parser.feed(b"x", 1.5) == []
        assert show(parser.feed(b"y", 9.0)) == [("y", "y")]
        parser.feed(b"\x1bPq", 10.0)
        assert parser.deadline is not None
        assert parser.expire(parser.deadline) == []
        assert show(parser.feed(b"z", 20.0)) == [("z", "z")]

    def test_an_unfinished_sequence_gives_the_keyboard_back(self) -> None:
        parser = InputParser(DELAY)
        parser.feed(b"\x1b[12", 1.0)
        assert parser.deadline is not None
        assert parser.expire(parser.deadline) == []
        assert show(parser.feed(b"u", parser.deadline or 5.0)) == [("u", "u")]


def test_colour_answers_carry_the_colour() -> None:
    (message,) = feed(b"\x1b]10;rgb:ff/80/00\x07")
    assert isinstance(message, TerminalColour)
    assert (message.background, message.rgb) == (False, (255, 128, 0))


@pytest.mark.parametrize("state", range(6))
def test_synchronised_output_is_used_only_where_it_can_be_switched_on(state: int) -> None:
    result = feed(b"\x1b[?2026;%d$y" % state)
    supported = [m for m in result if isinstance(m, messages.TerminalSupportsSynchronizedOutput)]
    assert bool(supported) == (state in (1, 2, 3))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("", 0.04), ("25", 0.025), ("0", 0.001), ("999999", 2.0), ("x", 0.04), ("-5", 0.04), ("9" * 99, 0.04)],
)
def test_escape_delay_comes_from_the_environment(value: str, seconds: float) -> None:
    assert escape_delay({"ESCDELAY": value}) == pytest.approx(seconds)
