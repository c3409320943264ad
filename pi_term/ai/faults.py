"""What went wrong with a model call, sorted by what can be done about it.

An adapter raises `ProviderError`; its `fault` travels on the message, where the harness reads whether
to retry (`transient`, `network`), to compact (`overflow`), or to tell the user. How a provider's own
words are sorted is in `ai.wire.refusals`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pi_term.base.dataclass import dataclass

FaultKind: TypeAlias = Literal["transient", "quota", "auth", "overflow", "bad_request", "network"]


@dataclass(frozen=True, slots=True)
class Fault:
    """`message` is for people; `retry_after` the seconds that the server asked to wait, if it did."""

    kind: FaultKind
    message: str
    retry_after: float | None = None
    status: int | None = None

    @property
    def retryable(self) -> bool:
        """Whether the same request may work a little later."""
        return self.kind in ("transient", "network")


class ProviderError(Exception):
    """A model call failed; `fault` says how."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def torn(what: str) -> ProviderError:
    """The error for a stream that broke off; `what` completes "The stream …"."""
    return ProviderError(Fault("transient", f"The stream {what}"))
