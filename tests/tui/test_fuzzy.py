"""Which of many names somebody means."""

from __future__ import annotations

from pi_term.tui.fuzzy import best_matches

MODELS = ["acme/gpt-5-mini", "acme/gpt-5", "other/gpt-5", "acme/claude-opus-4-5"]


def found(query: str, names: list[str]) -> list[str]:
    return [names[place] for place in best_matches(query, names)]


def test_without_a_query_everything_in_order() -> None:
    assert found("  ", MODELS) == MODELS


def test_whole_names_and_starts_of_words_come_first() -> None:
    assert found("acme/gpt-5", MODELS) == ["acme/gpt-5", "acme/gpt-5-mini"]
    assert found("opus", MODELS) == ["acme/claude-opus-4-5"]
    assert found("set", ["reset", "asset store", "settings", "a set"])[0] == "settings"


def test_words_in_any_order_and_characters_in_order() -> None:
    assert found("mini acme", MODELS) == ["acme/gpt-5-mini"]
    assert found("cldop", MODELS) == ["acme/claude-opus-4-5"]
    assert found("xyz", MODELS) == []
    # Only where nothing has the word as it is: who marks all that “opus” finds wants no others.
    assert found("opus", ["anthropic/claude-mythos", "anthropic/claude-opus"]) == ["anthropic/claude-opus"]


def test_what_is_told_of_a_name_counts_less_and_only_as_whole_words() -> None:
    names = ["Reload\nread the theme again", "Theme\nchoose colours"]
    assert found("theme", names) == ["Theme\nchoose colours", "Reload\nread the theme again"]
    assert found("rdtm", names) == []


def test_blanks_that_fill_a_column_do_not_count() -> None:
    assert found("theme", ["themes     \nx", "theme      \ny"])[0] == "theme      \ny"
