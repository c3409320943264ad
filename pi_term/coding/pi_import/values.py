"""Single values of Pi's settings.json, models.json and auth.json. All functions read and write files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pi_term.ai.catalog.auth import ApiKeyCredential, Credential
from pi_term.base.errors import PiTermError
from pi_term.base.json import JsonObject, JsonValue
from pi_term.base.json_locate import JsonFile, JsonPath, read_json_file
from pi_term.base.paths import AppPaths
from pi_term.coding.credential_file import credentials_in
from pi_term.coding.credentials import FileCredentialStore
from pi_term.coding.pi_import.report import Part
from pi_term.coding.settings.json_file import update_json_file

_NOT_OURS = {
    "extensions": "they are programs for Pi alone",
    "packages": "they are made for Pi alone",
    "lastChangelogVersion": "",
}
"""Settings that mean nothing here, and why; "" for what needs no word."""


def take_settings(source: Path, paths: AppPaths, part: Part) -> None:
    """Settings that are not set here yet; of nested ones, each by itself."""
    theirs = _content(source / "settings.json", part)
    for key, why in _NOT_OURS.items():
        if theirs.get(key):
            part.left += [f"{key}: {why}"] if why else []
    wanted = {key: value for key, value in theirs.items() if key not in _NOT_OURS}
    _take(wanted, (), paths.settings_file, paths, part)


def take_models(source: Path, paths: AppPaths, part: Part) -> None:
    """Providers of models.json that are not described here yet."""
    providers = _content(source / "models.json", part).get("providers")
    if isinstance(providers, dict):
        _take(providers, ("providers",), paths.models_file, paths, part, nested=False)


def _take(
    theirs: JsonObject, at: tuple[str, ...], target: Path, paths: AppPaths, part: Part, *, nested: bool = True
) -> None:
    ours = read_json_file(target)
    if ours.problem is not None:
        part.left.append(f"all of it: {ours.problem.text()}")
        return
    known: JsonValue = ours.data
    for key in at:
        known = known.get(key) if isinstance(known, dict) else None
    here = known if isinstance(known, dict) else {}
    for path, value in list(_missing(theirs, here, part, nested=nested)):
        try:
            update_json_file(target, paths.state / "locks", (*at, *path), value)
            part.taken.append(".".join(path))
        except PiTermError as error:
            part.left.append(f"{'.'.join(path)}: {error.text()}")


def _missing(
    theirs: JsonObject, ours: JsonObject, part: Part, *, nested: bool, at: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """What is not among ours, with its place; the rest is told."""
    for key, value in theirs.items():
        path = (*at, key)
        if key not in ours:
            yield path, value
        elif nested and isinstance(value, dict) and isinstance(ours[key], dict):
            yield from _missing(value, ours[key], part, nested=True, at=path)
        else:
            (part.there if ours[key] == value else part.differs).append(".".join(path))


async def take_keys(source: Path, paths: AppPaths, part: Part) -> None:
    """Keys of providers that nothing is stored for here. Sign-ins stay where they are: a refresh token that
    two programs use signs both out.
    """
    file = read_json_file(source / "auth.json")
    if file.problem is not None:
        part.left.append(f"all of it: {file.problem.text()}")
        return
    found = credentials_in(file, _unheard)
    store = FileCredentialStore(paths.auth_file)
    for provider in file.data:
        credential = found.get(provider)
        if isinstance(credential, ApiKeyCredential):
            await _take_key(store, provider, credential, part)
        elif credential is not None:
            part.left.append(f"{provider}: two programs cannot share a sign-in")
        else:
            part.left.append(f"{provider}: it is no key that is understood here")


async def _take_key(store: FileCredentialStore, provider: str, theirs: Credential, part: Part) -> None:
    before: Credential | None = None

    async def unless_there(current: Credential | None) -> Credential | None:
        nonlocal before
        before = current
        return current or theirs

    try:
        await store.change(provider, unless_there)
    except PiTermError as error:
        part.left.append(f"{provider}: {error.text()}")
        return
    where = part.taken if before is None else part.there if before == theirs else part.differs
    where.append(provider)


def _content(file: Path, part: Part) -> JsonObject:
    content: JsonFile = read_json_file(file)
    if content.problem is not None:
        part.left.append(f"all of it: {content.problem.text()}")
    return content.data


def _unheard(path: JsonPath, message: str) -> None:
    """What is no credential is told as left out."""
