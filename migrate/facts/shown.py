"""Which handles the text of an expression shows: its own, and those in collections and records."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

from migrate.facts.forest import Forest, last_name
from migrate.facts.tokens import is_handle
from migrate.python._looping import constants, rows
from migrate.python.known_calls import BY_REPR, SHOWING
from migrate.python.values import Bound, Collection, Function, Instance, Plain, Token, Value, Values

SHOWN, MAY_BE_SHOWN = "CCM081", "CCM085"
_TABLES = frozenset({"vars", "asdict", "astuple"})
_SHOWING = SHOWING | {"dumps"}
_MAKING = frozenset({"list", "tuple", "dict", "sorted", "zip", "enumerate", "join", "append", "map"})
_HOLDING: tuple[type[ast.AST], ...] = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_HOLDING += (ast.GeneratorExp, ast.IfExp, ast.BoolOp, ast.JoinedStr, ast.NamedExpr)
_TAKING = frozenset({"pop", "popitem", "popleft", "clear", "remove", "discard"})


class Shown:
    """Finds the handles that a text shows, with the code for each."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values
        self._known: dict[Value, list[tuple[Value, bool]]] = {}
        owners = [node.value for _, node in forest.nodes(ast.Attribute) if node.attr in _TAKING]
        for _, statement in forest.nodes(ast.Delete):
            owners += [target.value for target in statement.targets if isinstance(target, ast.Subscript)]
        # Collections from which something is taken: what they hold may be gone.
        self._shrinking = frozenset[Value]().union(*map(values.of, owners))

    def by(self, node: ast.expr, place: ast.AST) -> Iterator[tuple[Value, ast.AST, str]]:
        """Yield the handles that the text of an expression shows, or may show, and the place to name.

        That is the argument of a call where a helper shows whatever it is given.
        """
        todo, seen = [(node, place)], {node}
        while todo:
            shown, where = todo.pop()
            handles = self._among(self._values.of(shown), is_str=not _is_repr(shown, self._forest))
            for handle, maybe in handles:
                yield handle, where, MAY_BE_SHOWN if maybe else SHOWN
            if not handles:
                given = [argument for argument in self._given(shown) if argument not in seen]
                todo += [(argument, argument) for argument in given]
                seen.update(given)

    def _given(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield what calls of a function give for the parameter that an expression is, or is an item of."""
        for parameter in self._parameters(node):
            function = self._forest.of(parameter).function(parameter)
            for call in self._values.callers(function):
                if isinstance(call, ast.Call) and self._calls(call, function):
                    yield from _arguments(call, function.args, parameter)  # type: ignore[attr-defined]

    def _parameters(self, node: ast.expr) -> Iterator[ast.arg]:
        """Yield the parameters that an expression is, or that are gone through by the loop which it is a handle of."""
        name = node.value if isinstance(node, ast.Starred) else node
        bindings = self._bindings(name)
        yield from (binding for binding in bindings if isinstance(binding, ast.arg))
        if self._has_handle(self._values.of(name)):
            sources = (_gone_through(binding, self._forest) for binding in bindings)
            parts = (part for source in sources if source for part in ast.walk(source))
            yield from (found for part in parts for found in self._bindings(part) if isinstance(found, ast.arg))

    def _bindings(self, node: ast.AST) -> Sequence[ast.AST]:
        variable = self._forest.of(node).of.get(node) if isinstance(node, ast.Name) else None
        return variable.bindings if variable else ()

    def _has_handle(self, values: frozenset[Value]) -> bool:
        return any(map(is_handle, values | self._values.inside(values)))

    def _calls(self, call: ast.Call, function: ast.AST) -> bool:
        """Whether a call calls a function itself, as no other function would do with its own arguments."""
        called = (value.function if isinstance(value, Bound) else value for value in self._values.of(call.func))
        return any(isinstance(value, Function) and value.node is function for value in called)

    def _is_one_kind(self, values: Set[Value]) -> bool:
        return all(is_handle(value) or isinstance(value, Collection | Instance) for value in values)

    def elsewhere(self) -> Iterator[tuple[Value, ast.AST, str]]:
        """Yield the same for functions that are called by another name or by Python: `map(str, ...)`, `log.info`."""
        for node, values in self._values.shows:
            functions = self._values.of(node.func) if isinstance(node, ast.Call) else frozenset()
            if any(isinstance(function, Token) for function in functions):
                continue  # `(ep.disconnect if peer else print)(peer)`
            handles = self._among(values)
            for handle, maybe in handles:
                yield handle, node, MAY_BE_SHOWN if maybe else SHOWN
            items = node.args[1:] if isinstance(node, ast.Call) and last_name(node.func) == "map" else []
            if not handles and self._has_handle(values):
                yield from (found for part in items for given in self._given(part) for found in self.by(given, given))
        for node, objects in self._as_tables():
            for (owner, _), values in self._values.fields.items() if self._is_gone_through(node) else ():
                for handle in filter(is_handle, values) if any(each.node is owner for each in objects) else ():
                    yield handle, node, SHOWN

        for _, call in self._forest.calls(("getattr",)):
            if len(call.args) > 1 and self._is_shown(call, set()):
                yield from ((handle, call, SHOWN) for handle in self._in_fields(*call.args[:2]))

    def _in_fields(self, owner: ast.expr, name: ast.expr) -> Iterator[Value]:
        """Yield the handles in the fields of an object, when a loop goes through their names."""
        loops = rows(name.value if isinstance(name, ast.Attribute) else name, self._forest.of(name))
        names = set[object]().union(*map(constants, loops))
        owners = {getattr(value, "node", None) for value in self._values.of(owner) if isinstance(value, Instance)}
        for (node, field), values in self._values.fields.items() if loops else ():
            if node in owners and (not names or field in names):
                yield from filter(is_handle, values)

    def _is_shown(self, node: ast.expr, seen: set[ast.AST]) -> bool:
        """Whether an expression, or what it is put into, becomes a text."""
        parent = self._forest.parents[node]
        while isinstance(parent, ast.keyword | ast.Starred):
            parent = self._forest.parents[parent]
        if parent in seen or isinstance(parent, ast.FormattedValue):
            return parent not in seen
        seen.add(parent)
        if isinstance(parent, ast.Call) and node is not parent.func:
            name = last_name(parent.func)
            return name in _SHOWING or (name in _MAKING and self._is_shown(parent, seen))
        if isinstance(parent, ast.Assign):
            names = (target for target in parent.targets if isinstance(target, ast.Name))
            variables = [self._forest.of(name).of[name] for name in names]
            loads = (load for variable in variables for load in variable.loads if isinstance(load, ast.Name))
            return any(self._is_shown(load, seen) for load in loads)
        if isinstance(parent, ast.Return):
            function = self._forest.of(node).function(node)
            callers = self._values.callers(function) if function else ()
            return any(self._is_shown(caller, seen) for caller in callers)
        is_filled = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod) and parent.right is node
        return is_filled or (isinstance(parent, _HOLDING) and self._is_shown(parent, seen))  # type: ignore[arg-type]

    def _as_tables(self) -> Iterator[tuple[ast.expr, list[Instance]]]:
        """Yield where the fields of objects become a dictionary: `vars(link)`, `link.__dict__`, `asdict(link)`."""
        tables = [(node, node.value) for _, node in self._forest.nodes(ast.Attribute) if node.attr == "__dict__"]
        calls = (call for _, call in self._forest.calls(_TABLES) if call.args)
        for node, source in (*tables, *((call, call.args[0]) for call in calls)):
            yield node, [value for value in self._values.of(source) if isinstance(value, Instance)]

    def _is_gone_through(self, node: ast.expr) -> bool:
        """Whether a dictionary is shown, or all that is in it looked at."""
        parent = self._forest.parents[node]
        if isinstance(parent, ast.Attribute):
            return parent.attr in ("items", "values")
        shown = isinstance(parent, ast.Call) and node is not parent.func and last_name(parent.func) in _SHOWING
        return shown or isinstance(parent, ast.FormattedValue)

    def _among(self, values: frozenset[Value], *, is_str: bool = False) -> list[tuple[Value, bool]]:
        """Return the handles that some values show, and whether another of them shows none.

        Where anything else may stand as well, most likely values that a program keeps apart have met.
        """
        known = values - {Plain.NONE}
        if is_str:
            known = frozenset(value for value in known if not self._values.has_own(value, "__str__"))
        if not self._is_one_kind(known):
            return []
        found = [self._in(value) for value in known]
        others = any(not shown and not _is_no_rest(value) for value, shown in zip(known, found, strict=True))
        others = others or Plain.NONE in values or not self._shrinking.isdisjoint(known)
        return list(dict.fromkeys((handle, maybe or others) for handles in found for handle, maybe in handles))

    def _in(self, value: Value) -> list[tuple[Value, bool]]:
        if not isinstance(value, Collection | Instance):
            return [(value, False)]
        if value not in self._known:
            self._known[value] = []  # of one that holds itself
            parts = self._values.shown(value)
            self._known[value] = list(dict.fromkeys(found for part in parts for found in self._among(part)))
        return self._known[value]


def shown_values(forest: Forest, values: Values) -> set[Value]:
    """Return everything that calls, f-strings and Python's own library make a text of."""
    found = {value for _, given in values.shows for value in given}
    found.update(*(values.of(part.value) for _, part in forest.nodes(ast.FormattedValue)))
    for _, call in forest.calls(SHOWING):
        found.update(*(values.of(node.value if isinstance(node, ast.Starred) else node) for node in call.args))
    return found


def _gone_through(target: ast.AST, forest: Forest) -> ast.expr | None:
    """Return what the loop goes through that gives a name its values."""
    above = forest.parents[target]
    while isinstance(above, ast.Tuple | ast.List):
        target, above = above, forest.parents[above]
    if isinstance(above, ast.For | ast.AsyncFor | ast.comprehension) and above.target is target:
        return above.iter
    return None


def _is_no_rest(value: Value) -> bool:
    """Whether it is what `*rest` is in a call that gives it nothing."""
    return isinstance(value, Collection) and isinstance(value.node, ast.arg) and value.place == (0,)


def _is_repr(node: ast.expr, forest: Forest) -> bool:
    """Whether an expression is shown by its `repr`."""
    parent = forest.parents[node]
    if isinstance(parent, ast.FormattedValue):
        return parent.conversion in (ord("r"), ord("a"))
    return isinstance(parent, ast.Call) and last_name(parent.func) in BY_REPR


def _arguments(call: ast.Call, parameters: ast.arguments, wanted: ast.arg) -> Iterator[ast.expr]:
    """Yield the arguments of a call that fill a parameter."""
    named = [*parameters.posonlyargs, *parameters.args]
    is_method = isinstance(call.func, ast.Attribute) and bool(named) and named[0].arg in ("self", "cls")
    places = named[is_method:]
    if wanted in places:
        yield from call.args[(index := places.index(wanted)) : index + 1]
    elif wanted is parameters.vararg:
        yield from call.args[len(places) :]
    by_name = wanted is parameters.kwarg
    yield from (word.value for word in call.keywords if word.arg == wanted.arg or by_name)
