"""Looking for words in the entries of one session's tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pi_term.base.abort import Wanted, check
from pi_term.coding.pattern_search import matching, pattern_of
from pi_term.coding.session import SessionTree, StoredEntry
from pi_term.coding.session.scan import LongLine, blocks
from pi_term.coding.session.sieve import Sieve, folded, words_of
from pi_term.tui.screens.tree_text import searched_text

_ID = b'"id":"'


def find_entries(tree: SessionTree, query: str, wanted: Wanted) -> set[StoredEntry]:
    """The entries with all words and phrases of `query` in their text or bookmark, in whatever case; blocks.

    A query that begins with `re:` is a pattern. Of words, most lines are passed over by their bytes. Raises
    `AbortError` once `wanted()` is false, and what `matching` does.
    """
    pattern = pattern_of(query)
    if pattern is not None:
        texts = ((entry, _text(tree, entry)) for entry in list(tree.entries) if not entry.damaged)
        return {entry for entry, *_ in matching(pattern, texts, wanted)}
    words = words_of(query)
    if not words:  # a quotation mark, and nothing yet behind it
        return set(tree.entries)
    phrases = any(" " in word for word in words)
    found: set[StoredEntry] = set()
    for entry in dict.fromkeys(_candidates(tree, words, wanted)):
        check(wanted)
        said = folded(_text(tree, entry))
        text = " ".join(said.split()) if phrases else said
        if all(word in text for word in words):
            found.add(entry)
    return found


def _text(tree: SessionTree, entry: StoredEntry) -> str:
    label = tree.labels.get(entry.id)
    return f"{label.text if label is not None else ''}\n{searched_text(entry)}"


def _candidates(tree: SessionTree, words: list[str], wanted: Wanted) -> Iterator[StoredEntry]:
    """Entries that may hold one of the words, and results whose calls may."""
    results = _results(tree)
    for id in [*tree.labels, *_ids(tree, words, wanted)]:
        entry = tree.get(id)
        if entry is not None and not entry.damaged:
            yield entry
            yield from results.get(entry, ())


def _results(tree: SessionTree) -> dict[StoredEntry, list[StoredEntry]]:
    """The tool results by the answer that called for them."""
    found: dict[StoredEntry, list[StoredEntry]] = {}
    for entry in list(tree.entries):
        if entry.role == "toolResult":
            above = entry.parent
            while above is not None and above.role == "toolResult":
                above = above.parent
            if above is not None:
                found.setdefault(above, []).append(entry)
    return found


def _ids(tree: SessionTree, words: list[str], wanted: Wanted) -> Iterator[str]:
    """The ids in lines that may hold one of the words."""
    sieve = Sieve(words)
    pending = b"\n".join(entry.line for entry in list(tree.entries) if entry.offset < 0)
    yield from _ids_in(sieve.lines(pending))
    path = tree.lines.path
    if path is None:
        return
    try:
        for block in blocks(path, wanted):
            if isinstance(block, LongLine):
                yield from _ids_in([block.head])
            else:
                yield from _ids_in(sieve.lines(block))
    except FileNotFoundError:  # nothing was written yet
        return


def _ids_in(lines: Iterable[bytes]) -> Iterator[str]:
    for line in lines:
        start = line.find(_ID) + len(_ID)
        end = line.find(b'"', start)
        if start >= len(_ID) and end > 0:
            yield line[start:end].decode("utf-8", "replace")
