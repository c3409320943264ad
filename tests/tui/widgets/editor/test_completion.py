"""Completions above the editor."""

from __future__ import annotations

from typing import Any

import pytest

from pi_term.tui.widgets.editor.completion import Completion, CompletionList, CompletionSource, OfferChosen

COMMANDS = {"/new": True, "/model": True, "/name": False, "/quit": True, "/not[bold]": True}


class Commands(CompletionSource):
    """Slash commands on the first line; `/name` wants an argument."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def complete(self, text: str, cursor: int, *, forced: bool = False) -> list[Completion] | None:
        self.asked.append((text, cursor))
        typed = text[:cursor]
        if not typed.startswith("/") or " " in typed:
            return None
        return [
            Completion(name, name if final else f"{name} ", f"does {name}", final=final)
            for name, final in COMMANDS.items()
            if name.startswith(typed)
        ]


class Words(CompletionSource):
    """Completes `@` anywhere in a line."""

    def complete(self, text: str, cursor: int, *, forced: bool = False) -> list[Completion] | None:
        start = text.rfind("@", 0, cursor)
        return None if start < 0 else [Completion("readme", "@README.md ", start=start)]


def offers(driver: Any) -> list[str]:
    found = driver.app.query_one(CompletionList)
    region = found.region
    return driver.screen()[region.y : region.bottom] if found.display else []


@pytest.fixture
def source() -> Commands:
    return Commands()


async def test_the_list_opens_above_the_editor_and_follows_typing(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        before = driver.editor.region
        await driver.type("/")
        assert offers(driver) == [
            " /new        does /new",
            " /model      does /model",
            " /name       does /name",
            " /quit       does /quit",
            " /not[bold]  does /not[bold]",
        ]
        assert driver.editor.region == before
        assert driver.screen()[before.y - 1] == " /not[bold]  does /not[bold]"
        await driver.type("n")
        assert [line.split()[0] for line in offers(driver)] == ["/new", "/name", "/not[bold]"]
        await driver.press("backspace")
        assert len(offers(driver)) == 5
        await driver.type("xyz")
        assert offers(driver) == []
        await driver.press("backspace", "backspace", "backspace")
        assert len(offers(driver)) == 5


async def test_enter_takes_and_sends_a_complete_command(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        await driver.type("/")
        await driver.press("down", "enter")
        assert driver.app.submitted == ["/model"]
        assert driver.editor.is_empty
        assert offers(driver) == []


async def test_enter_waits_for_an_argument_that_is_needed(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        await driver.type("/na")
        await driver.press("enter")
        assert driver.app.submitted == []
        assert driver.editor.text == "/name "
        await driver.type("work")
        await driver.press("enter")
        assert driver.app.submitted == ["/name work"]


async def test_tab_takes_without_sending(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        await driver.type("/q")
        await driver.press("tab")
        assert driver.editor.text == "/quit"
        assert driver.app.submitted == []
        await driver.press("enter")
        assert driver.app.submitted == ["/quit"]


async def test_tab_asks_again_after_escape(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        await driver.type("/n")
        await driver.press("escape")
        assert offers(driver) == []
        assert driver.app.actions == []
        await driver.type("a")
        assert offers(driver) == []
        await driver.press("tab")
        assert driver.editor.text == "/name "
        await driver.press("backspace")
        assert len(offers(driver)) == 1
        await driver.press("escape", "escape")
        assert driver.app.actions == ["app.interrupt"]


async def test_up_goes_round_and_pages_stop_at_the_ends(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        await driver.type("/")
        found = driver.app.query_one(CompletionList)
        await driver.press("up")
        assert found.selected.label == "/not[bold]"
        await driver.press("down")
        assert found.selected.label == "/new"
        await driver.press("pagedown")
        assert found.selected.label == "/not[bold]"
        await driver.press("pageup")
        assert found.selected.label == "/new"


async def test_ctrl_c_is_for_the_app_even_with_a_list(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        driver.app.applicable = lambda action_id: action_id == "app.clear"
        await driver.type("/")
        await driver.press("ctrl+c")
        assert driver.app.actions == ["tui.input.copy", "app.clear"]


async def test_pastes_and_recalled_prompts_open_no_list(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        await driver.paste("/n")
        await driver.press("enter")
        assert driver.app.submitted == ["/n"]
        asked = len(source.asked)
        await driver.press("up")
        assert driver.editor.text == "/n"
        assert offers(driver) == []
        await driver.paste("x\n" * 20_000)
        assert len(source.asked) == asked


async def test_offers_replace_only_their_own_part_of_a_later_line(open_editor: Any) -> None:
    async with open_editor(completions=Words()) as driver:
        await driver.paste("line\n" * 30)
        await driver.type("one\nsee @re")
        await driver.press("tab")
        assert driver.editor.text == "line\n" * 30 + "one\nsee @README.md "


async def test_a_folded_paste_is_one_character_to_a_source(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        await driver.type("a\n")
        await driver.paste("line\n" * 30)
        await driver.type("b")
        assert source.asked[-1] == ("\n\ufffcb", 3)


async def test_a_click_takes_an_offer_without_sending(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        await driver.type("/")
        await driver.pilot.click(CompletionList, offset=(3, 3))
        await driver.pilot.pause()
        assert driver.editor.text == "/quit"
        assert driver.app.submitted == []
        assert driver.app.focused is driver.editor


async def test_losing_the_focus_closes_the_list(open_editor: Any, source: Commands) -> None:
    async with open_editor(completions=source) as driver:
        await driver.type("/")
        driver.app.set_focus(None)
        await driver.pilot.pause()
        assert offers(driver) == []


async def test_a_long_list_scrolls_with_the_selection(open_editor: Any) -> None:
    class Many(CompletionSource):
        def complete(self, text: str, cursor: int, *, forced: bool = False) -> list[Completion]:
            return [Completion(f"item {number}", "x") for number in range(20)]

    async with open_editor(completions=Many()) as driver:
        await driver.type("a")
        assert len(offers(driver)) == 8
        await driver.press(*["down"] * 9)
        assert offers(driver)[-1].split() == ["item", "9", "10/20"]
        assert offers(driver)[0].strip() == "item 2"


async def test_offers_from_elsewhere_cannot_act_on_the_terminal(open_editor: Any) -> None:
    class Hostile(CompletionSource):
        def complete(self, text: str, cursor: int, *, forced: bool = False) -> list[Completion]:
            return [Completion("\x1b[2Jlabel\n", "in\x1b]0;t\x07sert", "\x1b[31mdescription")]

    async with open_editor(completions=Hostile()) as driver:
        await driver.type("a")
        assert offers(driver) == [" label   description"]
        await driver.press("tab")
        assert driver.editor.text == "insert"


def test_the_message_of_a_click_names_the_offer() -> None:
    assert OfferChosen(3).index == 3
