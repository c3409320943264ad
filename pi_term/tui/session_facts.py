"""What `/session` tells."""

from __future__ import annotations

from collections import Counter

from pi_term.coding.agent_session import AgentSession
from pi_term.tui.text import home_path


def session_facts(session: AgentSession) -> str:
    """File, id, name, messages, tokens and cost, a line each."""
    file, stats = session.file, session.stats
    roles = Counter(
        entry.role for entry in file.tree.entries if entry.type == "message" and not entry.damaged
    )
    said = [(roles["user"], "yours"), (roles["assistant"], "answers"), (roles["toolResult"], "tool results")]
    tokens = f"{stats.input:,} in, {stats.output:,} out"
    if stats.cache_read or stats.cache_write:
        tokens += f", {stats.cache_read:,} read from the cache, {stats.cache_write:,} written to it"
    used = session.context_tokens()
    context = "not known yet" if used is None else f"{used:,} of {session.model.context_window:,} tokens"
    facts = [
        ("File", _where(session)),
        ("Id", file.id),
        ("Name", session.name or "none"),
        ("Messages", ", ".join(f"{count:,} {what}" for count, what in said)),
        ("Tokens", tokens),
        ("Context", context),
        ("Cost", f"${stats.cost:.3f}"),
    ]
    return "\n".join(f"{title}: {text}" for title, text in facts)


def _where(session: AgentSession) -> str:
    path = session.file.path
    if path is None:
        return "none, the session is in memory only"
    return home_path(path) if session.file.stored else f"{home_path(path)} (made with the first message)"
