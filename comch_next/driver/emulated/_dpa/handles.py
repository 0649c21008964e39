"""What kernels know the host's objects by: numbers, as on the accelerator."""

from itertools import count
from typing import Any, ClassVar, TypeVar
from weakref import WeakValueDictionary

from comch_next.errors import InvalidValue

__all__ = ["Named", "find"]

_T = TypeVar("_T", bound="Named")
_numbers = count(1)
_living: "WeakValueDictionary[int, Any]" = WeakValueDictionary()


class Named:
    """An object that kernels may be told of. `number` is its handle there, from `show` on."""

    noun: ClassVar[str]
    number = 0

    def show(self) -> int:
        """Its handle, made when it is first asked for."""
        if not self.number:
            self.number = next(_numbers)
            _living[self.number] = self
        return self.number


def find(number: object, kind: type[_T], call: str) -> _T:
    """The object behind a handle. Raises InvalidValue for a number that is none, or that of another kind."""
    found = _living.get(number) if type(number) is int else None
    if not isinstance(found, kind):
        raise InvalidValue(f"{call} takes the handle of a {kind.noun}, not {number!r}")
    return found
