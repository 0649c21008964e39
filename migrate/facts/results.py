"""How a program looks at result codes and exceptions, beyond success and failure."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from migrate.facts.error_texts import looks_at_texts
from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import OldApi
from migrate.facts.presence import Presence
from migrate.facts.reaching import Reaching
from migrate.facts.serialized import is_by_type, serialized
from migrate.facts.tokens import Code, Failure, Method, Modern, Symbol, handles_among, is_handle
from migrate.old_api.calls import Call
from migrate.python.known_calls import LOOKING_UP, SHOWING
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Class, Collection, External, Plain, Token, Value, Values

_WITH = (ast.With, ast.AsyncWith)
_PREFIX = "DOCA_ERROR_"
_SUCCESS = "DOCA_SUCCESS"
_NO_CODE = frozenset({"tuple", "list", "dict", "bytes", "bytearray", "str"})
_LEAVING = frozenset({"exit", "_exit", "int", "hex", "chr", "pack", "dumps", "type", "Value"})
_SAME_NAMES = frozenset({"__name__", "__qualname__"})
_NAMING = {"doca_error_get_name": "name", "code_name": "name", "doca_error_get_descr": "printed", "describe": "printed"}
_OF_CLASS = {"value": "name"}  # of an error
_OF_FAILURE = {"text": "text", "name": "name", "value": "printed", "printed": "printed"}


class Results:
    """Finds every place that looks at a code or an exception; `observed` is by the key of its token."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        api: OldApi,
        reaching: Reaching,
        presence: Presence,
        calls: Mapping[ast.Call, Call],
    ) -> None:
        self._forest, self._values, self._api, self._reaching = forest, values, api, reaching
        self._presence, self._calls = presence, calls
        self._by_number = {value: name for name, value in api.vocabulary.constants.items() if name.startswith(_PREFIX)}
        self._observed: dict[Hashable, set[str]] = {}
        codes = [token for token in values.tokens if isinstance(token.key, Code | Failure)]
        for node in dict.fromkeys(node for token in codes for node in values.uses(token)):
            self._expression(node)
        for shown in (argument for _, call in forest.calls(SHOWING) for argument in call.args):
            self._contents(shown, "value")
        for _, part in forest.nodes(ast.FormattedValue):
            self._contents(part.value, "value")
        for written in serialized(forest, values):
            self._contents(written, "class")
        for way, text in looks_at_texts(forest, values, api):
            self._observed.setdefault(Failure(text.name), set()).add(way)

    def observed(self, call: Call) -> frozenset[str]:
        """Return how the code of a flat call, or the exception of one of an object, is looked at."""
        if call.returns_code:
            return frozenset(self._observed.get(Code(call.node), ()))
        return frozenset(
            [*self._handled(call.node, set()), *self._observed.get(Failure(""), ()), *self._strange(call.node)]
        )

    def observed_of(self, function: ast.expr) -> frozenset[str]:
        """Return the same for all calls of a function that is used as a value."""
        found: set[str] = set(self._observed.get(Failure(""), ()))
        for value in self._values.of(function):
            key = value.key if isinstance(value, Token) else None
            for site in self._api.reached.get(key, ()) if isinstance(key, Symbol | Method) else ():
                found |= self._observed.get(Code(site), set()) if isinstance(site, ast.expr) else set()
                found.update(self._handled(site, set()), self._strange(site))
        return frozenset(found)

    def _strange(self, site: ast.AST) -> Iterator[str]:
        """Yield "strange" where the class of the error for a wrong handle may be looked at."""
        if site in self._api.strange and self._is_tried(site, set()) and not self._is_right(site):
            yield "strange"

    def _is_right(self, site: ast.AST) -> bool:
        """Whether a call gets a handle after all: it may be seen to have None, too, but not where the call stands."""
        call = self._calls.get(site) if isinstance(site, ast.Call) else None
        if call is None or call.receiver is None or self._presence.may_be_none(call.receiver):
            return False
        found = handles_among(self._values.of(call.receiver))
        others = self._values.of(call.receiver) - {Plain.UNKNOWN, Plain.NONE, *map(Token, found)}
        return bool(found) and not others and {each.kind for each in found} == {call.kinds[call.signature.receiver]}

    def _is_tried(self, site: ast.AST, seen: set[ast.AST]) -> bool:
        """Whether an except clause, or a context manager, may catch what a place raises."""
        inner = site
        for above in self._forest.above(site):
            is_body = hasattr(above, "handlers") and inner in getattr(above, "body", ())
            if is_body or (isinstance(above, _WITH) and any(map(self._may_catch, above.items))):
                return True
            if isinstance(above, FUNCTIONS):
                callers = [] if above in seen else self._values.callers(above)
                seen.add(above)
                return any(self._is_tried(caller, seen) for caller in callers)
            inner = above
        return False

    def _may_catch(self, item: ast.withitem) -> bool:
        """Whether a context manager may catch what is raised in its `with`: a device or representor does not."""
        values = self._values.of(item.context_expr)
        return not values or not all(map(is_handle, values))

    # ------------------------------------------------------------------ exceptions

    def _handled(self, node: ast.AST, seen: set[ast.AST]) -> Iterator[str]:
        """Yield what the handlers around a place look at, those around the callers of its function among them."""
        inner = node
        for above in self._forest.above(node):
            if isinstance(above, ast.Try) or type(above).__name__ == "TryStar":
                if any(inner is statement for statement in getattr(above, "body", ())):
                    for handler in getattr(above, "handlers", ()):
                        yield from self._of_class(handler.type)
            elif isinstance(above, _WITH):
                for item in above.items:
                    for argument in getattr(item.context_expr, "args", ()):
                        yield from self._of_class(argument)
            elif isinstance(above, FUNCTIONS):
                if above not in seen:
                    seen.add(above)
                    for site in self._values.callers(above):
                        yield from self._handled(site, seen)
                return
            inner = above

    def _of_class(self, caught: ast.expr | None) -> Iterator[str]:
        for part in caught.elts if isinstance(caught, ast.Tuple) else [caught] if caught else []:
            for value in self._values.of(part):
                name = value.key.name if isinstance(value, Token) and isinstance(value.key, Symbol | Modern) else ""
                if name in self._api.vocabulary.errors and name != "DocaError":
                    yield _of_error(name)
                for failure in self._failures(value):
                    yield from self._observed.get(Failure(failure), ())
                    yield from self._observed.get(Code(failure), ())

    def _failures(self, caught: Value) -> Iterator[str]:
        """Yield the names of the error classes that an except clause with a class catches."""
        if not isinstance(caught, Token | External | Class):
            yield "DocaError"
        for failure in self._api.caught(caught) or ():
            if isinstance(failure.key, Failure):
                yield failure.key.name

    # ------------------------------------------------------------------ places

    def _expression(self, node: ast.expr) -> None:
        values = self._reaching.of(node)
        keys = [value.key for value in values if isinstance(value, Token) and isinstance(value.key, Code | Failure)]
        judge = _PLACES.get(type(self._forest.parents.get(node))) if keys else None
        of_failure = _OF_CLASS if judge and self._names_class(self._forest.parents[node]) else _OF_FAILURE
        for way in judge(self, node, self._forest.parents[node]) if judge else ():
            for key in keys:
                if way == "class" and isinstance(key, Code) and isinstance(key.node, str):
                    continue  # exceptions of both libraries carry the same
                seen = of_failure.get(way, "") if isinstance(key, Failure) else way
                self._observed.setdefault(key, set()).update({seen} - {""})

    def _names_class(self, call: ast.AST) -> bool:
        """Whether the class of an error is only compared, or asked for its name: both libraries have the same."""
        if not isinstance(call, ast.Call) or last_name(call.func) != "type":
            return False
        parent = self._forest.parents[call]
        return isinstance(parent, ast.Compare) or (isinstance(parent, ast.Attribute) and parent.attr in _SAME_NAMES)

    def _contents(self, node: ast.expr, way: str) -> None:
        """Note the codes in a collection that is shown or serialized."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return  # a text, made of the items one by one
        for item in self._values.inside(self._values.of(node)):
            if isinstance(item, Token) and isinstance(item.key, Code):
                self._observed.setdefault(item.key, set()).add(way)

    def _compared(self, node: ast.expr, parent: Any) -> Iterator[str]:
        sides = [parent.left, *parent.comparators]
        for left, operation, right in zip(sides, parent.ops, sides[1:], strict=False):
            if node in (left, right):
                other = right if node is left else left
                yield from self._against(other, isinstance(operation, ast.Eq | ast.NotEq | ast.In | ast.NotIn))

    def _against(self, other: ast.expr, is_equality: bool) -> Iterator[str]:
        """Yield the names of the codes that an expression, or the items of one, can be."""
        if isinstance(other, ast.Tuple | ast.List | ast.Set):
            for item in other.elts:
                yield from self._against(item, is_equality)
            return
        names = {name for value in self._items(other) if (name := self._code_name(value))}
        if isinstance(other, ast.Constant) and isinstance(other.value, int):
            names = {self._by_number.get(other.value, "")} if other.value else {_SUCCESS}
        if not names or not (is_equality or names == {_SUCCESS}):
            yield "value"
        yield from (name.removeprefix(_PREFIX) for name in names - {_SUCCESS, ""})

    def _items(self, node: ast.expr) -> Iterable[Value]:
        for value in self._values.of(node):
            yield from self._values.elements(value) if isinstance(value, Collection) else (value,)

    def _code_name(self, value: Value) -> str:
        key = value.key if isinstance(value, Token) else None
        name = key.name if isinstance(key, Symbol) else ""
        name = name if name.startswith("DOCA_") else _PREFIX + name if name and name.isupper() else ""
        return _SUCCESS if name == _PREFIX + "SUCCESS" else name

    def _looked_up(self, node: ast.expr, parent: Any) -> Iterator[str]:
        """Yield the keys of a table that a code is looked up in."""
        if parent.slice is node:
            yield from self._keys(parent.value)

    def _keys(self, table: ast.expr) -> Iterator[str]:
        displays = [value.node for value in self._values.of(table)
                    if isinstance(value, Collection) and isinstance(value.node, ast.Dict)]  # fmt: skip
        for display in displays:
            for key in display.keys:
                yield from self._against(key, True) if key else ()
        if not displays:
            yield "value"

    def _given(self, node: ast.expr, parent: Any) -> Iterator[str]:
        name = last_name(parent.func)
        if name in _NAMING:
            yield _NAMING[name]
        elif name in SHOWING or name in _LEAVING:
            yield "value"
        elif name in ("get", "pop") and isinstance(parent.func, ast.Attribute) and parent.args[0] is node:
            yield from self._keys(parent.func.value)
        elif name.endswith(("Error", "Exception", "Exit")):
            yield "value"
        if name == "type" and not self._asks_for_another(parent):
            yield "class"
        if name in LOOKING_UP or is_by_type(parent, self._values):
            yield "class"  # an int has no name, marshal takes nothing but that, and pickle writes down what it is

    def _asks_for_another(self, call: ast.Call) -> bool:
        """Whether a type is only compared with types that no code has."""
        parent = self._forest.parents.get(call)
        sides = [parent.left, *parent.comparators] if isinstance(parent, ast.Compare) else []
        return bool(sides) and all(side is call or getattr(side, "id", "") in _NO_CODE for side in sides)

    def _matched(self, node: ast.expr, parent: Any) -> Iterator[str]:
        for case in parent.cases if parent.subject is node else ():
            for pattern in ast.walk(case.pattern):
                if isinstance(pattern, ast.MatchValue):
                    yield from self._against(pattern.value, True)

    def _calculated(self, node: ast.expr, parent: Any) -> Iterator[str]:
        yield "value"

    def _in_tuple(self, node: ast.expr, parent: Any) -> Iterator[str]:
        """Yield how `"..." % (code, ...)` shows it."""
        above = self._forest.parents.get(parent)
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod):
            yield "value"

    def _attribute(self, node: ast.expr, parent: Any) -> Iterator[str]:
        yield from {"name": ["name"], "__class__": ["class"]}.get(parent.attr, ())


@cache
def _of_error(name: str) -> str:
    """Return the name of the code of an error class."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def _asserted(_: Results, node: ast.expr, parent: Any) -> Iterator[str]:
    yield from ("value",) if parent.msg is node else ()


def _negated(_: Results, __: ast.expr, parent: Any) -> Iterator[str]:
    yield from () if isinstance(parent.op, ast.Not) else ("value",)


_PLACES: dict[type | None, Callable[[Results, ast.expr, Any], Iterator[str]]] = {
    ast.Compare: Results._compared,
    ast.Subscript: Results._looked_up,
    ast.Call: Results._given,
    ast.Match: Results._matched,
    ast.FormattedValue: Results._calculated,
    ast.BinOp: Results._calculated,
    ast.AugAssign: Results._calculated,
    ast.Assert: _asserted,
    ast.UnaryOp: _negated,
    ast.Tuple: Results._in_tuple,
    ast.Attribute: Results._attribute,
}
