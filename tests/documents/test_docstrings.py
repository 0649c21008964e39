"""Every public name has a docstring, for help() and for the reference of the site."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from enum import Enum
from types import ModuleType
from typing import get_origin

import pytest

MODULES = [
    *("comch_next", "comch_next.aio", "comch_next.api", "comch_next.log", "comch_next.testing"),
    *("comch_next.dpa", "comch_next.dpa.dev"),
    *("comm_channel_compat", "comm_channel_compat.blocking", "comm_channel_compat.cc"),
]


_METHODS = (property, classmethod, staticmethod)  # fields of dataclasses and slots are none


def _members(cls: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties of a class that this project defines."""
    for owner in cls.__mro__:
        if owner.__module__.startswith(("comch_next", "comm_channel_compat")) and not issubclass(owner, Enum):
            for name, member in vars(owner).items():
                if not name.startswith("_") and (callable(member) or isinstance(member, _METHODS)):
                    yield name, getattr(cls, name)


def undocumented(module: ModuleType) -> set[str]:
    """Return the public functions, classes, methods and properties of a module without a docstring."""
    public: dict[str, object] = {}
    for name in module.__all__:
        value = getattr(module, name)
        if not get_origin(value) and (inspect.isclass(value) or inspect.isroutine(value)):  # 3.10: list[int] is a class
            public[name] = value
    for name, value in list(public.items()):
        if inspect.isclass(value):
            public.update((f"{name}.{member}", found) for member, found in _members(value))
    return {name for name, value in public.items() if not inspect.getdoc(value)}


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring(name: str) -> None:
    assert undocumented(importlib.import_module(name)) == set()


def test_a_method_without_a_docstring_is_found() -> None:
    module = ModuleType("example")
    cls = type("Example", (), {"__module__": "comch_next.example", "__doc__": "Text.", "call": lambda self: None})
    module.__all__ = ["Example"]  # type: ignore[attr-defined]
    module.Example = cls  # type: ignore[attr-defined]
    assert undocumented(module) == {"Example.call"}
