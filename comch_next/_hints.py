"""How Python spells a C name, and the hint of a missing attribute: that spelling, or the name that is like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import lru_cache

import comch_next
from comch_next._names import annotated, has
from comch_next._spellings import ABSENT, GENERATION_1, LATER, PREFIXES, SPELLINGS

__all__ = ["c_names", "hint_of_class", "hint_of_package", "python_spelling"]

_OLD = "doca_comm_channel_"
_OLD_NOUNS = ("ep_", "peer_addr_", "")
_MODULES = ("aio", "dpa", "testing")  # that the package does not import by itself


@lru_cache(maxsize=256)  # for programs that ask with hasattr, again and again
def hint_of_class(cls: type, name: str, setting: bool) -> str:
    """What objects of the class have in place of an attribute; "" when nothing is like it."""
    found = _generation_1(cls, name) or _whole_name(name, cls) or _rest_of_name(name, cls)
    if found:
        return found
    close = _did_you_mean(name, _public(cls))
    return _of_the_program(cls, name, close) if setting else close


def _of_the_program(cls: type, name: str, close: str) -> str:
    """For a name that may be the program's own, which a class of its own has once it is declared there."""
    own = "user_data is for the program's own object" if has(cls, "user_data") else ""
    hints = [close or own]
    if cls.__module__.partition(".")[0] != "comch_next":
        hints.append(f"a subclass declares its own on the class, as `{name}: object`")
    return "; ".join(filter(None, hints))


@lru_cache(maxsize=256)
def hint_of_package(name: str) -> str:
    """What comch_next has in place of a name; "" when nothing is like it."""
    if name in _MODULES:
        return f"import comch_next.{name} first"
    if here := _of_generation_1(name):
        return f"{_old_rest(name)} is generation 1; here: {' or '.join(here)}"
    return _whole_name(name, object) or _did_you_mean(name, comch_next.__all__)


def c_names() -> list[str]:
    """Every C name that has a spelling in Python, or a reason why it has none."""
    return [*SPELLINGS, *ABSENT, *LATER]


def python_spelling(name: str) -> str:
    """How comch_next spells a C name of any generation, several apart by "or"; or why it has no counterpart."""
    if name in ABSENT:
        return f"no counterpart ({ABSENT[name]})"
    old = [SPELLINGS[new] for new in LATER.get(name, ()) if new in SPELLINGS]
    here = _of_generation_1(name) or list(dict.fromkeys([SPELLINGS[name]] if name in SPELLINGS else old))
    return " or ".join(here).replace(" | ", " or ") or "no counterpart"


def _of_generation_1(name: str) -> list[str]:
    """What objects of comch_next have for a call of generation 1 that they spell in their own way."""
    return _of_others(_old_rest(name)) if name.startswith(_OLD) else []


def _of_others(rest: str) -> list[str]:
    """The same, for what is left of the name."""
    if rest not in GENERATION_1:
        return []
    owners = (comch_next.Server, comch_next.Client, comch_next.Connection)
    return [f"{cls.__name__}.{attribute}" for cls in owners for attribute in _old_attributes(cls, rest)[:1]]


def _generation_1(cls: type, name: str) -> str:
    """For a call of the old endpoint or of its peers, whole or without its noun."""
    rest = _old_rest(name)
    if rest == name and any(_calls(cls, rest)):
        return ""  # the modern API has a call of that name, too
    here = _old_attributes(cls, rest)[:1] or _of_others(rest)
    return f"{rest} is generation 1; here: {' or '.join(here)}" if here else ""


def _old_rest(name: str) -> str:
    return name.removeprefix(_OLD).removeprefix("ep_").removeprefix("peer_addr_")


def _old_attributes(cls: type, rest: str) -> list[str]:
    """What the class has for an old call, the best first."""
    if rest in GENERATION_1:
        return [spelling for spelling in GENERATION_1[rest] if _is_there(cls, spelling)]
    new_names = (new for noun in _OLD_NOUNS for new in LATER.get(_OLD + noun + rest, ()))
    return [attribute for new in new_names for attribute in _attributes(cls, new)]


def _is_there(cls: type, spelling: str) -> bool:
    """Whether the class has the attribute, or `noun.attribute` by an attribute that is named for its class."""
    noun, _, attribute = spelling.rpartition(".")
    if not noun:
        return has(cls, attribute)
    return has(cls, noun) and has(getattr(comch_next, noun.capitalize()), attribute)


def _whole_name(name: str, cls: type) -> str:
    """For a C name, or one that is nearly one."""
    if name in SPELLINGS:
        return f"{name} is {_spelled(name, cls)}"
    if name in ABSENT:
        return f"{name} has no counterpart ({ABSENT[name]})"
    if name in LATER:
        spellings = (_spelled(new, cls) for new in LATER[name] if new in SPELLINGS)
        return f"{name} is of an earlier API; here: {', '.join(dict.fromkeys(spellings))}"
    if name.startswith(("doca_", "DOCA_")):
        close = get_close_matches(name, [*SPELLINGS, *ABSENT], n=1, cutoff=0.8)
        return f"did you mean {close[0]!r}? {_whole_name(close[0], cls)}" if close else ""
    return ""


def _rest_of_name(rest: str, cls: type) -> str:
    """For a C name without its noun: the calls of this class, otherwise one of another."""
    if rest.endswith(("as_ctx", "as_task")):
        return f"{rest} is the object itself"
    own = {_spelled(name, cls): name for name in reversed(list(_calls(cls, rest)))}
    if own:
        return "; ".join(_whole_name(name, cls) for name in reversed(own.values()))
    whole = [prefix + rest for prefix in PREFIXES]
    makes_it = (name for name in whole if SPELLINGS.get(name) in {base.__name__ for base in cls.__mro__})
    absent = (name for name in whole if name in ABSENT)
    return next((_whole_name(name, cls) for name in (*makes_it, *_calls(None, rest), *absent)), "")


def _calls(cls: type | None, rest: str) -> Iterator[str]:
    """The C calls with that rest which are attributes of the class, or of any."""
    for name in (prefix + rest for prefix in PREFIXES):
        if _attributes(cls, name) if cls is not None else "." in SPELLINGS.get(name, ""):
            yield name


def _attributes(cls: type, c_name: str) -> list[str]:
    """The attributes of the class that a C name is spelled by."""
    owners = {base.__name__.removeprefix("_") for base in cls.__mro__}
    parts = (spelling.rpartition(".") for spelling in SPELLINGS.get(c_name, "").split(" | "))
    return [attribute for owner, _, attribute in parts if owner.rpartition(".")[2] in owners]


def _spelled(c_name: str, cls: type) -> str:
    """Its spelling: an attribute of the class by its kind, anything else as it is written."""
    own = _attributes(cls, c_name)
    if not own:
        return SPELLINGS[c_name].replace(" | ", " or ")
    value = next((vars(base)[own[0]] for base in cls.__mro__ if own[0] in vars(base)), None)
    return f"the {'method' if callable(value) else 'property'} {own[0]}"


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]!r}?" if close else ""


def _public(cls: type) -> list[str]:
    names = {name for base in cls.__mro__ for name in (*vars(base), *annotated(base))}
    return sorted(name for name in names if not name.startswith("_") and has(cls, name))
