"""Going back with the files: looked at first, done in one step, undone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pi_term.base.errors import PiTermError
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.session import StoredEntry
from pi_term.coding.tools import LocalOperations
from pi_term.testing import Call, Fail, Say, ScriptedModel, start_scripted, until


def edit(path: str, old: str, new: str) -> Call:
    return Call("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})


@dataclass
class Scene:
    """Two prompts: the first changed `a` and made `new`, the second changed `a` again."""

    session: AgentSession
    script: ScriptedModel
    work: Path

    @property
    def prompts(self) -> list[StoredEntry]:
        return [entry for entry in self.session.file.tree.entries if entry.role == "user"]

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.work.iterdir()}


START = {"a": "one\ntwo\n"}
MIDDLE = {"a": "ONE\ntwo\n", "new": "x\n"}
END = {"a": "ONE\nTWO\n", "new": "x\n"}


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    first = [edit("a", "one", "ONE"), Call("write", {"path": "new", "content": "x\n"})]
    with ScriptedModel([first, [Say("done")], [edit("a", "two", "TWO")], [Say("done")]]) as script:
        async with await start_scripted(script, tmp_path) as started:
            scene = Scene(started.session, script, tmp_path / "work")
            (scene.work / "a").write_text(START["a"])
            await scene.session.prompt("first")
            await scene.session.prompt("second")
            assert scene.files() == END
            yield scene


async def test_a_preview_tells_what_would_change_and_changes_nothing(scene: Scene) -> None:
    rewinder = scene.session.rewinder
    preview = await rewinder.preview(scene.prompts[0].id)
    assert preview is not None
    found = {Path(each.file.path).name: each for each in preview.files}
    assert [found["a"].file.action, found["new"].file.action] == ["write", "delete"]
    difference = found["a"].difference
    assert difference is not None
    assert difference.details["diff"] == "-1 ONE\n-2 TWO\n+1 one\n+2 two"
    assert (preview.added, preview.removed) == (2, 3)
    assert scene.files() == END
    assert await rewinder.preview(scene.session.file.tree.entries[-1].id) is None
    with pytest.raises(PiTermError, match="no entry nowhere"):
        await rewinder.preview("nowhere")
    assert [(each.id, files) for each, files in await rewinder.prompts()] == [
        (scene.prompts[0].id, 2),
        (scene.prompts[1].id, 1),
    ]
    assert await rewinder.differing(scene.prompts) == {scene.prompts[0].id: 2, scene.prompts[1].id: 1}


async def test_files_go_along_to_another_place_and_come_back_with_the_undo(scene: Scene) -> None:
    session, rewinder = scene.session, scene.session.rewinder
    preview = await rewinder.preview(scene.prompts[1].id)
    assert preview is not None
    rewound = await rewinder.go_to(scene.prompts[1].id, preview.chosen(preview.ready))
    assert rewound.arrival.editor_text == "second"
    assert rewound.restored is not None
    assert len(rewound.restored.done) == 1
    assert scene.files() == MIDDLE
    assert [entry.role for entry in session.file.tree.branch() if entry.role == "user"] == ["user"]
    undo = await rewinder.undo_preview()
    assert undo is not None
    await rewinder.restore(undo.chosen(undo.ready))
    assert scene.files() == END
    again = await rewinder.undo_preview()  # of the undo: doing it again
    assert again is not None
    await rewinder.restore(again.chosen(again.ready))
    assert scene.files() == MIDDLE


async def test_only_what_was_chosen_is_restored_and_the_model_is_told(scene: Scene) -> None:
    rewinder = scene.session.rewinder
    preview = await rewinder.preview(scene.prompts[0].id)
    assert preview is not None
    path = next(each.path for each in preview.plan.files if each.path.endswith("/new"))
    await rewinder.restore(preview.chosen({path}))
    assert scene.files() == {"a": END["a"]}
    scene.script.replies = [[Say("I see")]]
    await scene.session.prompt("go on")
    told = str(scene.script.contexts[-1].messages)
    assert f"{path} (removed)" in told
    assert "/a (" not in told


async def test_a_fork_begins_with_the_files_of_its_place(scene: Scene) -> None:
    rewinder = scene.session.rewinder
    old = scene.session.file.path
    preview = await rewinder.preview(scene.prompts[1].id)
    assert preview is not None
    rewound = await rewinder.fork(scene.prompts[1].id, preview.chosen(preview.ready))
    assert rewound.arrival.editor_text == "second"
    assert scene.session.file.path != old
    assert scene.files() == MIDDLE
    back = await rewinder.preview(scene.prompts[0].id)
    assert back is not None
    assert not back.plan.doubtful


async def test_without_files_everything_goes_as_ever(scene: Scene) -> None:
    rewound = await scene.session.rewinder.go_to(scene.prompts[0].id)
    assert (rewound.arrival.editor_text, rewound.restored) == ("first", None)
    assert scene.files() == END


async def test_what_somebody_else_changed_takes_a_tick(scene: Scene) -> None:
    rewinder = scene.session.rewinder
    (scene.work / "a").write_text("mine\n")
    preview = await rewinder.preview(scene.prompts[0].id)
    assert preview is not None
    assert [Path(each.path).name for each in preview.plan.doubtful] == ["a"]
    assert {Path(path).name for path in preview.ready} == {"new"}
    await rewinder.restore(preview.chosen(preview.ready))
    assert scene.files() == {"a": "mine\n"}
    preview = await rewinder.preview(scene.prompts[0].id)
    assert preview is not None
    (scene.work / "a").write_text("mine, later\n")  # than it was looked at
    restored = await rewinder.restore(preview.chosen({each.path for each in preview.plan.files}))
    assert [each.problem for each in restored.left] == ["it has changed in the meantime"]
    assert scene.files() == {"a": "mine, later\n"}


async def test_a_summary_that_fails_leaves_files_and_place(scene: Scene) -> None:
    session, rewinder = scene.session, scene.session.rewinder
    preview = await rewinder.preview(scene.prompts[1].id)
    assert preview is not None
    leaf = session.file.tree.leaf
    scene.script.replies = [[Fail("no")]]
    with pytest.raises(PiTermError):
        await rewinder.go_to(scene.prompts[1].id, preview.chosen(preview.ready), summarize=True)
    assert session.file.tree.leaf is leaf
    assert scene.files() == END


async def test_during_a_run_nothing_is_restored(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    session, rewinder = scene.session, scene.session.rewinder
    preview = await rewinder.preview(scene.prompts[1].id)
    assert preview is not None
    chosen = preview.chosen(preview.ready)
    scene.script.replies = [[Call("bash", {"command": "sleep 60"})]]
    session.submit("work")
    await until(lambda: bool(session.agent.state.pending_tool_calls))
    for attempt in (rewinder.restore(chosen), rewinder.go_to(scene.prompts[1].id, chosen)):
        with pytest.raises(PiTermError) as error:
            await attempt
        assert error.value.code == "busy"
    session.abort()
    await session.wait_settled()
    assert scene.files() == END


async def test_what_is_sent_during_a_restore_is_delivered_after_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, rewinder = scene.session, scene.session.rewinder
    preview = await rewinder.preview(scene.prompts[1].id)
    assert preview is not None
    scene.script.replies = [[Say("heard")]]
    really = LocalOperations.write

    async def write(*args: object, **options: object) -> None:
        session.submit("meanwhile")
        assert session.busy
        await really(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(LocalOperations, "write", write)
    await rewinder.restore(preview.chosen(preview.ready))
    await session.wait_settled()
    assert scene.files() == MIDDLE
    assert "meanwhile" in str(scene.script.contexts[-1].messages)


async def test_a_choice_is_for_the_session_it_was_made_in(scene: Scene) -> None:
    rewinder = scene.session.rewinder
    preview = await rewinder.preview(scene.prompts[0].id)
    assert preview is not None
    await scene.session.switcher.new()
    with pytest.raises(PiTermError) as error:
        await rewinder.restore(preview.chosen(preview.ready))
    assert error.value.code == "other_session"
    assert scene.files() == END


async def test_contents_that_are_no_text_are_restored_without_a_difference(scene: Scene) -> None:
    (scene.work / "b").write_bytes(b"\0\1\2")
    scene.script.replies = [[Call("write", {"path": "b", "content": "text\n"})], [Say("done")]]
    await scene.session.prompt("third")
    preview = await scene.session.rewinder.preview(scene.prompts[2].id)
    assert preview is not None
    assert [each.difference for each in preview.files] == [None]
    await scene.session.rewinder.restore(preview.chosen(preview.ready))
    assert (scene.work / "b").read_bytes() == b"\0\1\2"
