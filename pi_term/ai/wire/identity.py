"""Who is calling: headers that keep a session on one replica, and headers that name the program."""

from __future__ import annotations

from collections.abc import Iterable

from pi_term.ai.context import StreamOptions
from pi_term.ai.models import Model
from pi_term.ai.wire.compat import is_host

_PROGRAM = "pi-term"
# How some routers want to be told which program is calling; a subdomain counts as its domain.
_ATTRIBUTION = {
    "openrouter.ai": {"x-openrouter-title": _PROGRAM, "x-openrouter-categories": "cli-agent"},
    "integrate.api.nvidia.com": {"x-billing-invoke-origin": _PROGRAM},
    "opencode.ai": {"x-opencode-client": _PROGRAM},
}
_SESSION = {"opencode.ai": "x-opencode-session"}


def attribution_headers(model: Model, options: StreamOptions) -> dict[str, str]:
    """What the model's host wants to know of the program and its session, if it may."""
    headers: dict[str, str] = {}
    if options.attribution:
        for host, wanted in _ATTRIBUTION.items():
            if is_host(model.base_url, host):
                headers.update(wanted)
    hosts = (name for host, name in _SESSION.items() if is_host(model.base_url, host))
    return {**headers, **session_headers(options, hosts)}


def session_headers(options: StreamOptions, names: Iterable[str]) -> dict[str, str]:
    """The session's id under these names; only while caching is wanted, as it serves no other end."""
    if options.session_id is None or options.cache_retention == "none":
        return {}
    return dict.fromkeys(names, options.session_id)
