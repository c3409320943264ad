"""The tree of a session as JSON text, however deep it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pi_term.base.json import JsonObject, dumps


def encoded_nodes(roots: Sequence[JsonObject]) -> bytes:
    """The list of nodes that `session.tree_nodes` makes, encoded without recursion.

    Each entry by itself is shallow; only the nodes nest, a level for each entry of the branch.
    """
    out: list[bytes] = [b"["]
    open_nodes: list[tuple[bytes, Iterator[JsonObject]]] = [(b"]", iter(roots))]
    separator = b""
    while open_nodes:
        closing, rest = open_nodes[-1]
        node = next(rest, None)
        if node is None:
            out.append(closing)
            open_nodes.pop()
            separator = b","
            continue
        out += (separator, b'{"entry":', dumps(node["entry"]), b',"children":[')
        more = {key: value for key, value in node.items() if key not in ("entry", "children")}
        open_nodes.append((b"]," + dumps(more)[1:] if more else b"]}", iter(node["children"])))
        separator = b""
    return b"".join(out)
