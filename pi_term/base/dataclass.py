"""`dataclass` as the standard library's, with slots, at a tenth of its price for a program that starts.

`dataclasses.dataclass` compiles up to seven methods for each class, which is half a millisecond; a start of
the program defines two hundred classes and makes instances of seventy. Here the fields are read, and the
only method that must be compiled is, when the first instance is made; the other methods are closures.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, slots: bool, frozen: bool = False, eq: bool = True) -> Callable[[type], type]:
        """Make the class below a data class with `__slots__` (there is no other kind here)."""
        assert slots
        return lambda source: _with_slots(source, frozen=frozen, eq=eq)


_FIELDS = "__dataclass_fields__"
_UNSET = object()
_finishing = RLock()


class _Pending:
    """Stands where a class keeps its fields until somebody wants them; then the class is finished."""

    cls: type  # whose fields they are

    def __init__(self, source: type, *, frozen: bool, eq: bool) -> None:
        self.source, self.frozen, self.eq = source, frozen, eq

    def __get__(self, instance: object, owner: type) -> dict[str, dataclasses.Field[Any]]:
        _finish(self.cls, self)
        fields: dict[str, dataclasses.Field[Any]] = self.cls.__dict__[_FIELDS]
        return fields


def _with_slots(source: type, *, frozen: bool, eq: bool) -> type:
    """The class again, with slots in place of the fields' defaults, and nothing compiled yet."""
    names = [name for name, kind in source.__annotations__.items() if "ClassVar[" not in str(kind)]
    body = {name: value for name, value in source.__dict__.items() if name not in names}
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    pending = _Pending(source, frozen=frozen, eq=eq)

    def __init__(self: Any, *args: Any, **more: Any) -> None:
        _finish(cls, pending)
        finished: Any = cls
        finished.__init__(self, *args, **more)

    body |= {"__slots__": tuple(names), "__init__": __init__, _FIELDS: pending}
    if frozen:
        body |= _FROZEN
    cls = pending.cls = type(source)(source.__name__, source.__bases__, body)
    cls.__qualname__ = source.__qualname__
    return cls


def _finish(cls: Any, pending: _Pending) -> None:
    with _finishing:
        if cls.__dict__.get(_FIELDS) is not pending:
            return  # another thread was first
        # Where there is none, the standard library would write one from the signature, which is slow.
        pending.source.__doc__ = pending.source.__doc__ or pending.source.__name__
        # The fields are the standard library's, those of the bases included.
        inherits = any(hasattr(each, _FIELDS) for each in pending.source.__bases__)
        source: Any = dataclasses.dataclass(
            init=False,
            repr=False,
            eq=False,
            frozen=pending.frozen and inherits,  # else it would compile two methods for nothing
        )(pending.source)
        fields = dataclasses.fields(source)
        methods = {"__repr__": _repr(fields), "__match_args__": source.__match_args__}
        if pending.eq:
            methods["__eq__"] = _eq([each.name for each in fields if each.compare])
            methods["__hash__"] = (
                _hash([each.name for each in fields if each.compare]) if pending.frozen else None
            )
        for name, method in methods.items():
            # Python puts None for the hash of a class that has an `__eq__` of its own.
            if pending.source.__dict__.get(name) is None or name == "__match_args__":
                setattr(cls, name, method)
        cls.__dataclass_params__ = source.__dataclass_params__
        cls.__dataclass_params__.frozen = pending.frozen  # asked by classes that inherit from this one
        cls.__init__ = _init(cls, fields, frozen=pending.frozen)
        setattr(cls, _FIELDS, getattr(source, _FIELDS))


def _init(cls: type, fields: tuple[dataclasses.Field[Any], ...], *, frozen: bool) -> Any:
    """Compile `__init__`: parameters in the order of the fields, those by keyword only at the end."""
    names: dict[str, Any] = {"_put": object.__setattr__, "_unset": _UNSET}
    by_place, by_key, lines = list[str](), ["*"], list[str]()
    for each in fields:
        value = each.name
        if each.default_factory is not dataclasses.MISSING:
            names[f"_make_{value}"], default = each.default_factory, "=_unset"
            made = f"_make_{value}()"
            source = f"{made} if {value} is _unset else {value}" if each.init else made
        elif each.default is not dataclasses.MISSING:
            names[f"_default_{value}"], default = each.default, f"=_default_{value}"
            source = value if each.init else f"_default_{value}"
        else:
            default, source = "", value
        if each.init:
            (by_key if each.kw_only else by_place).append(f"{value}{default}")
        elif not default:
            continue  # `__post_init__` sets it
        lines.append(f"_put(self, {value!r}, {source})" if frozen else f"self.{value} = {source}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join(["self", *by_place, *(by_key if len(by_key) > 1 else [])])
    text = "\n ".join([f"def __init__({parameters}):", *(lines or ["pass"])])
    exec(text, names)
    made_init = names["__init__"]
    made_init.__qualname__ = f"{cls.__qualname__}.__init__"
    made_init.__module__ = cls.__module__
    made_init.__annotations__ = {each.name: each.type for each in fields if each.init} | {"return": None}
    return made_init


def _values(names: list[str]) -> Callable[[Any], Any]:
    """What reads these attributes of an object: a tuple, for one name its value."""
    return attrgetter(*names) if names else lambda _: ()


def _eq(names: list[str]) -> Any:
    values = _values(names)

    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(names: list[str]) -> Any:
    values = _values(names)

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _repr(fields: tuple[dataclasses.Field[Any], ...]) -> Any:
    shown = [each.name for each in fields if each.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__}({inner})"

    return __repr__


def _refuse_set(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


_FROZEN = {
    "__setattr__": _refuse_set,
    "__delattr__": _refuse_delete,
    "__getstate__": _state,  # copies and pickles set attributes otherwise
    "__setstate__": _restore,
}
