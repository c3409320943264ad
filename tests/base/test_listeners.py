from __future__ import annotations

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
