"""What keeps handles old: where they go that cannot be followed, and what is done to them that only old ones bear."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrate.facts import comparisons
from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import COMMON, OldApi
from migrate.facts.introspection import first_constant, key_of
from migrate.facts.modern import MODERN_MEMBERS
from migrate.facts.module_values import MODULE_VALUE, ModuleValues
from migrate.facts.references import Reference, References
from migrate.facts.showing import SHOWING
from migrate.facts.shown import Shown
from migrate.facts.texts import WORD
from migrate.facts.tokens import Handle, Method, Symbol, handles_among, is_handle
from migrate.facts.unseen import Callers
from migrate.python.modules import is_standard
from migrate.python.values import (
    Bound,
    Class,
    Collection,
    External,
    Function,
    Instance,
    Module,
    Plain,
    Token,
    Value,
    Values,
)

LOST, UNKNOWN, MIXED, OTHER_FILE, COMPUTED, MODULE = "CCM033", "CCM034", "CCM035", "CCM049", "CCM005", "CCM009"
INSPECTED = "CCM082"

# Python's own functions that look into an object.
_CHANGING = frozenset({"setattr", "delattr", "object"})  # their first argument (mock.patch.object)
_INSPECTING = _CHANGING | {"vars", "dir", "copy", "deepcopy", "dump", "dumps", "WeakMethod"}
_INSPECTING |= {"signature", "getfullargspec", "getdoc", "getmembers", "ismethod", "isfunction", "isbuiltin"}
_BY_NAME, _LOOKING_UP = frozenset({"methodcaller", "attrgetter"}), frozenset({"getattr", "hasattr"})
_OF_METHODS = frozenset({"__qualname__", "__func__", "__self__"})
_LOOKED_AT = SHOWING | _INSPECTING | _LOOKING_UP
_NAMESPACES = frozenset({"globals", "locals", "vars"})
# What these are given is found under a name elsewhere.
_NAMING = {"builtins.exec", "builtins.eval", "builtins.setattr", "runpy.run_path", "runpy.run_module"}
_IMPLICIT = frozenset({"__enter__", "__aenter__", "__iter__", "__next__", "__aiter__", "__anext__", "__call__"})
_OF_EVERY_OBJECT = frozenset({"__enter__", "__exit__", "__aenter__", "__aexit__", "__doc__", "__module__"})
_OF_EVERY_OBJECT |= {"__hash__", "__eq__", "__ne__"}


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A place where a handle goes or comes from that keeps it old, with the code of why."""

    path: Path
    node: ast.AST
    code: str


