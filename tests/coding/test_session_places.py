"""Which session is looked at before it is opened: the one that will be opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_term.ai.messages import TextContent, UserMessage
from pi_term.base.errors import PiTermError
from pi_term.base.paths import AppPaths
from pi_term.coding.session import MessageEntry, SessionFile
from pi_term.coding.session_places import SessionPlaces


@pytest.fixture
def places(tmp_path: Path) -> SessionPlaces:
    return SessionPlaces.of(tmp_path, None, AppPaths.from_env({"PI_TERM_HOME": str(tmp_path / "home")}))


def stored(places: SessionPlaces, text: str, id: str) -> SessionFile:
    session = SessionFile.create(places.folder, places.cwd, id=id)
    session.add(MessageEntry(message=UserMessage([TextContent(text)])))
    session.flush()
    session.close()
    return session


def seen(places: SessionPlaces, spec: str | None = None, id: str | None = None) -> str | None:
    """The id of the last entry that is seen."""
    tree = places.peek(spec, id)
    if tree is None:
        return None
    tree.lines.close()
    assert tree.leaf is not None
    return tree.leaf.id


def test_it_is_the_one_that_is_opened(places: SessionPlaces) -> None:
    one, two = stored(places, "a", "first-1"), stored(places, "b", "second-2")
    for spec in ("first", str(one.path), "second-2"):
        opened = places.find(spec)
        opened.close()
        assert opened.tree.leaf is not None
        assert seen(places, spec) == opened.tree.leaf.id
    latest = places.latest()
    assert latest is not None
    latest.close()
    assert latest.tree.leaf is not None
    assert seen(places) == latest.tree.leaf.id
    assert two.tree.leaf is not None
    assert seen(places, id="second-2") == two.tree.leaf.id


def test_where_there_is_none_opening_tells_what_is_wrong(places: SessionPlaces) -> None:
    assert seen(places) is None
    assert seen(places, id="none") is None
    assert seen(places, "nothing") is None
    with pytest.raises(PiTermError):
        places.find("nothing")
