"""The command line: what is an option, a message or a file, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_term.ai.models import THINKING_LEVELS
from pi_term.base.errors import PiTermError
from pi_term.cli.args import parse
from pi_term.cli.help import help_text
from pi_term.cli.options import LEVELS, NO_COMMANDS, NOT_YET, OPTIONS, Arguments


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
    found = parse(["-p", "--", "--help", "-c", "@a.txt", "--"])
    assert (found.messages, found.files) == (["--help", "-c", "--"], ["a.txt"])
    assert (found.help, found.continue_session) == (False, False)


def test_files_are_named_with_an_at_sign() -> None:
    found = parse(["@a.txt", "explain", "@two words.png", "@", "a@b"])
    assert (found.files, found.messages) == (["a.txt", "two words.png"], ["explain", "@", "a@b"])


def test_a_value_may_begin_with_a_dash() -> None:
    assert parse(["--system-prompt", "- be brief"]).system_prompt == "- be brief"
    assert parse(["--tools", "-write"]).tools == ["-write"]


def test_lists() -> None:
    found = parse(["--tools", "read, grep,,ls", "--models", "a/*,b:high", "--skill", "x", "--skill", "y,z"])
    assert (found.tools, found.models) == (["read", "grep", "ls"], ["a/*", "b:high"])
    assert found.skills == ["x", "y,z"]
    assert parse(["-t", "read", "-t", "bash"]).tools == ["bash"]
    assert (parse([]).tools, parse(["-t", ""]).tools) == (None, [])


def test_short_names() -> None:
    found = parse(["-c", "-na", "-nt", "-ns", "-np", "-nc", "-n", "My work", "-xt", "bash"])
    assert (found.continue_session, found.trust, found.any_tools) == (True, False, False)
    assert (found.no_skills, found.no_templates, found.context_files) == (True, True, False)
    assert (found.name, found.exclude_tools) == ("My work", ["bash"])


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--modle", "x"], "Did you mean --mode or --model?"),
        (["-z"], "Unknown option -z"),
        (["--model"], "--model needs a value"),
        (["--model", "--print"], "--model needs a value"),
        (["--print=yes"], "--print takes no value"),
        (["-c", "--session", "x"], "exclude each other"),
        (["-c", "-r"], "exclude each other"),
        (["--fork", "x", "-c"], "exclude each other"),
        (["--session-id", "x", "--session", "y"], "exclude each other"),
        (["--no-session", "--session", "x"], "exclude each other"),
        (["--no-session", "--fork", "x"], "exclude each other"),
        (["--session-id", "a b"], "letters and digits"),
        (["--session-id", ".a"], "letters and digits"),
        (["--session-id", ""], "letters and digits"),
        (["--name", "  "], "needs a name"),
        (["--thinking", "hard"], "'hard' is no thinking level"),
        (["--mode", "xml"], "'xml' is no mode"),
        (["--mode", "rpc", "@a.txt"], "@files are not supported in rpc mode"),
        (["--mode", "rpc", "hello"], "not supported in rpc mode"),
        (["--tools", "+grep,read"], "not both"),
        (["--max-cost", "much"], "number of dollars"),
        (["--max-cost", "-1"], "number of dollars"),
        (["--api-key", "sk"], "goes with --model"),
        (["--local"], "goes with --list-models"),
    ],
)
def test_wrong_usage_is_one_clear_line(argv: list[str], said: str) -> None:
    with pytest.raises(PiTermError) as caught:
        parse(argv)
    assert said in caught.value.text()
    assert "\n" not in caught.value.text()


@pytest.mark.parametrize("argv", [*([name] for name in NOT_YET), *([name] for name in NO_COMMANDS)])
def test_what_pi_has_and_this_has_not_is_refused(argv: list[str]) -> None:
    with pytest.raises(PiTermError) as caught:
        parse([*argv, "x"])
    assert argv[0] in caught.value.text()


@pytest.mark.parametrize(
    "argv",
    [
        ["--session-id", "my.own-id_2"],
        ["--session-id", "x", "--fork", "y"],
        ["-c", "--no-session"],
        ["--max-cost", "2.50"],
        ["--mode", "rpc", "--no-themes", "--session", "x.jsonl"],
        ["--", "install"],
        ["the list"],
    ],
)
def test_what_goes_together(argv: list[str]) -> None:
    parse(argv)


def test_a_cost_limit_and_a_theme_are_settings() -> None:
    assert parse(["--max-cost", "0.5", "--use-theme", "dark"]).settings == {
        "theme": "dark",
        "spendLimit": 0.5,
    }
    assert parse([]).settings == {}


def test_help_names_every_option_and_fits_a_terminal() -> None:
    assert all(name in help_text() for option in OPTIONS for name in option.names)
    assert max(map(len, help_text().splitlines())) <= 80


def test_the_documentation_names_the_options_that_there_are() -> None:
    text = (Path(__file__).parent.parent.parent / "docs" / "cli.md").read_text()
    named = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+|-[a-z]{1,3})(?![\w-])", text))
    ours = {name for option in OPTIONS for name in option.names}
    assert named <= {*ours, *NOT_YET}
    untold = {option.names[0] for option in OPTIONS if not named & set(option.names)}
    assert untold == {"--demo", "--offline", "--debug", "--version"}


def test_the_levels_are_those_of_models() -> None:
    assert LEVELS == THINKING_LEVELS


def test_the_key_is_not_in_the_repr() -> None:
    assert "sk-secret" not in repr(parse(["--model", "m", "--api-key", "sk-secret"]))


def test_every_option_has_a_target() -> None:
    assert all(hasattr(Arguments(), option.target) for option in OPTIONS)
    names = [name for option in OPTIONS for name in option.names]
    assert len(names) == len(set(names))
