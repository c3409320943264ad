"""B-073: an exported session runs nothing in the browser of who reads it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from pi_term.ai.messages import (
    AssistantMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_term.base.errors import PiTermError
from pi_term.coding.messages import BashExecutionMessage
from pi_term.coding.session import CompactionEntry, MessageEntry, SessionFile, SessionInfoEntry
from pi_term.render.html_export import export_session

ATTACKS = [
    "[x](javascript:alert(1))",
    "[x](JaVa%0Ascript:alert(1))",
    '![a](x" onerror="alert(1))',
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "</pre></section><a href='javascript:alert(1)'>x</a>",
    "<!-- <b> --> ]]> \x1b[31mred\x1b[0m \u202e",
]
HARMLESS = {"html", "head", "meta", "title", "style", "body", "header", "section"} | {
    *("h1", "h2", "p", "pre", "details", "summary")
}


class Page(HTMLParser):
    """What a browser would find."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def session(folder: Path, *records: object) -> SessionFile:
    file = SessionFile.in_memory(folder, id="the-id")
    for record in records:
        file.add(record)  # type: ignore[arg-type]
    return file


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_anybody_said_is_text(tmp_path: Path, attack: str) -> None:
    image = ImageContent('x" onerror="alert(1)', "image/png")
    odd = ImageContent("QUJD", 'image/png" onerror="alert(1)')
    file = session(
        tmp_path,
        SessionInfoEntry(name=attack.replace("\n", " ")),
        MessageEntry(SystemMessage(content=attack)),
        MessageEntry(UserMessage([TextContent(attack), image, odd])),
        MessageEntry(
            AssistantMessage(
                [ThinkingContent(attack), TextContent(attack), ToolCall("1", attack, {attack: attack})],
                model=attack,
                error_message=attack,
                stop_reason="error",
            )
        ),
        MessageEntry(ToolResultMessage("1", attack, [TextContent(attack)], is_error=True)),
        MessageEntry(BashExecutionMessage(attack, attack)),
        CompactionEntry(summary=attack),
    )

    page = Page(export_session(file, tmp_path).read_text())

    assert {tag for tag, _ in page.tags} <= HARMLESS
    attributes = {name for _, attrs in page.tags for name in attrs}
    assert attributes <= {"lang", "charset", "http-equiv", "content", "name", "class"}
    shown = "".join(char for char in attack if char.isprintable()).replace("[31mred[0m", "red")
    assert page.text.count(shown.replace("\u202e", "")) >= 8


def test_images_are_in_the_page(tmp_path: Path) -> None:
    file = session(tmp_path, MessageEntry(UserMessage([ImageContent("QU\nJD", "image/png")])))

    page = Page(export_session(file, tmp_path).read_text())

    assert ("img", {"alt": "", "src": "data:image/png;base64,QUJD"}) in page.tags


def test_the_page_is_named_for_the_session_or_as_it_was_asked_for(tmp_path: Path) -> None:
    file = session(tmp_path, MessageEntry(UserMessage("hi")))

    assert export_session(file, tmp_path) == tmp_path / "pi-session-the-id.html"
    assert export_session(file, tmp_path, "other.html") == tmp_path / "other.html"
    assert "hi" in (tmp_path / "other.html").read_text()


def test_there_has_to_be_something_to_export(tmp_path: Path) -> None:
    with pytest.raises(PiTermError) as raised:
        export_session(session(tmp_path, MessageEntry(SystemMessage())), tmp_path)

    assert raised.value.code == "nothing_to_export"


def test_only_the_branch_is_exported(tmp_path: Path) -> None:
    file = session(tmp_path, MessageEntry(UserMessage("kept")), MessageEntry(UserMessage("abandoned")))
    file.tree.leaf = file.tree.entries[0]
    file.add(MessageEntry(UserMessage("new")))

    text = export_session(file, tmp_path).read_text()

    assert "kept" in text
    assert "new" in text
    assert "abandoned" not in text
