"""Where functions with changed arguments are used: their calls, and their declarations to ctypes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from migrate.bindings.prototypes import maker
from migrate.bindings.refusal import NotUnderstood
from migrate.facts.forest import Forest, last_name
from migrate.python.values import Bound, Function, Values
from migrate.successors.composed import Composed
from migrate.successors.names import SUCCESSOR, Successor

LOST = "CCM122"
_SIGNATURE = frozenset({"argtypes", "restype", "errcheck"})
_LOOKING_UP = frozenset({"attrgetter", "methodcaller"})
_TESTS = (ast.Compare, ast.Expr, ast.BoolOp, ast.If, ast.While, ast.Assert, ast.UnaryOp)


class Given(NamedTuple):
    """The arguments that some functions are given by one call."""

    successors: tuple[Successor, ...]
    call: ast.expr
    arguments: Sequence[ast.expr]


class Told(NamedTuple):
    """The types that are declared to ctypes for the arguments of some functions."""

    successors: tuple[Successor, ...]
    place: ast.expr
    types: Sequence[ast.expr]


class References:
    """Follows functions through the files of a program."""

    def __init__(self, forest: Forest, values: Values, composed: Composed) -> None:
        self._forest, self._values, self._composed = forest, values, composed
        self._passed: set[ast.AST] = set()

    def uses(self, wanted: Collection[str]) -> Iterator[Given | Told]:
        """Yield the uses of some functions; NotUnderstood where one cannot be followed."""
        for _, function in self._forest.nodes(ast.FunctionDef):
            if function.name in wanted and not _calls(function, function.name):
                raise NotUnderstood(function, LOST)  # a decorator makes it the one of C
        for _, node in self._forest.nodes(ast.Attribute):
            if node.attr in wanted and isinstance(node.ctx, ast.Load) and not self._is_own(node):
                yield from self._of(node, (SUCCESSOR[node.attr],))
        for kind in (ast.Constant, ast.JoinedStr, ast.BinOp):
            for _, text in self._forest.nodes(kind):
                if kind is ast.Constant and not isinstance(getattr(text, "value", None), str):
                    continue
                if isinstance(self._forest.parents[text], ast.JoinedStr | ast.BinOp | ast.FormattedValue):
                    continue  # a part
                names = self._composed.names(text) & SUCCESSOR.keys()
                if names & {*wanted}:
                    yield from self._named(text, tuple(SUCCESSOR[name] for name in sorted(names)))

    def _is_own(self, node: ast.expr) -> bool:
        """Whether an attribute is a function of the program's, which has the name of one of C."""
        return any(isinstance(value, Function | Bound) for value in self._values.of(node))

    def _named(self, text: ast.expr, successors: tuple[Successor, ...]) -> Iterator[Given | Told]:
        """Follow the name of a function."""
        above = self._forest.parents[text]
        if isinstance(above, ast.Dict) and text in above.keys:
            yield self._told(above.values[above.keys.index(text)], successors)
        elif isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Store):
            statement = self._forest.statement(above)
            if not isinstance(statement, ast.Assign) or above not in statement.targets:
                raise NotUnderstood(text, LOST)
            yield self._told(statement.value, successors)
        elif isinstance(above, ast.Subscript) or _is_getattr(above, text):
            assert isinstance(above, ast.expr)
            yield from self._of(above, successors)
        elif isinstance(above, ast.Call) and text in above.args:
            yield from self._passed_by_name(above, text, successors)
        elif isinstance(above, ast.Tuple | ast.List) and self._declares(above):
            yield self._told(above.elts[-1], successors)
        elif not isinstance(above, ast.Compare | ast.Expr):
            raise NotUnderstood(text, LOST)

    def _declares(self, row: ast.expr) -> bool:
        """Whether loops read a row of a table, and say what the function that it names takes: the last of the row."""
        table = self._forest.parents[row]
        above = self._forest.parents[table]
        readers = [table]
        if isinstance(above, ast.Assign) and len(above.targets) == 1 and isinstance(above.targets[0], ast.Name):
            readers = list(self._forest.of(table).of[above.targets[0]].loads)
        loops = [self._forest.parents[reader] for reader in readers]
        return bool(loops) and all(
            isinstance(loop, ast.For) and loop.iter is reader and self._takes_the_last(loop)
            for loop, reader in zip(loops, readers, strict=True)
        )

    def _takes_the_last(self, loop: ast.For) -> bool:
        """Whether the last name that a loop binds is used for argtypes alone."""
        last = loop.target.elts[-1] if isinstance(loop.target, ast.Tuple) else None
        if not isinstance(last, ast.Name):
            return False
        loads = self._forest.of(last).of[last].loads
        statements = [self._forest.statement(load) for load in loads]
        return bool(loads) and all(
            isinstance(each, ast.Assign)
            and loop in self._forest.above(each)
            and any(isinstance(part, ast.Attribute) and part.attr == "argtypes" for part in ast.walk(each.targets[0]))
            for each in statements
        )

    def _passed_by_name(
        self, call: ast.Call, text: ast.expr, successors: tuple[Successor, ...]
    ) -> Iterator[Given | Told]:
        found = self._functions(call)
        if len(found) == 1 and isinstance(found[0], ast.FunctionDef) and maker(found[0]):
            parameters = found[0].args
            first = len(parameters.args)
            declared = call.args[first:] if parameters.vararg else None
            if declared is None:
                raise NotUnderstood(call, LOST)
            yield Told(successors, call, declared)
            yield from self._of(call, successors)
        elif any(self._looks_up(function, call, text) for function in found):
            yield from self._handed_on(call, text, successors)
        elif last_name(call.func) in _LOOKING_UP:
            raise NotUnderstood(text, LOST)

    def _looks_up(self, function: ast.AST, call: ast.Call, text: ast.expr) -> bool:
        """Whether a function of the program does more than to show a text that it is given."""
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            return True
        bound = any(isinstance(value, Bound) for value in self._values.of(call.func))
        parameters = [*function.args.posonlyargs, *function.args.args][call.args.index(text) + bound :]
        if not parameters:
            return False
        loads = self._forest.of(function).of[parameters[0]].loads
        places = [(load, self._forest.parents[load]) for load in loads]
        return any(
            isinstance(place, ast.Subscript)
            or _is_getattr(place, load)
            or (isinstance(place, ast.Call) and self._functions(place))
            for load, place in places
        )

    def _of(self, node: ast.expr, successors: tuple[Successor, ...]) -> Iterator[Given | Told]:
        """Follow an expression that is one of some functions."""
        if node in self._passed:
            return
        self._passed.add(node)
        above = self._forest.parents[node]
        if isinstance(above, ast.Call) and above.func is node:
            yield Given(successors, above, above.args)
        elif isinstance(above, ast.Call) and node in above.args:
            if last_name(above.func) not in ("addressof", "print", "repr"):
                yield from self._handed_on(above, node, successors)
        elif isinstance(above, ast.Attribute) and above.attr in _SIGNATURE:
            yield from self._declared(above, successors)
        elif isinstance(above, ast.IfExp) and node is not above.test:
            yield from self._of(above, successors)
        elif isinstance(above, ast.Assign):
            for target in above.targets:
                yield from self._stored(target, successors)
        elif isinstance(above, ast.Tuple | ast.List) and above.elts[0] is node and self._is_called_row(above):
            yield Given(successors, above, above.elts[1:])
        elif not isinstance(above, _TESTS):
            raise NotUnderstood(node, LOST)

    def _declared(self, attribute: ast.Attribute, successors: tuple[Successor, ...]) -> Iterator[Told]:
        statement = self._forest.statement(attribute)
        if attribute.attr == "argtypes" and isinstance(statement, ast.Assign):
            for target in statement.targets:
                if target is attribute:
                    yield self._told(statement.value, successors)
                elif isinstance(target, ast.Tuple) and attribute in target.elts:
                    values = getattr(statement.value, "elts", [])
                    if len(values) != len(target.elts):
                        raise NotUnderstood(attribute, LOST)
                    yield self._told(values[target.elts.index(attribute)], successors)

    def _told(self, types: ast.expr, successors: tuple[Successor, ...]) -> Told:
        """Read a list of types, or one with the type of the result before it."""
        if isinstance(types, ast.Tuple) and len(types.elts) == 2 and isinstance(types.elts[1], ast.List | ast.Tuple):
            types = types.elts[1]
        if not isinstance(types, ast.List | ast.Tuple):
            raise NotUnderstood(types, LOST)
        return Told(successors, types, types.elts)

    def _stored(self, target: ast.expr, successors: tuple[Successor, ...]) -> Iterator[Given | Told]:
        """Follow a function to where its variable, or its field, is read."""
        if isinstance(target, ast.Name):
            for load in self._forest.of(target).of[target].loads:
                if isinstance(load, ast.expr):
                    yield from self._of(load, successors)
        elif isinstance(target, ast.Attribute):
            for _, node in self._forest.nodes(ast.Attribute):
                if node.attr == target.attr and isinstance(node.ctx, ast.Load):
                    yield from self._of(node, successors)
        else:
            raise NotUnderstood(target, LOST)

    # ------------------------------------------------------------------ functions that call what they are given

    def _functions(self, call: ast.Call) -> list[ast.AST]:
        found = self._values.of(call.func)
        functions = [value.function if isinstance(value, Bound) else value for value in found]
        return [function.node for function in functions if isinstance(function, Function)]

    def _handed_on(self, call: ast.Call, node: ast.expr, successors: tuple[Successor, ...]) -> Iterator[Given]:
        """Follow a function into one of the program that calls it with the arguments behind it."""
        at, functions = call.args.index(node), self._functions(call)
        bound = any(isinstance(value, Bound) for value in self._values.of(call.func))
        if not functions or not all(self._calls_with_rest(function, at + bound) for function in functions):
            raise NotUnderstood(node, LOST)
        yield Given(successors, call, call.args[at + 1 :])

    def _calls_with_rest(self, function: ast.AST, at: int) -> bool:
        """Whether a function only calls one parameter, the last one by place, with all arguments behind it first."""
        if not isinstance(function, ast.FunctionDef) or function.args.vararg is None:
            return False
        parameters = [*function.args.posonlyargs, *function.args.args]
        if len(parameters) != at + 1:
            return False
        names = self._forest.of(function)
        rest = names.of[function.args.vararg].loads
        return bool(rest) and all(self._opens_call(load, parameters[at].arg) for load in rest)

    def _opens_call(self, load: ast.AST, function: str) -> bool:
        star = self._forest.parents[load]
        call = self._forest.parents[star]
        if not isinstance(star, ast.Starred) or not isinstance(call, ast.Call) or call.args[0] is not star:
            return False
        called = call.func
        if isinstance(called, ast.Call) and last_name(called.func) == "getattr" and len(called.args) > 1:
            called = called.args[1]
        elif isinstance(called, ast.Subscript):
            called = called.slice
        return isinstance(called, ast.Name) and called.id == function

    def _is_called_row(self, row: ast.Tuple | ast.List) -> bool:
        """Whether a loop goes through rows and calls what is first in each with the rest: `for call, *args in`."""
        table = self._forest.parents[row]
        loop = self._forest.parents[table]
        if not isinstance(table, ast.Tuple | ast.List) or not isinstance(loop, ast.For) or loop.iter is not table:
            return False
        target = loop.target
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            return False
        function, rest = target.elts
        if (
            not isinstance(function, ast.Name)
            or not isinstance(rest, ast.Starred)
            or not isinstance(rest.value, ast.Name)
        ):
            return False
        loads = self._forest.of(rest).of[rest.value].loads
        return bool(loads) and all(self._opens_call(load, function.id) for load in loads)


def _is_getattr(node: ast.AST, name: ast.AST) -> bool:
    """Whether a call reads the attribute of a name."""
    return isinstance(node, ast.Call) and last_name(node.func) == "getattr" and node.args[1:2] == [name]


def _calls(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function takes one of C by a name, which may be its own."""
    return any(isinstance(node, ast.Attribute) and node.attr == name for node in ast.walk(function))
