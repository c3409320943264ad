from __future__ import annotations

from pi_term.ai.wire.network import SPACING_SECONDS, Pace


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def waits(sizes: list[int], seconds_between: float) -> list[float]:
    """The waits before each read of a stream that has `sizes` bytes ready, a moment apart."""
    clock = Clock()
    pace = Pace(clock)
    found = []
    for size in sizes:
        wait = pace.wait_seconds()
        clock.now += wait or seconds_between
        pace.wait_seconds()
        pace.took(size)
        found.append(wait)
    return found


def test_the_first_reads_do_not_wait() -> None:
    assert waits([200] * 10, 0.002) == [0.0] * 10


def test_a_lasting_trickle_is_read_at_intervals() -> None:
    later = waits([200] * 60, 0.002)[20:]
    assert all(0 < wait < SPACING_SECONDS * 1.01 for wait in later)


def test_a_slow_stream_never_waits() -> None:
    assert waits([200] * 50, 0.05) == [0.0] * 50


def test_a_flood_never_waits() -> None:
    assert waits([65536] * 200, 0.0001) == [0.0] * 200


def test_a_flood_after_a_trickle_is_read_without_waiting() -> None:
    assert waits([200] * 60 + [65536] * 5, 0.002)[-4:] == [0.0] * 4


def test_what_the_first_request_needs_is_loaded_ahead() -> None:
    from pi_term.ai.wire.certificates import tls_context
    from pi_term.ai.wire.http import preload

    tls_context.cache_clear()
    preload()
    assert tls_context.cache_info().currsize == 1
