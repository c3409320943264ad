"""Asking a provider whether it takes a key, where that costs nothing: its models are listed."""

from __future__ import annotations

from pi_term.ai.catalog.auth import Secret
from pi_term.ai.catalog.providers import Provider
from pi_term.ai.faults import ProviderError
from pi_term.base.log import redact

_SECONDS = 8.0
# Who lists models to anybody is asked about the key itself.
_ABOUT_THE_KEY = {"openrouter": "/key"}
_LISTS = {
    "anthropic-messages": "/v1/models?limit=1",
    "openai-completions": "/models",
    "openai-responses": "/models",
    "google-generative-ai": "/models?pageSize=1",
}


async def refusal_of(provider: Provider, key: str, proxy: str | None = None) -> str | None:
    """Why the provider does not know this key; None where it does, and where nothing could be found out.

    A key may be good for other things than listing models, so only a refusal of the key itself counts.
    """
    request = _request(provider, Secret.of(key))
    if request is None:
        return None
    from pi_term.ai.wire.http import get
    from pi_term.ai.wire.refusals import fault_of_response

    try:
        status, headers, body = await get(*request, _SECONDS, proxy)
    except ProviderError:
        return None
    if status not in (400, 401):
        return None
    fault = fault_of_response(status, headers, body)
    return redact(fault.message) if fault.kind == "auth" else None


def _request(provider: Provider, key: Secret) -> tuple[str, dict[str, str]] | None:
    """The address to ask and the headers for it; None for what cannot be asked."""
    path = _ABOUT_THE_KEY.get(provider.id) or _LISTS.get(provider.api)
    if path is None or not provider.base_url:
        return None
    if provider.api == "anthropic-messages":
        headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    elif provider.api == "google-generative-ai":
        headers = {"x-goog-api-key": key}
    else:
        headers = {"authorization": f"Bearer {key}"}
    base = provider.base_url.rstrip("/").removesuffix("/v1" if path.startswith("/v1") else "")
    return base + path, {**headers, "accept": "application/json"}
