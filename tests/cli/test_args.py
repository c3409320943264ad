from __future__ import annotations

import pytest

from pi_term.base.errors import PiTermError
from pi_term.cli.args import OPTIONS, Arguments, help_text, parse


def test_messages_and_options_mix() -> None:
    found = parse(["first", "--model", "mock/chat", "-p", "second"])
    assert (found.messages, found.model, found.print_mode) == (["first", "second"], "mock/chat", True)


def test_value_may_be_attached() -> None:
    assert parse(["--thinking=high"]).thinking == "high"


@pytest.mark.parametrize("text", ["--- title: x ---\nbody", "-p is an option", "--help me"])
def test_text_with_spaces_is_a_message_even_with_dashes(text: str) -> None:
    """B-090: a prompt that starts with dashes is not read as options."""
    assert parse(["-p", text]).messages == [text]


def test_after_the_double_dash_nothing_is_an_option() -> None:
    found = parse(["-p", "--", "--help", "-c"])
    assert (found.messages, found.help, found.continue_session) == (["--help", "-c"], False, False)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--modle", "x"], "Did you mean --model?"),
        (["--model"], "--model needs a value"),
        (["--print=yes"], "--print takes no value"),
        (["-c", "--session", "x"], "exclude each other"),
        (["--no-session", "-c"], "cannot open a session"),
    ],
)
def test_wrong_usage_is_one_clear_line(argv: list[str], said: str) -> None:
    with pytest.raises(PiTermError) as caught:
        parse(argv)
    assert said in caught.value.text()
    assert "\n" not in caught.value.text()


def test_help_names_every_option() -> None:
    assert all(name in help_text() for option in OPTIONS for name in option.names)


def test_the_key_is_not_in_the_repr() -> None:
    assert "sk-secret" not in repr(parse(["--api-key", "sk-secret"]))


def test_every_option_has_a_target() -> None:
    assert all(hasattr(Arguments(), option.target) for option in OPTIONS)
