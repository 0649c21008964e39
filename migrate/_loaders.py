"""Where a file opens DOCA's C libraries through cffi or ctypes: mode shim has it open those of comm_channel_compat."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from migrate.facts.forest import last_name
from migrate.facts.texts import OPENERS
from migrate.python.source import Source
from migrate.text.pieces import Change

__all__ = ["FIND", "MODULE", "Loader", "is_redirected", "library", "loaders"]

MODULE = "comm_channel_compat.libraries"
FIND = f"{MODULE}.find"
_FINDER = "find_library"
_OPENERS = OPENERS - {"set_source", "verify"}  # these compile
_LOADED_BY_NAME = frozenset({"cdll", "pydll"})  # of ctypes: cdll["libdoca_cc.so.2"]
_OF_DOCA = re.compile(r"(?:.*/)?((?:lib)?doca_\w+)(?:\.so[.0-9]*)?")
_BEGUN = re.compile(r"(?:.*/)?(?:lib)?doca_.*|(?:.*/)?lib")  # a text that other parts may make one of DOCA's


class Loader(NamedTuple):
    """A call that opens or finds a library. `place`: the argument to look up, or the function to replace."""

    call: ast.Call
    place: ast.expr

    def changes(self, source: Source) -> Iterator[Change]:
        """Yield the changes that have the library looked up among those of comm_channel_compat."""
        start, end = source.span(self.place)
        if self.place is self.call.func:
            yield Change(start, end, FIND)
        else:
            yield Change(start, start, f"{FIND}(")
            yield Change(end, end, ")")


def loaders(calls: Sequence[ast.Call]) -> Iterator[Loader]:
    """Yield those of some calls whose library is one of DOCA's, or may be: that which a name stands for."""
    for call in calls:
        name, argument = last_name(call.func), call.args[0] if call.args else None
        if name not in _OPENERS or argument is None or isinstance(argument, ast.Starred) or is_redirected(argument):
            continue
        constants = [part for part in ast.walk(argument) if isinstance(part, ast.Constant)]
        may_be_of_doca = any(
            isinstance(part.value, str) and (_OF_DOCA if part is argument else _BEGUN).fullmatch(part.value)
            for part in constants
        )
        if name == _FINDER:
            if may_be_of_doca:
                yield Loader(call, call.func)
        elif (may_be_of_doca or not constants) and not _finds(argument):
            yield Loader(call, argument)


def library(node: ast.Call | ast.Subscript) -> str:
    """Return which one of DOCA's libraries an expression opens or finds by its whole name; "" for others."""
    if isinstance(node, ast.Call):
        parts = [*node.args, *(keyword.value for keyword in node.keywords)] if last_name(node.func) in _OPENERS else []
    else:
        parts = [node.slice] if last_name(node.value) in _LOADED_BY_NAME else []
    if any(isinstance(part, ast.Call) and (is_redirected(part) or _finds(part)) for part in parts):
        return ""
    texts = (str(it.value) for part in parts for it in ast.walk(part) if isinstance(it, ast.Constant))
    return next((match[1] for text in texts if (match := _OF_DOCA.fullmatch(text))), "")


def is_redirected(node: ast.AST) -> bool:
    """Whether an expression looks a library up already."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == FIND


def _finds(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == _FINDER
