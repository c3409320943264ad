"""Our `dataclass` does what the standard library's does; the two are held together on the same classes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from dataclasses import FrozenInstanceError, field, fields, replace
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from pi_term.base.dataclass import dataclass

T = TypeVar("T")
Make = Any  # either decorator; what it makes is looked at as it runs
BOTH = pytest.mark.parametrize("make", [dataclass, dataclasses.dataclass], ids=["ours", "theirs"])


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0


def point(make: Make, **options: Any) -> Any:
    class Spot:
        """A spot."""

        KIND: ClassVar[str] = "spot"
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list)
        secret: str = field(default="", repr=False, compare=False)

        def moved(self, by: int) -> Any:
            return replace(self, x=self.x + by)

    return make(slots=True, **options)(Spot)


@BOTH
def test_values_by_place_by_name_and_by_default(make: Make) -> None:
    spot = point(make)
    assert repr(spot(1, y=5)).endswith("Spot(x=1, y=5, tags=[])")
    assert spot(1) == spot(1, 2, [])
    assert spot(1).tags is not spot(1).tags
    assert spot(1, secret="k") == spot(1)
    assert "k" not in repr(spot(1, secret="k"))
    assert spot.KIND == "spot"
    assert spot.__doc__ == "A spot."
    assert spot(1) != spot(2)
    assert spot(1) != (1, 2, [])
    with pytest.raises(TypeError, match="x"):
        spot()
    with pytest.raises(TypeError, match="z"):
        spot(1, z=2)


@BOTH
def test_slots_and_defaults(make: Make) -> None:
    spot = point(make)
    one = spot(1)
    with pytest.raises(AttributeError):
        one.other = 1
    assert not hasattr(one, "__dict__")
    one.x = 7
    assert one.moved(1).x == 8
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


@BOTH
def test_frozen_ones_refuse_change_and_can_be_keys(make: Make) -> None:
    one = point(make, frozen=True)(1, tags=())
    with pytest.raises(FrozenInstanceError):
        one.x = 2
    with pytest.raises(FrozenInstanceError):
        del one.x
    assert hash(one) == hash(point(make, frozen=True)(1, tags=()))
    assert copy.copy(one) == one
    assert copy.deepcopy(one) == one
    assert one.moved(3).x == 4


@BOTH
def test_without_equality_each_is_itself(make: Make) -> None:
    spot = point(make, eq=False)
    one = spot(1)
    assert one != spot(1)
    assert len({one, one}) == 1


@BOTH
def test_what_follows_and_what_is_inherited(make: Make) -> None:
    @make(slots=True)
    class Base:
        name: str
        extra: dict[str, int] = field(default_factory=dict, kw_only=True)

        def __repr__(self) -> str:
            return f"<{self.name}>"

    @make(slots=True)
    class Special(Base):
        depth: int = field(init=False)
        size: int = 3

        def __post_init__(self) -> None:
            self.depth = self.size * 2

    one: Any = Special("a", 4, extra={"k": 1})
    assert (one.name, one.size, one.depth, one.extra) == ("a", 4, 8, {"k": 1})
    assert [each.name for each in fields(Special)] == ["name", "extra", "depth", "size"]
    assert repr(Base("b")) == "<b>"
    assert isinstance(one, Base)
    match one:
        case Special(name, size):
            assert (name, size) == ("a", 4)
        case _:
            pytest.fail("no match")


@BOTH
def test_frozen_ones_are_inherited_by_frozen_ones_of_either_kind(make: Make) -> None:
    @make(frozen=True, slots=True)
    class Deep(Point):
        z: int = 0

    one: Any = Deep(1, 2, 3)
    assert (one.x, one.y, one.z) == (1, 2, 3)
    with pytest.raises(FrozenInstanceError):
        one.x = 2
    assert hash(one) == hash(Deep(1, 2, 3))


@BOTH
def test_generic_ones(make: Make) -> None:
    @make(slots=True, frozen=True)
    class Box(Generic[T]):
        value: T

    assert Box(3).value == 3


@BOTH
def test_an_equality_of_its_own_stays_and_a_frozen_one_can_be_a_key(make: Make) -> None:
    @make(slots=True, frozen=True)
    class Named:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and self.name.casefold() == other.name.casefold()

    one: Any = Named("a")
    assert one == Named("A")
    assert hash(one) == hash(Named("a"))


@BOTH
def test_one_that_holds_itself_can_be_told(make: Make) -> None:
    spot = point(make)
    one = spot(1)
    one.tags.append(one)
    assert "..." in repr(one)


@BOTH
def test_a_default_that_changes_is_refused(make: Make) -> None:
    def use() -> None:
        @make(slots=True)
        class Wrong:
            items: list[int] = []

        Wrong()

    with pytest.raises(ValueError, match="mutable default"):
        use()


def test_the_fields_are_known_before_there_is_an_instance() -> None:
    @dataclass(slots=True)
    class Fresh:
        x: int
        y: str = "a"

    assert [each.name for each in fields(Fresh)] == ["x", "y"]
    assert list(inspect.signature(Fresh).parameters) == ["x", "y"]
    assert dataclasses.is_dataclass(Fresh)


def test_one_whose_fields_are_asked_for_while_another_thread_finishes_it() -> None:
    @dataclass(slots=True)
    class Shared:
        x: int

    found = Shared.__dict__["__dataclass_fields__"]  # as the first thread finds it
    fields(Shared)  # the other one
    assert list(found.__get__(None, Shared)) == ["x"]


def test_pickles_come_back() -> None:
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)


def test_threads_that_make_the_first_one_at_once_all_get_one() -> None:
    for _ in range(20):

        @dataclass(frozen=True, slots=True)
        class Shared:
            x: int
            y: int = 1

        made: list[Shared] = []
        barrier = threading.Barrier(4)

        def work(barrier: threading.Barrier = barrier, kind: Any = Shared, made: list[Any] = made) -> None:
            barrier.wait()
            made.append(kind(1))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [Shared(1)] * 4
