"""Changing or removing one value of a JSON text, leaving every other character as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pi_term.base.json import JsonValue, dumps_str
from pi_term.base.json_locate import JsonPath, Span, spans, without_comments

_INDENT = "  "
_COMMA = re.compile(r"\s*,")
_LINE_END = re.compile(r"[ \t]*\r?\n")


def set_value(text: str, path: Sequence[str], value: JsonValue) -> str:
    """`text` with `value` at `path`; missing objects on the way are made.

    Comments, order, blanks and line ends of everything else stay. `text` must be blank or hold a
    (lenient) JSON object. What stands in the way of an object on the path is replaced by one.
    """
    if not text.strip():
        text = "{}\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    found = spans(text)
    target = tuple(path)
    here: JsonPath = target
    while here and here not in found:
        here = here[:-1]
    span = found[here]
    rest = target[len(here) :]
    if not rest or text[span.start] != "{":
        written = _encode(_nested(rest, value), _indent_at(text, span.key), newline)
        return text[: span.start] + written + text[span.end :]
    member_value = _nested(rest[1:], value)
    members = [each for each in found if len(each) == len(here) + 1 and each[: len(here)] == here]
    last = max((found[each] for each in members), key=lambda each: each.start, default=None)
    return _insert(text, span, last, rest[0], member_value, newline)


def remove_value(text: str, path: Sequence[str]) -> str:
    """`text` without the member at `path`; comments, order and all other members stay.

    A text that has no such member is not changed.
    """
    found = spans(text) if text.strip() else {}
    target = tuple(path)
    span = found.get(target)
    if span is None or not target:
        return text
    plain = without_comments(text)
    start, end = span.key, span.end
    comma = _COMMA.match(plain, end)
    if comma is not None:
        end = comma.end()
    else:  # the last member: the comma before it goes
        before = plain.rfind(",", found[target[:-1]].start, start)
        if before >= 0:
            text = text[:before] + text[before + 1 :]
            start, end = start - 1, end - 1
    line = text.rfind("\n", 0, start) + 1
    line_end = _LINE_END.match(text, end)
    if line_end is not None and not text[line:start].strip():
        return text[:line] + text[line_end.end() :]
    head = text[:start] if comma is not None else text[:start].rstrip(" \t")
    return head + text[end:].lstrip(" \t")


def remove_member(text: str, path: Sequence[str], depth: int) -> str:
    """`remove_value`, and then the objects on the way that are empty, up to the first `depth` names."""
    text = remove_value(text, path)
    for length in range(len(path) - 1, depth - 1, -1):
        found, owner = spans(text), tuple(path[:length])
        if owner not in found or text[found[owner].start] != "{":
            break
        if any(len(each) > length and each[:length] == owner for each in found):
            break
        text = remove_value(text, owner)
    return text


def _nested(path: Sequence[str], value: JsonValue) -> JsonValue:
    for part in reversed(path):
        value = {part: value}
    return value


def _insert(text: str, owner: Span, last: Span | None, key: str, value: JsonValue, newline: str) -> str:
    """Put a member at the end of the object `owner`, whose last member so far is `last`."""
    close = owner.end - 1
    begin = owner.start + 1 if last is None else last.end
    tail = text[begin:close]
    kept = tail.rstrip()
    multi_line = last is None or "\n" in text[owner.start : close]
    indent = _member_indent(text, owner, last)
    comma = "" if last is None or "," in without_comments(tail) else ","
    lead = newline + indent if multi_line else " "
    member = f"{dumps_str(key)}: {_encode(value, indent, newline)}"
    after = tail[len(kept) :]
    if multi_line and "\n" not in after:
        after = newline + _indent_at(text, owner.key)
    return text[:begin] + comma + kept + lead + member + after + text[close:]


def _member_indent(text: str, owner: Span, last: Span | None) -> str:
    if last is not None and "\n" in text[owner.start : last.key]:
        return _indent_at(text, last.key)
    return _indent_at(text, owner.key) + _INDENT


def _indent_at(text: str, offset: int) -> str:
    """The blanks at the beginning of the line that `offset` lies in."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    blanks = re.match(r"[ \t]*", line)
    return blanks[0] if blanks else ""


def _encode(value: JsonValue, indent: str, newline: str) -> str:
    return dumps_str(value, indent=True).replace("\n", newline + indent)
