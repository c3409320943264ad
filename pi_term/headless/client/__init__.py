"""A client of RPC mode, for programs that want pi-term as a child process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.headless.client.client import (
        RpcClient,
    )
    from pi_term.headless.client.connection import (
        RpcError,
    )
    from pi_term.headless.client.records import (
        BashResult,
        ClearedQueue,
        CommandInfo,
        Compaction,
        ContextUsage,
        Cycled,
        Entries,
        ForkPoint,
        ModelInfo,
        SessionState,
        SessionStats,
        TokenCounts,
    )
    from pi_term.headless.client.tree import (
        TreeNode,
    )

__all__ = [
    "BashResult",
    "ClearedQueue",
    "CommandInfo",
    "Compaction",
    "ContextUsage",
    "Cycled",
    "Entries",
    "ForkPoint",
    "ModelInfo",
    "RpcClient",
    "RpcError",
    "SessionState",
    "SessionStats",
    "TokenCounts",
    "TreeNode",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "client": ("RpcClient",),
        "connection": ("RpcError",),
        "records": (
            "BashResult",
            "ClearedQueue",
            "CommandInfo",
            "Compaction",
            "ContextUsage",
            "Cycled",
            "Entries",
            "ForkPoint",
            "ModelInfo",
            "SessionState",
            "SessionStats",
            "TokenCounts",
        ),
        "tree": ("TreeNode",),
    },
)
