"""When a failed model call is made again, and how long to wait before."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from pi_term.ai.faults import Fault
from pi_term.base.abort import AbortSignal
from pi_term.base.dataclass import dataclass
from pi_term.coding.settings import schema
from pi_term.coding.settings.store import SettingsStore


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after how many milliseconds; `max_server_delay_ms` 0: as long as a server asks."""

    enabled: bool = True
    max_retries: int = 3
    base_delay_ms: float = 2_000
    max_delay_ms: float = 60_000
    max_server_delay_ms: float = 60_000

    @classmethod
    def of(cls, settings: SettingsStore) -> RetryPolicy:
        """What the settings say now."""
        return cls(
            settings.get(schema.RETRY_ENABLED),
            settings.get(schema.RETRY_MAX),
            settings.get(schema.RETRY_BASE_DELAY),
            settings.get(schema.RETRY_MAX_DELAY),
            settings.get(schema.PROVIDER_MAX_DELAY),
        )

    def delay_ms(self, attempt: int, fault: Fault | None) -> int | None:
        """The wait before try number `attempt` (from 1) after `fault`; None where there is none.

        A delay that the server asked for goes before our own; one longer than allowed is not waited for.
        """
        if fault is None or not fault.retryable or not self.enabled or attempt > self.max_retries:
            return None
        asked = (fault.retry_after or 0) * 1000
        if asked <= 0:
            return round(min(self.base_delay_ms * 2.0 ** min(attempt - 1, 60), self.max_delay_ms))
        allowed = self.max_server_delay_ms
        return None if allowed and asked > allowed else round(asked)


async def pause(ms: float, signal: AbortSignal) -> None:
    """Wait; raises `AbortError` at once when called off."""
    with suppress(asyncio.TimeoutError):
        await asyncio.wait_for(signal.wait(), ms / 1000)
    signal.raise_if_aborted()
