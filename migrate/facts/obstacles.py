"""What keeps handles old: places where they cannot be followed, and uses that only old handles support."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrate.facts import comparisons
from migrate.facts.attempts import Attempts
from migrate.facts.comparisons import INSPECTED
from migrate.facts.falsehood import Falsehood
from migrate.facts.forest import Forest
from migrate.facts.handles import COMMON, OldApi
from migrate.facts.inspections import COMPUTED, LOST, OF_MESSAGES, OF_METHODS, Inspections, held, named
from migrate.facts.introspection import first_constant
from migrate.facts.likely import Likely
from migrate.facts.modern import MODERN_MEMBERS
from migrate.facts.module_values import MODULE_VALUE, ModuleValues
from migrate.facts.references import Reference, References
from migrate.facts.shown import Shown
from migrate.facts.texts import WORD
from migrate.facts.tokens import Handle, Method, Symbol, handles_among, is_handle
from migrate.facts.told_apart import ToldApart
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

UNKNOWN, MIXED, OTHER_FILE, MODULE, NO_COUNTERPART = "CCM034", "CCM035", "CCM049", "CCM009", "CCM022"

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
    """Finds the obstacles of all handles, by their origin. `likely`: the methods that unknown receivers have."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        api: OldApi,
        references: References,
        likely: Likely,
        given: frozenset[Path],
        modules: ModuleValues,
        told: ToldApart,
    ) -> None:
        self._forest, self._values, self._api, self._references = forest, values, api, references
        self._suspects, self._given = likely.suspects, given
        self._callers, shown = Callers(forest, values), Shown(forest, values)
        self._falsehood, self._attempts, self._views = Falsehood(forest, values), Attempts(forest, values), told.views
        self._inspections = Inspections(forest, values, api, references, shown)
        self._found: dict[Hashable, dict[tuple[ast.AST, str], Obstacle]] = {}
        for token, nodes in values.sinks.items():
            for node in (self._placed(token, node) for node in nodes):
                if not self._is_harmless(token, node):
                    self._add([token], node, LOST)
                if self._kind(token) in self._suspects and isinstance(token.key, Symbol):
                    self._put(token.key, node, LOST)  # a class, objects of which are used where nobody follows them
        for token, nodes in values.deep_sinks.items():
            for node in nodes if isinstance(token.key, Handle) and token.key.kind in self._suspects else ():
                place = self._placed(token, node)
                self._add([token], place, LOST)  # it may be in an object that is used as if it had one
        for node, kinds in likely.lost.items():
            handles = (token for token in values.tokens if isinstance(token.key, Handle) and token.key.kind in kinds)
            self._add(handles, node, UNKNOWN)
        for reference in references.found:
            self._reference(reference)
            self._read_text(reference)
        for kind, judge in _JUDGES.items():
            for _, node in forest.nodes(kind):
                judge(self, node)
        for handle, where, code in shown.elsewhere():
            self._add([handle], where, code)
        for compared in comparisons.found(forest, values, told, api.vocabulary.classes):
            self._add(*compared)
        for call, origins in api.given_away.items():
            for origin in origins:
                self._put(origin, call, NO_COUNTERPART)
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

    def _placed(self, token: Token, node: ast.expr) -> ast.expr:
        """Return where a handle is lost; of a call that is not written, such as a setter's, where it is used."""
        return node if node in self._forest.parents else next(iter(self._values.uses(token)), node)

    def _is_harmless(self, token: Token, node: ast.expr) -> bool:
        """Whether a sink is Python's own library, and no unknown object is used as if it were the handle."""
        call = next((above for above in (node, *self._forest.above(node)) if isinstance(above, ast.Call)), None)
        called = self._called_back(call) or [call.func] if call else []
        functions = [_callee(function) for node in called for function in self._values.of(node)]
        return bool(functions) and all(map(_is_of_python, functions)) and self._kind(token) not in self._suspects

    def _kind(self, token: Token) -> str:
        """Return the kind of a handle, or of those that a class makes."""
        key = token.key
        name = key.name if isinstance(key, Symbol) else ""
        return key.kind if isinstance(key, Handle) else self._api.vocabulary.classes.get(name, "")

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
                self._add(named(reference.node, word, self._forest, self._values), reference.node, COMPUTED)

    def _doubt(self, argument: ast.expr) -> str:
        """Return why an argument that has to be a handle may be one from code that cannot be seen."""
        values = self._values.of(argument)
        return UNKNOWN if Plain.UNKNOWN in values or not values else ""

    # ------------------------------------------------------------------ everything else

    def _attribute(self, node: ast.Attribute) -> None:
        base = self._values.of(node.value)
        if node.attr in OF_METHODS and not self._forest.is_in_message(node):
            self._add((value for value in base if not is_handle(value)), node, INSPECTED)
        for origins in self._inspections.messages(node.value) if node.attr in OF_MESSAGES else ():
            for origin in origins:
                self._put(origin, node, INSPECTED)
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
            if any(self._gains(handle, node.attr) for handle in handles_among(mine)) and self._attempts.include(node):
                self._add(mine, node, INSPECTED)
            self._mixed(node, base)

    def _gains(self, handle: Handle, name: str) -> bool:
        """Whether a handle lacked a method that its object has now, by its own name or as another kind of handle."""
        methods = self._api.vocabulary.methods
        others = any((kind, name) in methods for kind in self._views.others(handle))
        return (handle.kind, name) not in methods and (others or name in MODERN_MEMBERS.get(handle.kind, ()))

    def _mixed(self, node: ast.Attribute, base: frozenset[Value]) -> None:
        """Refuse a method of a handle that another value has there, too."""
        found = self._values.of(node)
        others = {value for value in found if not isinstance(getattr(value, "key", None), Method)} - {Plain.NONE}
        is_plain = base <= {*filter(is_handle, base), Plain.NONE, Plain.OTHER}
        if node.attr not in COMMON or (is_plain and self._falsehood.is_false(node.value)):
            others -= {Plain.OTHER}  # no object of Python's own has such a method
        others |= {value for value in base if self._holds(value, node.attr)}
        if others or Plain.UNKNOWN in base:
            self._add(base, node, UNKNOWN if Plain.UNKNOWN in others | base else MIXED)

    def _holds(self, value: Value, name: str) -> bool:
        """Whether a value of the program's own has an attribute of some name, which may be an old method, too."""
        is_stored = isinstance(value, Instance) and (value.node, name) in self._values.fields
        return isinstance(value, Class | Module) or is_stored or self._values.has_own(value, name)

    def _inspection(self, node: ast.Call | ast.FormattedValue | ast.BinOp) -> None:
        for origins, place, code in self._inspections.of(node):
            for origin in origins:
                self._put(origin, place, code)

    def _returned(self, node: ast.Return | ast.Yield) -> None:
        """Refuse what a function gives to unknown callers."""
        function = self._forest.of(node).function(node)
        if node.value is None or not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            return
        public = not function.name.startswith("_") or function.name in _IMPLICIT
        if public and self._values.is_called_from_outside(function) and not self._is_asked_for(function):
            self._add(held(node.value, self._values), function, self._callers.code(function))

    def _is_asked_for(self, function: ast.AST) -> bool:
        """Whether a function is a fixture of tests that are seen, which ask for it by their parameters."""
        name = self._values.fixtures.get(function)
        fetched = {first_constant(call.args) for _, call in self._forest.calls(("getfixturevalue",))}
        return name is not None and fetched.isdisjoint((name, None))


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
    ast.Call: Obstacles._inspection,
    ast.FormattedValue: Obstacles._inspection,
    ast.BinOp: Obstacles._inspection,
    ast.Return: Obstacles._returned,
    ast.Yield: Obstacles._returned,
}
