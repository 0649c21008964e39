"""The instrument that finds what a proof does behind the public face: private calls, private names, private modules."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType

import comch_next
import comch_next.dpa
import comm_channel_compat
import comm_channel_compat.blocking
import comm_channel_compat.cc
from tests.processes import ROOT

__all__ = ["private_names", "watched"]

PACKAGES: tuple[ModuleType, ...] = (
    comch_next,
    comch_next.dpa,
    comm_channel_compat,
    comm_channel_compat.blocking,
    comm_channel_compat.cc,
)
FOLDERS = tuple(f"{ROOT / package.__name__.partition('.')[0]}/" for package in PACKAGES)
TESTS = f"{ROOT / 'tests'}/"


@contextmanager
def watched(found: list[str]) -> Iterator[None]:
    """Note every function of the packages that a test calls itself and that is not public.

    What a quick call of the packages calls, which has no frame, is not called by the test. Garbage waits: else what it
    calls at its end would seem to be called where the collector came to run.
    """
    quick: list[FrameType] = []  # frames that are in a quick call

    def on_call(frame: FrameType, event: str, called: object) -> None:
        if event == "c_call" and _is_quick(called):
            quick.append(frame)
        elif event in ("c_return", "c_exception") and _is_quick(called):
            quick.pop()
        elif event == "call" and frame.f_back not in quick and _is_called_by_a_test(frame) and not _is_public(frame):
            found.append(f"{Path(frame.f_code.co_filename).relative_to(ROOT)}: {frame.f_code.co_name}")

    before = sys.getprofile()
    gc.disable()
    sys.setprofile(on_call)
    try:
        yield
    finally:
        sys.setprofile(before)
        gc.enable()


def _is_quick(called: object) -> bool:
    """Whether it is a function in C whose object is of the packages."""
    owner = type(getattr(called, "__self__", None)).__module__
    return owner.partition(".")[0] in {package.__name__ for package in PACKAGES}


def _is_called_by_a_test(frame: FrameType) -> bool:
    caller = frame.f_back
    return caller is not None and caller.f_code.co_filename.startswith(TESTS)


def _is_public(frame: FrameType) -> bool:
    """A function that a package lists, or a method of a class that one lists; all other code, too."""
    code = frame.f_code
    if not code.co_filename.startswith(FOLDERS):
        return True
    if code.co_name.startswith("_") and not code.co_name.endswith("__"):
        return False
    owner = next((frame.f_locals[name] for name in code.co_varnames[:1] if name in ("self", "cls")), None)
    if owner is None and callable(around := frame.f_locals.get("call")):  # a decorator's: what it stands around counts
        return around.__name__[0] != "_" and any(map(_is_of_public_class, frame.f_locals["args"][:1]))
    if owner is None:
        return code in _functions()
    return _is_of_public_class(owner)


def _is_of_public_class(owner: object) -> bool:
    classes = (owner if isinstance(owner, type) else type(owner)).__mro__
    return any(vars(package).get(cls.__name__) is cls for package in PACKAGES for cls in classes)


@cache
def _functions() -> frozenset[CodeType]:
    """The code of every function that a package has under a public name, the flat C names included."""
    every = [value for package in PACKAGES for name, value in vars(package).items() if not name.startswith("_")]
    return frozenset(value.__code__ for value in every if isinstance(value, FunctionType))


def private_names(source: str) -> list[str]:
    """Private modules that a source imports, and private attributes that it uses of anything but itself."""
    return sorted(set(_private_names(ast.parse(source))))


def _private_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "os")):
                yield f".{node.attr}"
        elif isinstance(node, ast.ImportFrom):
            yield from (name for name in _imported(node) if _is_behind(name))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _is_behind(alias.name))


def _imported(node: ast.ImportFrom) -> Iterator[str]:
    yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _is_behind(name: str) -> bool:
    """Whether a dotted name leads behind the public face: to the driver or to a private module."""
    parts = name.split(".")
    return parts[0] in ("comch_next", "comm_channel_compat") and ("driver" in parts or any(map(_is_private, parts)))
