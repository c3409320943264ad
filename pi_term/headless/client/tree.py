"""The entries of a session as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject


@dataclass(slots=True)
class TreeNode:
    """An entry with those that hang on it, oldest first, and its bookmark, if it has one."""

    entry: JsonObject
    children: list[TreeNode] = field(default_factory=list)
    label: str | None = None


def tree_of(entries: Sequence[JsonObject]) -> list[TreeNode]:
    """The roots, from entries in the order of the file.

    One whose parent is not among the entries before it is a root. The last bookmark on an entry counts; an
    empty one takes it away.
    """
    roots: list[TreeNode] = []
    nodes: dict[object, TreeNode] = {}
    for entry in entries:
        node = TreeNode(entry)
        parent = nodes.get(entry.get("parentId"))
        (roots if parent is None else parent.children).append(node)
        nodes[entry.get("id")] = node
        marked = nodes.get(entry.get("targetId")) if entry.get("type") == "label" else None
        if marked is not None:
            marked.label = entry.get("label") or None
    return roots
