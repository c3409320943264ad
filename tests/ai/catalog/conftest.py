from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pi_term.ai.catalog import ChangeCredential, Credential, ModelRegistry

LOCAL = {"baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions"}


class Keys:
    """A credential store in memory."""

    def __init__(self, **stored: Credential) -> None:
        self.stored = stored

    def get(self, provider: str) -> Credential | None:
        return self.stored.get(provider)

    async def change(self, provider: str, change: ChangeCredential) -> Credential | None:
        wanted = await change(self.stored.get(provider))
        if wanted is None:
            self.stored.pop(provider, None)
        else:
            self.stored[provider] = wanted
        return wanted


MakeRegistry = Callable[..., ModelRegistry]


@pytest.fixture
def make_registry(tmp_path: Path) -> MakeRegistry:
    """Builds a registry from providers (`{id: fields}`, local defaults filled in), keys and environment."""

    def make(
        providers: Mapping[str, Mapping[str, Any]] | None = None,
        env: Mapping[str, str] | None = None,
        demo: bool = False,
        **stored: Credential,
    ) -> ModelRegistry:
        file = tmp_path / "models.json"
        full = {key: {**LOCAL, **fields} for key, fields in (providers or {}).items()}
        file.write_text(json.dumps({"providers": full}))
        return ModelRegistry(file, credentials=Keys(**stored), env=env or {}, demo=demo)

    return make
