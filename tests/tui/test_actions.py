"""The action table: complete, consistent, and known to Pi's keybinding files."""

from __future__ import annotations

import json
import re
import subprocess
import sys

from pi_term.base.paths import shipped
from pi_term.tui.actions import ACTIONS, BY_ID, in_scope, overlap

PI_IDS = re.findall(
    r"\S+",
    """
tui.editor.cursorUp tui.editor.cursorDown tui.editor.historyPrevious tui.editor.historyNext
tui.editor.cursorLeft tui.editor.cursorRight tui.editor.cursorWordLeft tui.editor.cursorWordRight
tui.editor.cursorLineStart tui.editor.cursorLineEnd tui.editor.jumpForward tui.editor.jumpBackward
tui.editor.pageUp tui.editor.pageDown tui.editor.deleteCharBackward tui.editor.deleteCharForward
tui.editor.deleteWordBackward tui.editor.deleteWordForward tui.editor.deleteToLineStart
tui.editor.deleteToLineEnd tui.editor.yank tui.editor.yankPop tui.editor.undo tui.input.newLine
tui.input.submit tui.input.tab tui.input.copy tui.select.up tui.select.down tui.select.pageUp
tui.select.pageDown tui.select.confirm tui.select.cancel tui.altScreen.pageUp tui.altScreen.pageDown
tui.altScreen.halfPageUp tui.altScreen.halfPageDown tui.altScreen.lineUp tui.altScreen.lineDown
tui.altScreen.previousPrompt tui.altScreen.nextPrompt tui.altScreen.search tui.altScreen.searchNext
tui.altScreen.searchPrevious tui.altScreen.searchClose tui.altScreen.top tui.altScreen.bottom
app.interrupt app.clear app.exit app.suspend app.thinking.cycle app.thinking.save app.model.cycleForward
app.model.cycleBackward app.model.select app.tools.expand app.thinking.toggle
app.session.toggleNamedFilter app.editor.external app.message.copy app.message.followUp
app.message.dequeue app.clipboard.pasteImage app.session.new app.session.tree app.session.fork
app.session.resume app.tree.foldOrUp app.tree.unfoldOrDown app.tree.editLabel
app.tree.toggleLabelTimestamp app.session.togglePath app.session.toggleSort app.session.rename
app.session.delete app.session.deleteNoninvasive app.models.save app.models.enableAll
app.models.clearAll app.models.toggleProvider app.models.reorderUp app.models.reorderDown
app.tree.filter.default app.tree.filter.noTools app.tree.filter.userOnly app.tree.filter.labeledOnly
app.tree.filter.all app.tree.filter.cycleForward app.tree.filter.cycleBackward
""",
)


def test_every_id_of_pi_is_known() -> None:
    assert set(PI_IDS) <= set(BY_ID)


def test_every_id_is_there_once() -> None:
    assert len(BY_ID) == len(ACTIONS)


def test_rows_are_filled_in() -> None:
    for action in ACTIONS:
        assert action.title, action.id
        assert action.description, action.id
        assert action.handler.startswith("action_"), action.id
    handlers = [(action.scope, action.handler) for action in ACTIONS]
    assert len(set(handlers)) == len(handlers)


def test_defaults_name_every_action_and_nothing_else() -> None:
    defaults = json.loads((shipped("keymaps") / "pi.json").read_text())
    assert set(defaults) == set(BY_ID)


def test_scopes_that_compete_for_keys() -> None:
    assert overlap("editor", "app")
    assert overlap("transcript", "editor")
    assert overlap("tree", "tree")
    assert not overlap("editor", "select")
    assert not overlap("tree", "models")


def test_in_scope_keeps_the_order_of_the_table() -> None:
    ids = [action.id for action in in_scope("app")]
    assert ids.index("tui.input.copy") < ids.index("app.clear")


def test_table_and_resolver_do_not_import_textual() -> None:
    code = (
        "import sys; import pi_term.tui.actions, pi_term.tui.keymap.resolver, pi_term.tui.keymap.files;"
        "print([name for name in ('textual', 'rich') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
