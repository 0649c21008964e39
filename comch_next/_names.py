"""Missing attributes: errors that name the Python spelling of a C name, or what a misspelled name may have meant.

Neither class costs anything for a name that exists: Python asks `__getattr__` only after a miss, and the tables of
names are imported by the first one (see `comch_next._hints`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["Hinted", "Strict", "annotated", "has", "no_such_name"]


class Hinted:
    """A class whose missing attributes are named in the error."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            cls = type(self)
            if name.startswith("_") or any(name in vars(base) for base in cls.__mro__):
                return object.__getattribute__(self, name)  # an empty slot, or a property that failed by itself
            raise _missing(cls, name)


class Strict(Hinted):
    """A class that refuses attributes it does not have.

    A subclass may have more: declare each on the class, by an annotation (`peer: str`) or a value (`peer = ""`).
    """

    __slots__ = ()

    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None:
            if name[0] != "_" and not has(type(self), name):
                raise _missing(type(self), name, setting=True)
            object.__setattr__(self, name, value)


def no_such_name(name: str) -> NoReturn:
    """Raise the AttributeError of the package comch_next; its `__getattr__`."""
    from comch_next._hints import hint_of_package

    text = f"module 'comch_next' has no attribute {name!r}"
    raise _error(text, name, "" if name.startswith("_") else hint_of_package(name))


def has(cls: type, name: str) -> bool:
    """Whether objects of the class have the attribute, as far as the class declares it."""
    return any(name in vars(base) or name in annotated(base) for base in cls.__mro__)


def annotated(cls: type) -> Iterable[str]:
    """The names that a class itself annotates."""
    if sys.version_info >= (3, 14):  # there, annotations are evaluated when asked for, and may not be evaluable
        from annotationlib import Format, get_annotations

        return get_annotations(cls, format=Format.FORWARDREF)
    found: Iterable[str] = vars(cls).get("__annotations__", ())
    return found


def _missing(cls: type, name: str, setting: bool = False) -> AttributeError:
    from comch_next._hints import hint_of_class

    return _error(f"{cls.__name__} has no attribute {name!r}", name, hint_of_class(cls, name, setting))


def _error(text: str, name: str, hint: str) -> AttributeError:
    # Without `obj` the interpreter adds no suggestion of its own to one that is there already.
    return AttributeError(f"{text}; {hint}" if hint else text, name=name, obj=None)
