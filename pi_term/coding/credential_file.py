"""The text of auth.json: an object with one entry for each provider, as Pi writes it."""

from __future__ import annotations

from collections.abc import Callable

from pi_term.ai.catalog.auth import ApiKeyCredential, Credential, OAuthCredential
from pi_term.base.json import JsonObject, dumps_str, loads
from pi_term.base.json_kinds import BAD, TEXT, MapOf, Shape, whole
from pi_term.base.json_locate import JsonFile, JsonPath, plain_json
from pi_term.coding.settings.edit import set_value

Report = Callable[[JsonPath, str], None]

_API_KEY = Shape({"key": TEXT, "env": MapOf(TEXT)})
_OAUTH = Shape({"access": TEXT, "refresh": TEXT, "expires": whole()}, ("access", "refresh", "expires"))
_OAUTH_KEYS = frozenset({"type", "access", "refresh", "expires"})


def credentials_in(file: JsonFile, report: Report) -> dict[str, Credential]:
    """The credentials by provider. What is wrong is reported, without its value."""
    found = ((provider, _credential(provider, entry, report)) for provider, entry in file.data.items())
    return {provider: credential for provider, credential in found if credential is not None}


def _credential(provider: str, entry: object, report: Report) -> Credential | None:
    kind = entry.get("type", "api_key") if isinstance(entry, dict) else "api_key"
    if kind == "oauth" and isinstance(entry, dict):
        fields = _OAUTH.clean(entry, report, (provider,))
        extra = {key: value for key, value in entry.items() if key not in _OAUTH_KEYS}
        return None if fields is BAD else OAuthCredential(**fields, extra=extra)
    if kind != "api_key":
        return None
    fields = _API_KEY.clean(entry, report, (provider,))
    return None if fields is BAD else ApiKeyCredential(fields.get("key"), fields.get("env", {}))


def with_credential(text: str, provider: str, credential: Credential | None) -> str:
    """The file's text with this credential for the provider, or without any; the other entries stay."""
    if credential is not None:
        return set_value(text, (provider,), _entry(credential))
    # To take an entry out is the one change that costs comments, which no program writes here.
    content: JsonObject = loads(plain_json(text))
    content.pop(provider, None)
    return dumps_str(content, indent=True) + "\n"


def _entry(credential: Credential) -> JsonObject:
    if isinstance(credential, OAuthCredential):
        tokens = {
            "access": credential.access,
            "refresh": credential.refresh,
            "expires": credential.expires,
        }
        return {"type": "oauth", **credential.extra, **tokens}
    entry: JsonObject = {"type": "api_key"}
    if credential.key is not None:
        entry["key"] = credential.key
    if credential.env:
        entry["env"] = dict(credential.env)
    return entry
