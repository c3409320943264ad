from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from pi_term.headless.rpc import RpcUi
from pi_term.testing import ScriptedModel
from pi_term.testing.rpc import RpcPeer
from pi_term.testing.sessions import start_scripted

Connect: TypeAlias = Callable[..., Awaitable[RpcPeer]]


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


@pytest.fixture
async def connect(tmp_path: Path, script: ScriptedModel) -> AsyncIterator[Connect]:
    """Makes a client with a server of its own; takes what `start_scripted` takes."""
    peers: list[RpcPeer] = []

    async def start(script: ScriptedModel = script, **more: Any) -> RpcPeer:
        peer = RpcPeer(await start_scripted(script, tmp_path, ui=RpcUi(), **more))
        peers.append(peer)
        return peer

    yield start
    for peer in peers:
        await peer.aclose()


@pytest.fixture
async def client(connect: Connect) -> RpcPeer:
    return await connect()
