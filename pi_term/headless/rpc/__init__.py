"""RPC mode: a program in another process gives commands, and is told what happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.headless.rpc.server import (
        run_rpc_mode,
    )
    from pi_term.headless.rpc.ui import (
        RpcUi,
    )

__all__ = [
    "RpcUi",
    "run_rpc_mode",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "server": ("run_rpc_mode",),
        "ui": ("RpcUi",),
    },
)
