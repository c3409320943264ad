"""The order in which those who watch a session hear of things."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.event_hub import EventHub
from pi_term.coding.events import DiagnosticRaised, SessionEvent, SessionInfoChanged


def event(name: str) -> SessionInfoChanged:
    return SessionInfoChanged(name)


def name_of(event: SessionEvent) -> str:
    if isinstance(event, DiagnosticRaised):
        return event.diagnostic.message
    assert isinstance(event, SessionInfoChanged)
    return event.name or ""


class Slow:
    """A listener that is done with an event when it is let go."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.gate = asyncio.Event()

    async def __call__(self, event: SessionEvent) -> None:
        self.heard.append(name_of(event))
        await self.gate.wait()


async def rounds(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_what_other_tasks_emit_waits_behind_a_slow_listener_in_its_order() -> None:
    hub, slow = EventHub(), Slow()
    hub.subscribe(slow)
    feed = hub.feed()
    told: list[str] = []

    async def emit(name: str) -> None:
        await hub.emit(event(name))
        told.append(name)

    tasks = []
    for name in "abcd":
        tasks.append(asyncio.create_task(emit(name)))
        await rounds()
    assert slow.heard == ["a"]
    assert told == []
    assert not len(feed)
    slow.gate.set()
    await asyncio.gather(*tasks)
    assert slow.heard == [*"abcd"]
    assert sorted(told) == [*"abcd"]
    assert [name_of(each) for each in await feed.take()] == [*"abcd"]


@pytest.mark.parametrize("in_a_task", [False, True], ids=["itself", "a task of it"])
async def test_a_listener_may_emit_and_all_hear_of_it_afterwards(in_a_task: bool) -> None:
    hub = EventHub()
    heard: list[str] = []

    async def answers(told: SessionEvent) -> None:
        heard.append(f"first {name_of(told)}")
        if name_of(told) == "a":
            work = hub.emit(event("answer"))
            await (asyncio.create_task(work) if in_a_task else work)

    async def second(told: SessionEvent) -> None:
        heard.append(f"second {name_of(told)}")

    hub.subscribe(answers)
    hub.subscribe(second)
    await hub.emit(event("a"))
    await hub.emit(event("b"))
    await hub.drain()
    assert heard == [f"{who} {what}" for what in ("a", "answer", "b") for who in ("first", "second")]


async def test_what_a_listener_began_waits_like_all_others_once_that_is_over() -> None:
    """A run that a listener started is held up by slow listeners as any run is."""
    hub, slow = EventHub(), Slow()
    done: list[str] = []
    later = asyncio.Event()

    async def begins(told: SessionEvent) -> None:
        if name_of(told) == "a":
            hub.spawn(run())

    async def run() -> None:
        await later.wait()
        await hub.emit(event("of the run"))
        done.append("run")

    hub.subscribe(begins)
    await hub.emit(event("a"))
    hub.subscribe(slow)
    later.set()
    await rounds()
    assert slow.heard == ["of the run"]
    assert done == []
    slow.gate.set()
    await hub.drain()
    assert done == ["run"]


async def test_when_the_one_who_tells_is_cancelled_the_others_still_hear_everything() -> None:
    hub, slow = EventHub(), Slow()
    heard: list[str] = []

    async def second(told: SessionEvent) -> None:
        heard.append(name_of(told))

    hub.subscribe(slow)
    hub.subscribe(second)
    first = asyncio.create_task(hub.emit(event("a")))
    waiting = asyncio.create_task(hub.emit(event("b")))
    given_up = asyncio.create_task(hub.emit(event("c")))
    await rounds()
    first.cancel()
    given_up.cancel()
    slow.gate.set()
    await waiting
    await hub.drain()
    assert slow.heard == [*"abc"]  # each once: what was broken off in `a` is not told again
    assert heard == [*"abc"]
    assert first.cancelled()
    assert given_up.cancelled()


async def test_a_report_keeps_its_place_among_events() -> None:
    hub, slow = EventHub(), Slow()
    hub.subscribe(slow)
    slow.gate.set()
    hub.report(Diagnostic("warning", "trouble"))
    await hub.emit(event("later"))
    assert slow.heard == ["trouble", "later"]


@given(st.data())
def test_everybody_hears_everything_once_in_one_order(data: st.DataObject) -> None:
    asyncio.run(_confusion(data))


async def _confusion(data: st.DataObject) -> None:
    hub = EventHub()
    pauses = data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3))
    nested = data.draw(st.sets(st.integers(0, 11), max_size=4))
    cancelled = data.draw(st.sets(st.integers(0, 11), max_size=4))
    starts = data.draw(st.lists(st.integers(0, 4), min_size=12, max_size=12))
    heard: list[list[str]] = [[], [], []]

    def listener(number: int) -> None:
        async def hear(told: SessionEvent) -> None:
            heard[number].append(name_of(told))
            await rounds(pauses[number])
            if number == 1 and name_of(told) in {str(each) for each in nested}:
                await hub.emit(event(f"after {name_of(told)}"))

        hub.subscribe(hear)

    for number in range(3):
        listener(number)
    feed = hub.feed()
    tasks = []
    for number, pause in enumerate(starts):
        tasks.append(asyncio.create_task(hub.emit(event(str(number)))))
        await rounds(pause)
        if number in cancelled:
            await asyncio.sleep(0)  # it has begun
            tasks[-1].cancel()
    await asyncio.wait(tasks)
    await hub.drain()
    expected = {str(number) for number in range(12)}
    assert expected <= set(heard[0])
    assert len(set(heard[0])) == len(heard[0])
    assert [each for each in heard[0] if each in expected] == sorted(expected, key=int)
    assert heard[0] == heard[2]
    assert [name_of(each) for each in await feed.take()] == heard[0]
    if not cancelled:
        assert heard[1] == heard[0]
        assert len(heard[0]) == 12 + len(nested)
