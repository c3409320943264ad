"""The head of skills and templates: read as what it evidently means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.resources.frontmatter import read_document

KNOWN = ("name", "description", "argument-hint", "disable-model-invocation")


@pytest.mark.parametrize(
    ("head", "fields"),
    [
        ("description: plain words", {"description": "plain words"}),
        ("description: has a: colon: or two", {"description": "has a: colon: or two"}),
        ("description: http://x.y/z#part", {"description": "http://x.y/z#part"}),
        ("description:\tby a tab", {"description": "by a tab"}),
        ("\tname: n\n\tdescription: all by tabs\n\tlicense: MIT", {"description": "all by tabs"}),
        ("name: n\n\tdescription: one by a tab", {"name": "n", "description": "one by a tab"}),
        ('description: "quoted: \\"so\\" \\u00e9"', {"description": 'quoted: "so" é'}),
        ("description: 'it''s'", {"description": "it's"}),
        ('description: "it\'s"', {"description": "it's"}),
        ('description: "never closed', {"description": '"never closed'}),
        ("description: words # a remark", {"description": "words"}),
        ("# a remark\ndescription: C#", {"description": "C#"}),
        (
            "description: >-\n  folded text\n  goes on\n\n  anew\nname: n",
            {"description": "folded text goes on\nanew"},
        ),
        (
            "description: |\n  line: one\n    deeper\nname: n",
            {"description": "line: one\n  deeper", "name": "n"},
        ),
        (
            "description: begins here\n  and goes on\n  there",
            {"description": "begins here and goes on there"},
        ),
        ("description:\n  below", {"description": "below"}),
        ("metadata:\n  name: not this\nname: this", {"name": "this"}),
        ("allowed-tools:\n- read\n- bash\nname: n", {"name": "n"}),
        ("argument-hint: [pr] [priority]", {"argument-hint": "[pr] [priority]"}),
        ("description: yes\nname: 12", {"description": "yes", "name": "12"}),
        ("description:", {"description": ""}),
        ("nonsense\ndescription: d\n}{", {"description": "d }{"}),
    ],
)
def test_fields(head: str, fields: dict[str, str]) -> None:
    """B-083."""
    found = read_document(f"---\n{head}\n---\nBODY\n", KNOWN)
    assert {key: found.fields[key] for key in fields} == fields
    assert (found.body, found.closed) == ("BODY", True)


@pytest.mark.parametrize("value", ["true", "yes", "True", '"true"', "true # hidden"])
def test_a_yes(value: str) -> None:
    assert read_document(f"---\nflag: {value}\n---\n", KNOWN).flag("flag")
    assert not read_document("---\nflag: false\n---\n", KNOWN).flag("flag")
    assert not read_document("", KNOWN).flag("flag")


def test_without_a_head_the_text_is_the_body_as_it_is() -> None:
    for text in (
        "\n\n  words  \n",
        "",
        "----\nx",
        "--- x\n",
        "---\n\nOnly a rule above\n",
        "---\nNote: a rule\n",
    ):
        found = read_document(text, KNOWN)
        assert (found.body, found.fields) == (text, {})


def test_behind_a_head_the_body_has_no_blank_ends() -> None:
    assert read_document("---\nname: n\n---\n\n\n  words  \n\n", KNOWN).body == "words"
    assert read_document("---\r\nname: n\r\n---\r\none\r\ntwo\r\n", KNOWN).body == "one\ntwo"
    assert read_document("---\n---\nwords", KNOWN).body == "words"


def test_a_head_that_is_never_closed_ends_where_it_evidently_does() -> None:
    """B-083."""
    found = read_document("---\nname: n\ndescription: d\nBODY: here\n", KNOWN)
    assert (found.fields, found.body, found.closed) == (
        {"name": "n", "description": "d"},
        "BODY: here",
        False,
    )
    assert read_document("---\nname: n", KNOWN).body == ""


@given(st.text(alphabet="-ab: \t\n\r#'\"|>[]{}é\u2028", max_size=200))
def test_nothing_raises(text: str) -> None:
    read_document(f"---\n{text}\n---\nBODY", KNOWN)
    read_document(f"---\n{text}", KNOWN)
    read_document(text, KNOWN)
