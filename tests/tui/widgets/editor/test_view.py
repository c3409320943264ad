"""The editor on the screen: growth, wrapping, cursor, and how little is painted for a key."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len
from textual.events import MouseScrollUp

from pi_term.tui.widgets.editor.view import DocumentView

WIDE = "你好世界 full　width ＡＢＣ 🇩🇪🇫🇷 👨‍👩‍👧 e\u0301e\u0301 ภาษาไทย ก็ end"


class Paints:
    """Counts rows that are drawn again, and bytes of what goes to the terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, app: Any) -> None:
        self.rows: list[int] = []
        self.bytes = 0
        original = DocumentView.render_line
        display = app._display

        def render_line(view: DocumentView, y: int) -> Any:
            self.rows.append(y)
            return original(view, y)

        def counting(screen: Any, renderable: Any) -> None:
            if hasattr(renderable, "render_segments"):
                self.bytes += len(renderable.render_segments(app.console).encode())
            display(screen, renderable)

        monkeypatch.setattr(DocumentView, "render_line", render_line)
        monkeypatch.setattr(app, "_display", counting)

    def forget(self) -> None:
        self.rows.clear()
        self.bytes = 0


async def test_one_key_paints_one_row_and_writes_little(
    open_editor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_editor(size=(120, 40)) as driver:
        driver.editor.set_text("\n".join(f"line {number} of a long prompt" for number in range(5_000)))
        await driver.pilot.pause()
        paints = Paints(monkeypatch, driver.app)
        last = driver.editor.region.height - 2
        for char in "typed":
            paints.forget()
            await driver.press(char)
            assert paints.rows == [last]
            assert 0 < paints.bytes < 1_000
        paints.forget()
        await driver.press("left")
        assert paints.rows == [last]
        paints.forget()
        await driver.press("up")
        assert paints.rows == [last - 1, last]
        assert paints.bytes < 1_000


async def test_a_key_that_changes_nothing_paints_nothing(
    open_editor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_editor() as driver:
        paints = Paints(monkeypatch, driver.app)
        await driver.press("left", "backspace", "ctrl+y", "f9")
        assert paints.rows == []


async def test_it_grows_to_a_third_of_the_screen_and_then_scrolls(open_editor: Any) -> None:
    async with open_editor(size=(40, 24)) as driver:
        assert driver.editor.region.height == 3
        assert driver.screen()[-1] == "footer"
        await driver.type("1\n2\n3")
        assert driver.rows() == ["1", "2", "3"]
        await driver.type("\n4\n5\n6\n7\n8")
        assert driver.editor.region.height == 8
        assert driver.rows() == ["3", "4", "5", "6", "7", "8"]
        assert "↑ 2 more" in driver.screen()[driver.editor.region.y]
        await driver.press(*["up"] * 7)
        assert driver.rows() == ["1", "2", "3", "4", "5", "6"]
        assert "↓ 2 more" in driver.screen()[driver.editor.region.bottom - 1]
        driver.editor.clear()
        await driver.pilot.pause()
        assert driver.editor.region.height == 3


async def test_a_taller_terminal_gives_more_room(open_editor: Any) -> None:
    async with open_editor(size=(40, 24)) as driver:
        await driver.type("\n".join("123456789"))
        assert driver.editor.region.height == 8
        await driver.resize(40, 60)
        assert driver.rows() == list("123456789")
        await driver.resize(40, 10)
        assert driver.rows() == ["8", "9"]


async def test_wide_characters_wrap_at_every_width(open_editor: Any) -> None:
    async with open_editor(size=(41, 60)) as driver:
        driver.editor.set_text(f"{WIDE}\n\t{WIDE}")
        for width in range(41, 19, -1):
            await driver.resize(width, 60)
            lines = driver.screen()
            assert all(cell_len(line) <= width for line in lines)
            assert "".join("".join(driver.rows()).split()) == "".join((WIDE * 2).split())
            if width % 4 == 0:
                async with open_editor(size=(width, 60)) as fresh:
                    fresh.editor.restore_draft(driver.editor.draft)
                    await fresh.pilot.pause()
                    assert fresh.screen() == lines


async def test_tabs_line_up_and_stay_in_the_text(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.paste("\tif x:\n\t\treturn")
        assert driver.rows() == ["    if x:", "        return"]
        await driver.press("enter")
        assert driver.app.submitted == ["\tif x:\n\t\treturn"]


async def test_the_terminal_s_cursor_is_where_typing_goes(open_editor: Any) -> None:
    async with open_editor(size=(40, 24)) as driver:
        await driver.type("你a")
        region = driver.editor.region
        assert driver.app.cursor_position == (region.x + 4, region.y + 1)
        await driver.press("ctrl+j")
        region = driver.editor.region
        assert driver.app.cursor_position == (region.x + 1, region.y + 2)
        driver.app.query_one("#below").styles.height = 3
        await driver.pilot.pause()
        assert driver.app.cursor_position == (1, driver.editor.region.y + 2)


async def test_the_placeholder_shows_only_while_empty(open_editor: Any) -> None:
    async with open_editor(placeholder="Ask anything") as driver:
        assert driver.rows() == ["Ask anything"]
        await driver.type("x")
        assert driver.rows() == ["x"]
        await driver.press("backspace")
        driver.editor.placeholder = "Now what?"
        await driver.pilot.pause()
        assert driver.rows() == ["Now what?"]


async def test_a_click_puts_the_cursor_there(open_editor: Any) -> None:
    async with open_editor() as driver:
        await driver.type("one two\nthree")
        await driver.pilot.click(driver.editor, offset=(5, 1))
        await driver.type("|")
        assert driver.editor.text == "one |two\nthree"
        await driver.pilot.click(driver.editor, offset=(30, 2))
        await driver.type("|")
        assert driver.editor.text == "one |two\nthree|"


async def test_the_wheel_scrolls_a_long_text(open_editor: Any) -> None:
    async with open_editor(size=(40, 24)) as driver:
        await driver.type("\n".join("123456789"))
        region = driver.editor.region
        await driver.pilot._post_mouse_events([MouseScrollUp], driver.editor)
        await driver.pilot.pause()
        assert driver.rows() == ["3", "4", "5", "6", "7", "8"]
        assert driver.editor.region == region
        await driver.type("x")
        assert driver.rows()[-1] == "9x"


async def test_rules_show_level_and_mode(open_editor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def colours() -> set[str]:
        strips = driver.app.screen._compositor.render_strips()
        rules = [strips[driver.editor.region.y], strips[driver.editor.region.bottom - 1]]
        return {segment.style.color.name for strip in rules for segment in strip}

    async with open_editor() as driver:
        driver.editor.set_rule_colour("#112233", shell="#445566")
        await driver.pilot.pause()
        assert colours() == {"#112233"}
        await driver.type("!ls")
        assert driver.editor.has_class("-shell")
        assert colours() == {"#445566"}
        await driver.press("ctrl+u")
        assert not driver.editor.has_class("-shell")
        assert colours() == {"#112233"}
        paints = Paints(monkeypatch, driver.app)
        driver.editor.set_rule_colour("#778899")
        await driver.pilot.pause()
        assert colours() == {"#778899"}
        assert sorted(paints.rows) == [0, 2]


async def test_the_style_sheet_may_colour_the_mode(open_editor: Any) -> None:
    async with open_editor() as driver:
        strip = driver.app.screen._compositor.render_strips()[driver.editor.region.y]
        plain = next(iter(strip)).style.color
        await driver.type("!")
        strip = driver.app.screen._compositor.render_strips()[driver.editor.region.y]
        assert next(iter(strip)).style.color != plain
