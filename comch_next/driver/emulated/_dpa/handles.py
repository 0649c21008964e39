"""What kernels know the host's objects by: numbers, as on the accelerator; and how calls of the host find them."""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any, ClassVar, TypeVar
from weakref import ref

from comch_next.driver.emulated._checks import expect
from comch_next.driver.protocol import quoted
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import InvalidValue

__all__ = ["Instance", "Mortal", "Named", "find", "living"]

_T = TypeVar("_T", bound="Named")
_M = TypeVar("_M", bound="Mortal")
_numbers = count(1)
_living: "dict[int, ref[Any]]" = {}


class Mortal(Protocol):
    """What the program destroys."""

    alive: bool


class Instance(Protocol):
    """A DPA, as the objects that its kernels may use see it."""

    dev: Any


class Named:
    """An object that kernels may use. `number` is its handle there, from `show` on."""

    noun: ClassVar[str]
    number = 0

    def show(self) -> int:
        """Its handle, made when it is first asked for."""
        if not self.number:
            number = next(_numbers)
            _living[number] = ref(self, partial(_living.pop, number))  # in C, as protocol._weak says
            self.number = number  # now that it leads here: an interrupt may come before
        return self.number

    def serves(self, dpa: Instance) -> bool:
        """Whether kernels of that instance may use it now."""
        raise NotImplementedError


def find(number: object, kind: type[_T], call: str, dpa: Instance) -> _T:
    """The object behind a handle. Raises InvalidValue for a number that is none, or that of another kind or instance,
    and for what has stopped."""
    known = _living.get(number) if type(number) is int else None
    found = known() if known is not None else None
    if not isinstance(found, kind):
        raise InvalidValue(f"{call} takes the handle of a {kind.noun}, not {quoted(number)}")
    if not found.serves(dpa):
        raise InvalidValue(f"{call} takes a {kind.noun} of this DPA that is started, which {number} is not")
    return found


def living(kind: type[_M]) -> Callable[[object, str], _M]:
    """Find what is behind a handle in a call of the host's; what has been destroyed is INVALID_VALUE, as NULL is."""

    def found(handle: object, call: str) -> _M:
        thing = expect(handle, kind, call)
        if not thing.alive:
            raise InvalidValue(f"{call}: the {thing} has been destroyed; make another")
        return thing

    return found
