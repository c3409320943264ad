"""Text inside a block: emphasis, code, links. Parsed by markdown-it, kept without colours."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.style import Style

from pi_term.base.sanitize import sanitize
from pi_term.render.markdown.look import Look
from pi_term.render.wrap import Run

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BOLD, ITALIC, STRIKE, CODE, LINK, URL, UNDERLINE = 1, 2, 4, 8, 16, 32, 64
Environment = dict[str, Any]
"""markdown-it's memory of a document: its link definitions."""

_SPECIAL = re.compile(r"[\\`*_\[\]<>&~!]|://| {2}\n")
_BARE_URL = re.compile(r"(?:https?://|file:///)[^\s<>\"'`|]+")
_SAFE_URL = re.compile(r"(?:https?://|mailto:|file:///)[!-~]+\Z", re.IGNORECASE)
_NO_LINK = re.compile(r"\s*(?:javascript|vbscript|data):", re.IGNORECASE)
_DEFINITION = re.compile(r"\[[^\]]+\]:")
_TRAILING = ".,;:!?*_~"
_MARKS = {"strong": BOLD, "em": ITALIC, "s": STRIKE}


class Span(NamedTuple):
    """A piece of text with its marks (a sum of the constants above) and the target of its link."""

    text: str
    marks: int = 0
    link: str = ""


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").disable(["html_inline"])
    # By itself it knows no links to files.
    parser.validateLink = _may_link  # type: ignore[method-assign]
    return parser


def _may_link(url: str) -> bool:
    return _NO_LINK.match(url) is None


@lru_cache(maxsize=1)
def _definition_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("zero").enable("reference")


def take_definitions(text: str, env: Environment) -> str:
    """Move link definitions at the start of a paragraph into `env`; what is left of the paragraph."""
    if not _DEFINITION.match(text):
        return text
    tokens = _definition_parser().parse(text, env)
    return "\n".join(token.content for token in tokens if token.type == "inline")


def parse_inline(text: str, env: Environment) -> list[Span]:
    """The pieces of a block's text. Line ends become blanks, hard breaks newlines."""
    if not _SPECIAL.search(text):
        return [Span(text.replace("\n", " "))]
    tokens: list[Token] = []
    parser = _parser()
    parser.inline.parse(text, parser, env, tokens)
    return _spans(tokens)


def _spans(tokens: Iterable[Token]) -> list[Span]:
    spans: list[Span] = []
    depth = dict.fromkeys(_MARKS, 0)
    marks = 0
    link = ""
    linked: list[str] = []
    for token in tokens:
        kind = token.type
        if kind in ("text", "text_special"):
            spans.extend(_text_spans(token.content, marks, link))
            linked.append(token.content)
        elif kind == "softbreak":
            spans.append(Span(" ", marks, link))
        elif kind == "hardbreak":
            spans.append(Span("\n", marks, link))
        elif kind == "code_inline":
            spans.append(Span(sanitize(token.content), marks | CODE, link))
            linked.append(token.content)
        elif kind == "link_open":
            link, linked = str(token.attrGet("href") or ""), []
            marks |= LINK
        elif kind == "link_close":
            spans.extend(_target(link, "".join(linked)))
            link = ""
            marks &= ~LINK
        elif kind == "image":
            target = str(token.attrGet("src") or "")
            spans.append(Span(f"[image: {sanitize(token.content) or 'no text'}]", marks | LINK, target))
            spans.extend(_target(target, ""))
        else:
            marks = _marked(kind, marks, depth)
    return spans


def _marked(kind: str, marks: int, depth: dict[str, int]) -> int:
    name, _, end = kind.rpartition("_")
    if name in depth:
        depth[name] += 1 if end == "open" else -1
        marks = marks | _MARKS[name] if depth[name] else marks & ~_MARKS[name]
    return marks


def _text_spans(text: str, marks: int, link: str) -> Iterable[Span]:
    """A piece of text; web addresses in it become links."""
    text = sanitize(text)
    if link or "://" not in text:
        return [Span(text, marks, link)] if text else []
    spans: list[Span] = []
    at = 0
    for match in _BARE_URL.finditer(text):
        url = match[0].rstrip(_TRAILING)
        while url.endswith((")", "]", "}")) and url.count(url[-1]) > url.count(_opener(url[-1])):
            url = url[:-1].rstrip(_TRAILING)
        spans.append(Span(text[at : match.start()], marks))
        spans.append(Span(url, marks | LINK, url))
        at = match.start() + len(url)
    spans.append(Span(text[at:], marks))
    return [span for span in spans if span.text]


def _opener(closer: str) -> str:
    return "([{"[")]}".index(closer)]


def _target(link: str, text: str) -> list[Span]:
    """The address behind a link's text, where the text does not tell it already."""
    if not link or text in (link, link.removeprefix("mailto:")):
        return []
    return [Span(" ("), Span(sanitize(link), URL, link), Span(")")]


def close_marks(text: str) -> str:
    """Text that is still being written, with the marks closed that are open at its end.

    It keeps stars and backticks from showing until their partners arrive.
    """
    for mark in ("`", "**"):
        if text.count(mark) % 2:
            stem = text.rstrip("*`")
            if stem.count(mark) % 2 == 0:
                return stem
            return stem + mark
    return text


def styled(spans: Iterable[Span], look: Look, token: str, marks: int = 0) -> list[Run]:
    """The spans in colours: plain text in `token`, all with `marks` in addition."""
    runs: list[Run] = []
    for text, own, link in spans:
        style = _style(own | marks, link, look, token)
        if runs and runs[-1][1] is style:
            runs[-1] = (runs[-1][0] + text, style)
        else:
            runs.append((text, style))
    return runs


def _style(marks: int, link: str, look: Look, token: str) -> Style:
    if marks & CODE:
        token = "mdCode"
    elif marks & LINK:
        token = "mdLink"
    elif marks & URL:
        token = "mdLinkUrl"
    style = look.style(
        token,
        bold=True if marks & BOLD else None,
        italic=True if marks & ITALIC else None,
        strike=True if marks & STRIKE else None,
        underline=True if marks & (LINK | UNDERLINE) else None,
    )
    return _linked(style, link) if link and _SAFE_URL.match(link) else style


@lru_cache(maxsize=1024)
def _linked(style: Style, url: str) -> Style:
    return style + Style(link=url)
