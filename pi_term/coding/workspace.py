"""The working folder of a session: the settings that hold in it, its trust and its resources."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.diagnostics import Diagnostic
from pi_term.base.json import JsonValue
from pi_term.base.paths import AppPaths
from pi_term.coding.resources.listed import listings_of
from pi_term.coding.resources.loader import ResourceLoader
from pi_term.coding.resources.options import ResourceOptions
from pi_term.coding.resources.project import ProjectFolder
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore
from pi_term.coding.tools.builtin import builtin_tools
from pi_term.coding.trust import TrustDecision, TrustStore, resolve_trust
from pi_term.coding.ui_bridge import UiBridge


@dataclass(frozen=True, slots=True)
class Workspace:
    """What was found in and for the folder `cwd`, and what is wrong with it."""

    cwd: Path
    settings: SettingsStore
    resources: ResourceLoader
    trust: TrustDecision
    diagnostics: list[Diagnostic]


async def open_workspace(
    cwd: Path,
    paths: AppPaths,
    ui: UiBridge,
    overrides: Mapping[str, JsonValue],
    trusted: bool | None,
    options: ResourceOptions | None = None,
) -> Workspace:
    """Look at a folder; nothing of it is read before it is decided whether it is trusted.

    `overrides` are settings for this run, by dotted key; `trusted` overrides what is stored about it.
    """
    own = SettingsStore.load(paths, overrides=overrides)
    trusts = TrustStore.of(paths)
    default = own.get(schema.DEFAULT_PROJECT_TRUST)
    trust = await resolve_trust(cwd, trusts, default, ui, override=trusted)
    project = ProjectFolder(cwd, trust.trusted)
    settings = SettingsStore.load(paths, project, overrides) if trust.trusted else own
    said = (trusts.problem, trust.problem, trust.notice(), _unknown_tools(settings))
    found = [*settings.diagnostics, *(each for each in said if each is not None)]
    resources = ResourceLoader(paths, project, options, listings_of(settings, paths, project))
    await asyncio.to_thread(resources.commands)  # what is wrong with them is told now
    return Workspace(cwd, settings, resources, trust, [*found, *resources.news()])


def _unknown_tools(settings: SettingsStore) -> Diagnostic | None:
    names = [name for name in settings.get(schema.DEFAULT_TOOLS) if name not in builtin_tools()]
    if not names:
        return None
    file = settings.origin(schema.DEFAULT_TOOLS).file
    known = ", ".join(builtin_tools())
    text = f"there is no tool {', '.join(names)}"
    return Diagnostic("warning", text, file, key=schema.DEFAULT_TOOLS.key, hint=f"there are {known}")
