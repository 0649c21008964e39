"""Missing attributes: errors that name the Python spelling of a C name, or what a misspelled name may have meant.

A class that explains them is slower at every attribute, so only classes off the hot paths are `Hinted`; on the others
`spelled` puts something in the place of each C name that raises the error. The texts are looked up by the first error
(see `comch_next._hints`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from comch_next._attributes import Explained
from comch_next._spellings import ABSENT, LATER, PREFIXES, SPELLINGS

__all__ = ["CNames", "ContextNames", "Hinted", "Strict", "annotated", "has", "no_such_name", "spelled"]

_T = TypeVar("_T")
_OLD = "doca_comm_channel_"


class Hinted(Explained):
    """A class whose missing attributes are named in the error."""

    __slots__ = ()

    @classmethod
    def _explain(cls, name: str) -> AttributeError | None:
        if name.startswith("_") or any(name in vars(base) for base in cls.__mro__):
            return None  # an empty slot, or a property that failed by itself
        return _missing(cls, name)


class Strict:
    """A class that refuses to set attributes it does not have.

    A subclass may have more: declare each on the class, by an annotation (`peer: str`) or a value (`peer = ""`).
    """

    __slots__ = ()

    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None:
            if not name.startswith("_") and not has(type(self), name):
                raise _missing(type(self), name, setting=True)
            object.__setattr__(self, name, value)


class _CName:
    """Stands where Python has another name than C: asking for it raises the hint."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise _missing(owner, self._name)


_FUNCTIONS = [name for table in (SPELLINGS, ABSENT, LATER) for name in table if name.startswith("doca_")]


class CNames:
    """The hints for whole C names, as a base of classes on the hot paths: whatever class their call is of."""

    __slots__ = ()

    def __dir__(self) -> Iterable[str]:
        return [name for name in super().__dir__() if name.startswith("_") or has(type(self), name)]


for _name in _FUNCTIONS:
    setattr(CNames, _name, _CName(_name))


def _by_owner() -> dict[str, set[str]]:
    """The C names of the calls of each class, by the class's name."""
    owned: dict[str, set[str]] = {}
    for name, spelling in SPELLINGS.items():
        for part in spelling.split(" | "):
            whole = part if name.endswith(("_as_ctx", "_as_task")) else part.rpartition(".")[0]
            owner = whole.rpartition(".")[2]
            if owner and name.startswith("doca_"):
                owned.setdefault(owner, set()).add(name)
    return owned


_OWNED = _by_owner()
_OF_NO_CLASS = {"doca_", "doca_comch_"}
# What is not an attribute is a class, or a function of the package: nobody asks an object for `create`.
_CALLS = [name for name in _FUNCTIONS if "." in SPELLINGS.get(name, ".")]


def _rests(owners: Iterable[str], old_noun: str = "") -> set[str]:
    """The C names of these classes without their noun; with those of a noun of generation 1."""
    whole = set().union(*(_OWNED.get(owner, ()) for owner in owners))
    own = [(prefix, name.removeprefix(prefix)) for name in whole for prefix in PREFIXES if name.startswith(prefix)]
    nouns = {prefix for prefix, _ in own} - _OF_NO_CLASS
    others = {name.removeprefix(noun) for noun in nouns for name in _CALLS if name.startswith(noun)}
    old = {name.removeprefix(_OLD) for name in LATER if old_noun and name.startswith(_OLD + old_noun)}
    without = {name.removeprefix(old_noun) for name in old}
    return {"as_ctx", "as_task", *(rest for _, rest in own)} | others | old | without


def spelled(cls: _T) -> _T:
    """Give a class the hints for the C names of its own calls, and a connection those of generation 1; decorates."""
    owner = cls.__name__.removeprefix("_")  # type: ignore[attr-defined]
    connection = owner == "Connection"
    names = _rests([owner], "peer_addr_" if connection else "") | ({"sendto"} if connection else set())
    for name in names - _declared(cls):  # type: ignore[arg-type]
        setattr(cls, name, _CName(name))
    return cls


class ContextNames(CNames):
    """The hints for the C names of all contexts, as a base of theirs: what they have themselves comes before it."""

    __slots__ = ()


for _name in _rests(["Context", "Server", "Client", "Consumer", "Producer"], "ep_"):
    setattr(ContextNames, _name, _CName(_name))


def no_such_name(name: str) -> NoReturn:
    """Raise the AttributeError of the package comch_next; its `__getattr__`."""
    from comch_next._hints import hint_of_package

    text = f"module 'comch_next' has no attribute {name!r}"
    raise _error(text, name, "" if name.startswith("_") else hint_of_package(name))


def _declared(cls: type) -> set[str]:
    """The names for which `has` is true."""
    own = (name for base in cls.__mro__ for name, value in vars(base).items() if not isinstance(value, _CName))
    return {*own, *(name for base in cls.__mro__ for name in annotated(base))}


def has(cls: type, name: str) -> bool:
    """Whether objects of the class have the attribute, as far as the class declares it."""
    return any(
        (name in vars(base) and not isinstance(vars(base)[name], _CName)) or name in annotated(base)
        for base in cls.__mro__
    )


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
