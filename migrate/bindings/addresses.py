"""Where a program of ctypes needs the number that a handle is there: `value` of a cell, which becomes an object."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import CTYPES, Data, Name, Pointer, keys
from migrate.facts.forest import Forest
from migrate.facts.reaching import Reaching
from migrate.python.values import Bound, Collection, External, Instance, Plain, Token, Value, Values

_ADDRESS = Token(Pointer(CTYPES))
_SHOWING = "ascii bool callable hash id isinstance print repr str type"
_KEEPING = "all any dict enumerate filter frozenset getattr iter len list map next reversed set setattr tuple zip"
_BUILTINS = frozenset(f"builtins.{name}" for name in f"{_SHOWING} {_KEEPING}".split())
_MODULES = "asyncio collections concurrent contextlib copy functools itertools logging queue threading types typing"
_TAKE_OBJECTS = frozenset(_MODULES.split())  # modules whose functions take any object
_MEMORY = frozenset({"memmove", "memset", "string_at"})  # take an address of memory: a number in Python, too
_NUMBERS = ("builtins.int", "numbers.", "typing.Supports")  # classes that a number is of
_LOGGING = frozenset({".critical", ".debug", ".error", ".exception", ".info", ".log", ".warning"})


class Addresses:
    """Judges the places of these values: they may go on to others of Python, or back into a cell."""

    def __init__(self, forest: Forest, values: Values, reaching: Reaching) -> None:
        self._forest, self._values, self._reaching = forest, values, reaching

    def problems(self, edited: Container[ast.expr]) -> Iterator[NotUnderstood]:
        """Yield the places that have no room for an object; edited: what is replaced with what is in it."""
        used = self._values.uses(_ADDRESS)
        for node in used:
            if _ADDRESS in self._reaching.of(node) and self._is_number(node, edited):
                yield NotUnderstood(node, USE)
        if not used:
            return
        for _, assignment in self._forest.nodes(ast.Assign):
            if self._is_address(assignment.value) and not all(map(self._has_room, assignment.targets)):
                yield NotUnderstood(assignment.value, USE)
        for _, case in self._forest.nodes(ast.Match):
            kinds = (
                part.cls for each in case.cases for part in ast.walk(each.pattern) if isinstance(part, ast.MatchClass)
            )
            if any(self._asks_for_number(case.subject, kind) for kind in kinds):
                yield NotUnderstood(case.subject, USE)
        for _, call in self._forest.calls(("isinstance",)):
            if len(call.args) == 2 and self._asks_for_number(*call.args):
                yield NotUnderstood(call.args[0], USE)
        for _, call in self._forest.nodes(ast.Call):
            yield from (NotUnderstood(argument, USE) for argument in self._given(call, edited))

    def _is_address(self, node: ast.expr) -> bool:
        """Whether an expression may be such a value, or have one in it."""
        return _ADDRESS in self._values.inside(self._reaching.of(node)) | self._reaching.of(node)

    def _is_number(self, node: ast.expr, edited: Container[ast.expr]) -> bool:
        """Whether a number is read where a value stands: `value.to_bytes(8)`, `-value`, `f"{value:x}"`."""
        above = self._forest.parents[node]
        if isinstance(above, ast.Attribute):
            return above not in edited and not any(map(_has_attributes, self._reaching.of(node)))
        if isinstance(above, ast.UnaryOp):
            return not isinstance(above.op, ast.Not)
        return isinstance(above, ast.FormattedValue) and above.format_spec is not None

    def _asks_for_number(self, subject: ast.expr, kind: ast.expr) -> bool:
        """Whether a value is asked for a class that numbers are of, or for one that is not known."""
        if not self._is_address(subject):
            return False
        known = self._values.of(kind)
        found = self._values.inside(known) | {each for each in known if not isinstance(each, Collection)}
        return not found or any(map(_is_of_numbers, found))

    def _given(self, call: ast.Call, edited: Container[ast.expr]) -> Iterator[ast.expr]:
        """Yield the arguments of a call that is none of those which take any object."""
        functions = self._values.of(call.func)
        if call in edited or all(map(_takes_objects, functions)):
            return
        for part in (*call.args, *(keyword.value for keyword in call.keywords)):
            argument = part.value if isinstance(part, ast.Starred) else part
            if self._is_address(argument):
                yield argument

    def _has_room(self, target: ast.expr) -> bool:
        """Whether a place of an assignment is none of an array of C or the like: these are not containers of Python."""
        if isinstance(target, ast.Tuple | ast.List):
            return all(map(self._has_room, target.elts))
        if not isinstance(target, ast.Subscript):
            return True
        found = self._reaching.of(target.value)
        return bool(found) and all(map(_is_container, found))


def _is_of_numbers(kind: Value) -> bool:
    return isinstance(kind, Plain) or (isinstance(kind, External) and kind.name.startswith(_NUMBERS))


def _is_container(value: Value) -> bool:
    return isinstance(value, Collection | Instance) or any(isinstance(key, Data) for key in keys([value]))


def _has_attributes(value: Value) -> bool:
    """Whether a value is none that C shows as a number."""
    return isinstance(value, Collection | Instance) or any(not isinstance(key, Pointer) for key in keys([value]))


def _takes_objects(function: Value) -> bool:
    """Whether a function takes any object where it takes a number, or is judged by other rules."""
    if isinstance(function, Bound) and isinstance(function.function, External):
        receiver = function.arguments[:1]
        return function.function.name in _LOGGING or any(isinstance(each, Collection | Instance) for each in receiver)
    if isinstance(function, External):
        return function.name in _BUILTINS or function.name.partition(".")[0] in _TAKE_OBJECTS
    named = [key.name for key in keys([function]) if isinstance(key, Name) and key.package == CTYPES]
    return _MEMORY.issuperset(named)
