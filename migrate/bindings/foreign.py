"""What a program passes to libraries other than the old ones: it stays as cffi or ctypes has it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from migrate.bindings.knowledge import Bindings
from migrate.bindings.libraries import Libraries
from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import (
    CFFI,
    CFunction,
    Computed,
    Data,
    Ffi,
    Held,
    Library,
    Member,
    Null,
    Own,
    Pointer,
    Stranger,
    Text,
    UserData,
    View,
    keys,
)
from migrate.bindings.user_data import is_structure, is_union
from migrate.facts.forest import Forest
from migrate.facts.reaching import Reaching
from migrate.python.values import Bound, Class, External, Function, Instance, Plain, Token, Value, Values

_READING = frozenset({"addressof", "buffer", "gc", "getctype", "memmove", "offsetof", "sizeof", "string", "typeof"})
_READING |= {"unpack"}


class Foreign:
    """Answers for one project."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        reaching: Reaching,
        libraries: Libraries,
        bindings: Bindings,
        changes: Callable[[Data], bool],
    ) -> None:
        """changes: whether a C value becomes one of Python."""
        self._forest, self._values, self._reaching = forest, values, reaching
        self._libraries, self._changes = libraries, changes
        self._called, self._met = bindings.called, bindings.met

    @cached_property
    def ffis(self) -> frozenset[Ffi]:
        """The FFI objects of old libraries that open other libraries, too."""
        opened = (token.key for token in self._values.tokens if isinstance(token.key, Library))
        others = {library.ffi for library in opened if library not in self._libraries.old}
        return frozenset(ffi for ffi in self._libraries.ffis if ffi in others)

    @cached_property
    def _calls(self) -> dict[ast.Call, list[Stranger | Computed]]:
        """The calls of functions of other libraries, with these functions."""
        found = ((node, self._strangers(node)) for _, node in self._forest.nodes(ast.Call))
        return {node: functions for node, functions in found if functions}

    def _strangers(self, node: ast.Call) -> list[Stranger | Computed]:
        return [key for key in keys(self._reaching.of(node.func))
                if isinstance(key, Stranger | Computed) and key.library not in self._libraries.old]  # fmt: skip

    # ------------------------------------------------------------------ what stays

    def is_call_of(self, node: ast.Call, member: Member) -> bool:
        """Whether a call of a method of an FFI object has nothing to do with the old libraries."""
        if member.ffi not in self.ffis:
            return False
        if member.name == "from_buffer":
            return any(isinstance(key, View) and key in self._met for key in keys(self._values.of(node)))
        above = self._forest.parents[node]
        if member.name == "callback":
            function = node.args[1] if len(node.args) == 2 else above.args[0] if isinstance(above, ast.Call) else above
            return isinstance(function, ast.expr | ast.FunctionDef) and self.keeps(function)
        stays = member.name in _READING or (member.name == "cast" and self._ends_here(node))
        return stays and not any(map(self._may_be_of_talk, node.args))

    def _ends_here(self, node: ast.expr) -> bool:
        """Whether what a cast gives is read, or given to another library, and goes nowhere else."""
        above = self._forest.parents[node]
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name) and len(above.targets) == 1:
            loads = self._forest.of(above).of[above.targets[0]].loads
            return all(isinstance(load, ast.expr) and self._ends_here(load) for load in loads)
        if isinstance(above, ast.BinOp):
            return self._ends_here(above)
        if isinstance(above, ast.Call):
            is_of_ffi = any(isinstance(key, Member) for key in keys(self._values.of(above.func)))
            return above in self._calls or is_of_ffi or self._values.of(above.func) == {External("builtins.int")}
        return isinstance(above, ast.Subscript | ast.Attribute | ast.Compare) and node is not getattr(above, "slice", 0)

    def keeps(self, function: ast.expr | ast.FunctionDef) -> bool:
        """Whether what C can call is none that an old library calls, in a program that calls others."""
        found = [function] if isinstance(function, ast.FunctionDef) else _functions(self._reaching.of(function))
        return bool(self._calls) and bool(found) and self._called.keys().isdisjoint(found)

    def keeps_null(self, node: ast.Attribute) -> bool:
        """Whether `ffi.NULL` is given to another library, stored in a C value that stays, or compared with one."""
        above = self._forest.parents[node]
        if isinstance(above, ast.Compare):
            return all(map(self._stays, _others(node, above)))
        if isinstance(above, ast.Assign):
            return any(self._is_of_own(target) for target in above.targets)
        return isinstance(above, ast.Call) and above in self._calls

    def _stays(self, node: ast.expr) -> bool:
        """Whether an expression is certainly a C value that stays, or a part of one."""
        return self._is_of_own(node) or (self._may_be_own(node) and not self._may_be_of_talk(node))

    def _may_be_own(self, node: ast.expr) -> bool:
        return any(isinstance(key, Own) for key in keys(self._reaching.of(node)))

    def _is_of_own(self, target: ast.AST) -> bool:
        """Whether something is stored in a C value that stays."""
        if not isinstance(target, ast.Attribute | ast.Subscript):
            return False
        found = [*keys(self._reaching.of(target.value))]
        return any(isinstance(key, Own) or (isinstance(key, Data) and not self._changes(key)) for key in found)

    def _is_of_structure(self, target: ast.AST) -> bool:
        """Whether something is stored in a field of a structure that a program of ctypes has for itself."""
        found = self._values.of(target.value) if isinstance(target, ast.Attribute) else ()
        return any(self._is_structure(Class(value.node)) for value in found if isinstance(value, Instance))

    def _is_structure(self, value: Value) -> bool:
        return (
            isinstance(value, Class)
            and is_structure(value.node, self._values)
            and not is_union(value.node, self._values)
        )

    # ------------------------------------------------------------------ what cannot

    def problems(self) -> Iterator[NotUnderstood]:
        """Yield the places where a C value that is none any more goes to another library."""
        for call in self._calls:
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            yield from (NotUnderstood(argument, USE) for argument in given if self._is_of_talk(argument))
        for _, assignment in self._forest.nodes(ast.Assign):
            stored = any(self._is_of_own(target) or self._is_of_structure(target) for target in assignment.targets)
            if stored and self._is_of_talk(assignment.value):
                yield NotUnderstood(assignment.value, USE)
        for _, call in self._forest.nodes(ast.Call):
            if any(map(self._is_structure, self._values.of(call.func))):
                yield from (NotUnderstood(argument, USE) for argument in call.args if self._is_of_talk(argument))
            if any(isinstance(key, CFunction) for key in keys(self._reaching.of(call.func))):
                yield from (NotUnderstood(argument, USE) for argument in call.args if self._is_met_view(argument))

        for _, compared in self._forest.nodes(ast.Compare):
            for side in (compared.left, *compared.comparators):
                may_be_null = Token(Null()) in self._reaching.of(side) and not self._is_of_own(side)
                is_kept = isinstance(side, ast.Attribute) and self.keeps_null(side)
                if may_be_null and not is_kept and any(map(self._may_be_own, _others(side, compared))):
                    yield NotUnderstood(side, USE)

    def problems_of(self, places: Iterable[ast.expr]) -> Iterator[NotUnderstood]:
        """Yield the calls of an FFI object that stays which store such a value: `ffi.new("struct mine *", [ep[0]])`."""
        for call in (place for place in places if isinstance(place, ast.Call)):
            for argument in call.args:
                inside = self._values.inside(self._reaching.of(argument)) - {Token(Null())}
                if any(map(self._is_token_of_talk, inside)):
                    yield NotUnderstood(argument, USE)

    def _is_met_view(self, argument: ast.expr) -> bool:
        return any(isinstance(key, View) and key in self._met for key in keys(self._reaching.of(argument)))

    def _may_be_of_talk(self, node: ast.expr) -> bool:
        found = self._reaching.of(node)
        return Plain.UNKNOWN in found or any(map(self._is_token_of_talk, found))

    def _is_of_talk(self, node: ast.expr) -> bool:
        """Whether a value is one of the program's talk with an old library; NULL where it is written stays one."""
        found = self._reaching.of(node)
        is_written = isinstance(node, ast.Attribute) and self.keeps_null(node)
        return any(map(self._is_token_of_talk, found)) and not is_written

    def _is_token_of_talk(self, value: Value) -> bool:
        if not self._called.keys().isdisjoint(_functions([value])):
            return True
        key = value.key if isinstance(value, Token) else None
        if isinstance(key, Data):
            return self._changes(key)
        return isinstance(key, Pointer | UserData | Held | Null) or key == Text(CFFI)


def _functions(found: Iterable[Value]) -> list[ast.AST]:
    """Return the functions of the program among some values."""
    bare = (value.function if isinstance(value, Bound) else value for value in found)
    return [value.node for value in bare if isinstance(value, Function)]


def _others(side: ast.expr, compared: ast.Compare) -> list[ast.expr]:
    """Return what one side of a comparison is compared with."""
    return [other for other in (compared.left, *compared.comparators) if other is not side]
