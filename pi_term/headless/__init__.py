"""The faces without a terminal interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_term.base.lazy import lazy_exports

if TYPE_CHECKING:
    from pi_term.headless.client import (
        RpcClient,
        RpcError,
    )
    from pi_term.headless.event_json import (
        event_json,
    )
    from pi_term.headless.json_mode import (
        run_json_mode,
    )
    from pi_term.headless.print_mode import (
        run_print_mode,
    )
    from pi_term.headless.prompt import (
        Prompt,
    )
    from pi_term.headless.rpc import (
        RpcUi,
        run_rpc_mode,
    )

__all__ = [
    "Prompt",
    "RpcClient",
    "RpcError",
    "RpcUi",
    "event_json",
    "run_json_mode",
    "run_print_mode",
    "run_rpc_mode",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "client": ("RpcClient", "RpcError"),
        "event_json": ("event_json",),
        "json_mode": ("run_json_mode",),
        "print_mode": ("run_print_mode",),
        "prompt": ("Prompt",),
        "rpc": ("RpcUi", "run_rpc_mode"),
    },
)
