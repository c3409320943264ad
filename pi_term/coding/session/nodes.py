"""The tree of a session as nested JSON objects, and what is new in it since an entry."""

from __future__ import annotations

from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.session.tree import SessionTree, is_whole


def tree_nodes(tree: SessionTree) -> list[JsonObject]:
    """The roots as `{entry, children, label?, labelTimestamp?}`, children in the order of their time.

    Decodes all entries; blocks. Roots are the entries without a parent and those whose parent is not
    in the file. Nests as deep as the session is long: only `base.json` can encode that.
    """
    labels = tree.labels
    nodes: dict[StoredEntry, JsonObject] = {}
    entries = list(tree.entries)
    for entry in entries:
        if is_whole(entry):
            node: JsonObject = {"entry": entry.data, "children": []}
            label = labels.get(entry.id)
            if label is not None:
                node |= {"label": label.text, "labelTimestamp": label.timestamp}
            nodes[entry] = node
    roots: list[JsonObject] = []
    branching: list[JsonObject] = []
    for entry, node in nodes.items():
        parent = entry.parent
        while parent is not None and parent not in nodes:
            parent = parent.parent
        siblings = roots if parent is None else nodes[parent]["children"]
        siblings.append(node)
        if len(siblings) == 2 and parent is not None:
            branching.append(nodes[parent])
    for node in branching:
        node["children"].sort(key=lambda child: str(child["entry"].get("timestamp", "")))
    return roots


def entries_since(tree: SessionTree, id: str | None = None) -> list[StoredEntry]:
    """The entries that became known after the one with this id (None: all), without damaged ones.

    Raises `PiTermError("no_entry")` where there is none with this id.
    """
    entries = list(tree.entries)
    start = 0
    if id is not None:
        start = next((n for n in range(len(entries), 0, -1) if entries[n - 1].id == id), 0)
        if not start:
            raise PiTermError("no_entry", f"This session has no entry {id}.")
    return [entry for entry in entries[start:] if not entry.damaged]