class Obstacles:
    """Finds the obstacles of all handles, by their origin. `suspects`: the kinds that unknown receivers may be."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        api: OldApi,
        references: References,
        suspects: Set[str],
        given: frozenset[Path],
        modules: ModuleValues,
    ) -> None:
        self._forest, self._values, self._api, self._references = forest, values, api, references
        self._suspects, self._given = suspects, given
        self._callers, self._shown = Callers(forest, values), Shown(forest, values)
        self._found: dict[Hashable, dict[tuple[ast.AST, str], Obstacle]] = {}
        for token, nodes in values.sinks.items():
            for node in nodes:
                if not self._is_harmless(token, node):
                    self._add([token], node, LOST)
        for token, nodes in values.deep_sinks.items():
            for node in nodes if isinstance(token.key, Handle) and token.key.kind in suspects else ():
                self._add([token], node, LOST)  # it may be in an object that is used as if it had one
        for reference in references.found:
            self._reference(reference)
            self._read_text(reference)
        for kind, judge in _JUDGES.items():
            for _, node in forest.nodes(kind):
                judge(self, node)
        for handle, where, code in self._shown.elsewhere():
            self._add([handle], where, code)
        for compared in comparisons.found(forest, values):
            self._add(*compared)
        known = {reference.node for reference in references.found if reference.code}
        for node in modules.lost():
            if node not in known:
                self._put(MODULE_VALUE, node, MODULE)
        for argument in api.asked:
            self._put(argument, argument, self._callers.code(argument))

    def of(self, origin: Hashable) -> Sequence[Obstacle]:
        """Return what keeps the handles of an origin old."""
        return list(self._found.get(origin, {}).values())

    def _add(self, values: Iterable[Value], node: ast.AST, code: str) -> None:
        for handle in handles_among(values):
            self._put(handle.origin, node, code)

    def _put(self, origin: Hashable, node: ast.AST, code: str) -> None:
        path = self._forest.path(node)
        self._found.setdefault(origin, {}).setdefault((node, code), Obstacle(path, node, code))

    def _is_harmless(self, token: Token, node: ast.expr) -> bool:
        """Whether a sink is Python's own library, and no unknown object is used as if it were the handle."""
        call = next((above for above in (node, *self._forest.above(node)) if isinstance(above, ast.Call)), None)
        called = self._called_back(call) or [call.func] if call else []
        functions = [_callee(function) for node in called for function in self._values.of(node)]
        kind = token.key.kind if isinstance(token.key, Handle) else ""
        return bool(functions) and all(map(_is_of_python, functions)) and kind not in self._suspects

    def _called_back(self, node: ast.Call) -> list[ast.expr]:
        """Return what an old call is given to call later."""
        call = self._references.calls.get(node)
        if call is None:
            return []
        callbacks = (parameter.name for parameter in call.signature.parameters if parameter.callback)
        return [call.arguments[name] for name in callbacks if name in call.arguments]

    # ------------------------------------------------------------------ uses through the old API

    def _reference(self, reference: Reference) -> None:
        """Judge the place of a call: in a file that is not given, or with arguments that may be something else."""
        origins = set(reference.origins) | ({MODULE_VALUE} if reference.module is not None else set())
        if reference.call is not None:
            for name, argument in reference.call.arguments.items():
                if name in reference.call.signature.kinds:
                    origins |= {handle.origin for handle in handles_among(self._values.of(argument))}
            for name, argument in reference.call.arguments.items():
                code = self._doubt(argument) if name in reference.call.signature.kinds else ""
                for origin in origins if code else ():
                    self._put(origin, argument, code)
            origins |= self._api.sites.get(reference.call.node, set())
        elif reference.code:
            kind = self._api.vocabulary.classes.get(reference.name) if reference.code == INSPECTED else None
            for origin in origins | comparisons.of_kind(kind, self._values):
                self._put(origin, reference.node, reference.code)
        if reference.path not in self._given:
            for origin in origins:
                self._put(origin, reference.node, OTHER_FILE)

    def _read_text(self, reference: Reference) -> None:
        """Refuse the handles that a text names which is read as code."""
        text = reference.node.value if isinstance(reference.node, ast.Constant) else None
        if isinstance(text, str) and reference.node in self._forest.parents:
            for word in WORD.findall(text):
                self._add(self._named(reference.node, word), reference.node, COMPUTED)

    def _named(self, node: ast.AST, name: str) -> frozenset[Value]:
        """Return what a name means where a node stands."""
        bindings = self._forest.of(node).scope(node).find(name).bindings
        return self._values.of_target(bindings[0]) if bindings else frozenset()

    def _doubt(self, argument: ast.expr) -> str:
        """Return why an argument that has to be a handle may be one from code that cannot be seen."""
        values = self._values.of(argument)
        return UNKNOWN if Plain.UNKNOWN in values or not values else ""

    # ------------------------------------------------------------------ everything else

    def _attribute(self, node: ast.Attribute) -> None:
        base = self._values.of(node.value)
        if node.attr in _OF_METHODS and not self._forest.is_in_message(node):
            self._add((value for value in base if not is_handle(value)), node, INSPECTED)
        mine = [value for value in base if is_handle(value)]
        if not mine:
            return
        known = any((handle.kind, node.attr) in self._api.vocabulary.methods for handle in handles_among(mine))
        looks_inside = node.attr.startswith("__") and node.attr not in _OF_EVERY_OBJECT
        # Where nothing else comes, a name that they did not have was looked up for its AttributeError.
        is_new = not known and base - {Plain.NONE} == set(mine) and any(
            node.attr in MODERN_MEMBERS.get(handle.kind, ()) for handle in handles_among(mine))  # fmt: skip
        if not isinstance(node.ctx, ast.Load) or looks_inside or is_new:
            self._add(mine, node, INSPECTED)
        elif known:
            self._mixed(node, base)

    def _mixed(self, node: ast.Attribute, base: frozenset[Value]) -> None:
        """Refuse a method of a handle that another value has there, too."""
        found = self._values.of(node)
        others = {value for value in found if not isinstance(getattr(value, "key", None), Method)} - {Plain.NONE}
        if node.attr not in COMMON:
            others -= {Plain.OTHER}  # no object of Python's own has such a method
        others |= {value for value in base if self._holds(value, node.attr)}
        if others or Plain.UNKNOWN in base:
            self._add(base, node, UNKNOWN if Plain.UNKNOWN in others | base else MIXED)

    def _holds(self, value: Value, name: str) -> bool:
        """Whether a value of the program's own has an attribute of some name, which may be an old method, too."""
        is_stored = isinstance(value, Instance) and (value.node, name) in self._values.fields
        return isinstance(value, Class | Module) or is_stored or self._values.has_own(value, name)

    def _call(self, node: ast.Call) -> None:
        name = last_name(node.func)
        if name in _NAMESPACES and not node.args:
            self._namespace(node)
        if name in _BY_NAME:
            self._by_name(node)
        if name == "type" and node.args:
            self._add(self._values.of(node.args[0]), node, INSPECTED)
        if name == "type" or name in _LOOKING_UP:
            self._received(node)
        if isinstance(node.func, ast.Attribute) and getattr(node.func.value, "attr", "") == "__dict__":
            for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                self._add(self._held(part), node, LOST)  # attributes by names that are not written
        if name not in _LOOKED_AT or node in self._references.calls:
            return
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if name == "setattr" and first_constant(node.args[1:2]) is None and given:  # a field that nobody can follow
            owners = self._values.of(node.args[0]) if node.args else frozenset()
            if not all(isinstance(owner, Instance | Collection) for owner in owners):
                self._add(self._held(given[-1]), node, LOST)
        given = given[:1] if name in _CHANGING else given
        if name in _LOOKING_UP and node.args and first_constant(node.args[1:2]) in _OF_METHODS | {"__name__"}:
            if first_constant(node.args[1:2]) != "__name__" and not self._forest.is_in_message(node):
                self._add(self._values.of(node.args[0]), node, INSPECTED)
        elif name in _LOOKING_UP and node.args:
            self._add(self._values.of(node.args[0]), node, COMPUTED)
            for value in self._values.of(node):
                if isinstance(value, Token) and isinstance(value.key, Symbol | Method):
                    for origin in self._references.reached(value.key):
                        self._put(origin, node, COMPUTED)
        if name in _LOOKING_UP:
            return
        functions = self._values.of(node.func)
        if all(isinstance(each, External | Plain) for each in functions):
            for part in given:
                if name in SHOWING:
                    self._show(part, node)
                else:
                    self._add(self._held(part), node, INSPECTED)

    def _by_name(self, node: ast.Call) -> None:
        """Refuse all handles that have a method which is looked up by a name."""
        texts = {str(part.value).partition(".")[0] for part in node.args if isinstance(part, ast.Constant)}
        for token in self._values.tokens:
            if isinstance(token.key, Handle) and any((token.key.kind, text) in self._api.vocabulary.methods
                                                     for text in texts):  # fmt: skip
                self._add([token], node, COMPUTED)

    def _received(self, node: ast.Call) -> None:
        """Refuse the handles of a call of the objects spelling whose tuple is asked for its type or attributes."""
        for value in self._values.of(node.args[0]) if node.args else ():
            made = value.node if isinstance(value, Collection) else None
            call = self._references.calls.get(made) if isinstance(made, ast.Call) else None
            if call is not None and not call.returns_code and "msg" in call.results:  # a Message now
                for origin in self._api.sites.get(call.node, ()):
                    self._put(origin, node, INSPECTED)

    def _namespace(self, node: ast.Call) -> None:
        """Refuse the handles of the variables that are looked up in globals() and the like."""
        if not isinstance(above := self._forest.parents[node], ast.Subscript | ast.Attribute):
            return
        key = key_of(above, self._forest)
        start = key.values[0] if isinstance(key, ast.JoinedStr) and key.values else None
        prefix = str(start.value) if isinstance(start, ast.Constant) else ""
        for name in self._forest.of(node).module.variables.copy():
            if name.startswith(prefix) and (not isinstance(key, ast.Constant) or key.value == name):
                self._add(self._named(node, name), node, COMPUTED)

    def _formatted(self, node: ast.FormattedValue) -> None:
        self._show(node.value, node.value)

    def _operation(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Mod):
            for part in node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]:
                self._show(part, part)

    def _returned(self, node: ast.Return | ast.Yield) -> None:
        """Refuse what a function gives to callers that nobody sees."""
        function = self._forest.of(node).function(node)
        if node.value is None or not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            return
        public = not function.name.startswith("_") or function.name in _IMPLICIT
        if public and self._values.is_called_from_outside(function) and not _is_fixture(function):
            self._add(self._held(node.value), function, self._callers.code(function))

    def _show(self, shown: ast.expr, place: ast.AST) -> None:
        """Refuse the handles whose text an expression certainly is, or that it holds; note those that it may be."""
        for handle, where, code in self._shown.by(shown, place):
            self._add([handle], where, code)

    def _held(self, node: ast.expr) -> frozenset[Value]:
        """Return what an expression can be, and what is in it when it is a collection; slices are not followed."""
        values = self._values.of(node)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return frozenset()
        inside = (self._values.elements(value) for value in values if isinstance(value, Collection))
        return values.union(*inside)


def _is_fixture(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("fixture" in ast.unparse(decorator) for decorator in function.decorator_list)


def _callee(function: Value) -> Value:
    """Return what a bound method calls."""
    return _callee(function.function) if isinstance(function, Bound) else function


def _is_of_python(function: Value) -> bool:
    """Whether what is called is of Python's own library, of the old API itself, or analysed (or a TypeError)."""
    if isinstance(function, External):
        return function.name.startswith(".") or (is_standard(function.name) and function.name not in _NAMING)
    return isinstance(function, Token | Function | Collection) or function is Plain.OTHER


_JUDGES: dict[type, Callable[[Obstacles, Any], None]] = {
    ast.Attribute: Obstacles._attribute,
    ast.Call: Obstacles._call,
    ast.FormattedValue: Obstacles._formatted,
    ast.BinOp: Obstacles._operation,
    ast.Return: Obstacles._returned,
    ast.Yield: Obstacles._returned,
}
