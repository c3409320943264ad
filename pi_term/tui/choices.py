"""What a list offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload


@dataclass(frozen=True, slots=True)
class Choice:
    """One item: `value` is what choosing it gives, `detail` is said beside its label, `aside` at the edge.

    `faded` is an item that few will want: shown fainter, and found after the others. `found_by` are more
    words to search for.
    """

    value: str
    label: str
    detail: str = ""
    aside: str = ""
    faded: bool = False
    found_by: str = ""

    @property
    def searched(self) -> str:
        """The text that is searched, the label as its first line."""
        return f"{self.label}\n{self.detail} {self.aside} {self.found_by}"


class LazyChoices(Sequence[Choice]):
    """Choices that are made when somebody looks at them or searches.

    `make(place)` is called on whatever thread that is.
    """

    def __init__(self, count: int, make: Callable[[int], Choice]) -> None:
        self._count = count
        self._make = make
        self._made: dict[int, Choice] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Choice: ...
    @overload
    def __getitem__(self, place: slice) -> list[Choice]: ...

    def __getitem__(self, place: int | slice) -> Choice | list[Choice]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self._count))]
        if not 0 <= place < self._count:
            raise IndexError(place)
        choice = self._made.get(place)
        if choice is None:
            choice = self._made[place] = self._make(place)
        return choice
