from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from pi_term.base.listeners import Listeners


async def test_all_are_told_in_order_whatever_one_does() -> None:
    listeners: Listeners[str] = Listeners()
    told: list[str] = []

    async def first(event: str) -> None:
        told.append(f"first {event}")
        raise RuntimeError("of a listener")

    async def second(event: str) -> None:
        told.append(f"second {event}")

    remove = listeners.add(first)
    listeners.add(second)
    await listeners.tell("a")
    remove()
    await listeners.tell("b")
    assert told == ["first a", "second a", "second b"]
    assert len(listeners) == 1


async def test_slow_ones_are_waited_for() -> None:
    listeners: Listeners[str] = Listeners()
    told: list[str] = []

    async def slow(event: str) -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        told.append("slow")

    async def quick(event: str) -> None:
        told.append("quick")

    listeners.add(slow)
    listeners.add(quick)
    await listeners.tell("a")
    assert told == ["slow", "quick"]


async def test_who_comes_or_goes_during_an_event() -> None:
    """One that is taken away hears nothing more; one that is added hears of the next event."""
    listeners: Listeners[str] = Listeners()
    told: list[str] = []
    removers: list[Callable[[], None]] = []

    async def late(event: str) -> None:
        told.append(f"late {event}")

    async def meddler(event: str) -> None:
        told.append(f"meddler {event}")
        for remove in removers:
            remove()
        listeners.add(late)

    async def victim(event: str) -> None:
        told.append(f"victim {event}")

    removers.append(listeners.add(meddler))
    removers.append(listeners.add(victim))
    await listeners.tell("a")
    await listeners.tell("b")
    for remove in removers:
        remove()
    assert told == ["meddler a", "late b"]


async def test_the_same_one_twice_is_told_twice_and_goes_once() -> None:
    listeners: Listeners[str] = Listeners()
    told: list[str] = []

    async def listener(event: str) -> None:
        told.append(event)

    remove = listeners.add(listener)
    listeners.add(listener)
    remove()
    remove()
    await listeners.tell("a")
    assert told == ["a"]


async def test_a_listener_that_awaits_something_cancelled_has_failed_like_any_other() -> None:
    listeners: Listeners[str] = Listeners()
    told: list[str] = []

    async def unlucky(event: str) -> None:
        gone = asyncio.get_running_loop().create_future()
        gone.cancel()
        await gone

    async def second(event: str) -> None:
        told.append(event)

    listeners.add(unlucky)
    listeners.add(second)
    await listeners.tell("a")
    assert told == ["a"]


async def test_cancelling_the_teller_ends_the_telling() -> None:
    listeners: Listeners[str] = Listeners()
    told: list[str] = []

    async def for_ever(event: str) -> None:
        await asyncio.Event().wait()

    async def second(event: str) -> None:
        told.append(event)

    listeners.add(for_ever)
    listeners.add(second)
    telling = asyncio.ensure_future(listeners.tell("a"))
    await asyncio.sleep(0)
    telling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await telling
    assert told == []
