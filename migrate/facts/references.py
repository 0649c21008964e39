"""Every place where a project names the old API: what is rewritten and what is refused are counted against this list."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrate.facts.forest import Forest
from migrate.facts.handles import COMMON, Handle, Method, OldApi, Symbol
from migrate.facts.texts import Texts, is_old_word
from migrate.old_api.calls import Call
from migrate.old_api.spellings import flat, objects
from migrate.python.values import Instance, Plain, Token, Value, Values

_READS = {"hasattr": "CCM006", "getattr": "CCM005"}


@dataclass(frozen=True, eq=False)
class Reference:
    """One place that names the old API; `call` when it is (the function of) a call.

    code: why it cannot change. origins: of the handles that it is called with, or makes, where it is used as a value.
    """

    path: Path
    node: ast.AST
    name: str
    call: Call | None = None
    code: str = ""
    origins: frozenset[Hashable] = frozenset()


class References:
    """Finds the references of all files, in the order of the text; `calls` are the old calls by their node."""

    def __init__(self, forest: Forest, values: Values, api: OldApi, texts: Texts) -> None:
        self._forest, self._values, self._api, self._texts = forest, values, api, texts
        self._tests: dict[ast.AST, bool] = {}
        self.calls: dict[ast.Call, Call] = {}
        self.found: list[Reference] = []
        for path, node in forest.nodes():
            judge = _JUDGES.get(type(node))
            self.found += judge(self, path, node) if judge else ()

    def symbols(self, values: frozenset[Value]) -> set[Symbol]:
        """Return the names of the old module among some values."""
        return {value.key for value in values if isinstance(value, Token) and isinstance(value.key, Symbol)}

    # ------------------------------------------------------------------ imports

    def _alias(self, path: Path, node: ast.alias) -> Iterator[Reference]:
        statement = self._forest.parents[node]
        home = statement.module or "" if isinstance(statement, ast.ImportFrom) else ""
        own = isinstance(statement, ast.ImportFrom) and bool(statement.level)  # of the program's own package
        vocabulary = self._api.vocabulary
        words = {node.name, home, f"{home}.{node.name}"}
        if node.name == "*":
            if not own and vocabulary.module(home) is not None and self._values.module(path, home) is None:
                yield Reference(path, node, "*")
            return
        found = self._values.of_target(node)
        if self.symbols(found):
            others = found - {Token(symbol) for symbol in self.symbols(found)}
            code = "CCM004" if others and node.asname is None and others != {Plain.NONE} else ""
            yield Reference(path, node, node.name, code=code or self._feature_test(node))
        elif not own and words & vocabulary.unsupported:
            yield Reference(path, node, node.name, code="CCM008")
        elif not own and {home.partition(".")[0], node.name.partition(".")[0]} & vocabulary.packages:
            yield Reference(path, node, node.name, code="CCM022")
        elif isinstance(statement, ast.ImportFrom) and is_old_word(node.name, vocabulary):
            yield Reference(path, node, node.name, code="CCM007")

    # ------------------------------------------------------------------ names

    def _name(self, path: Path, node: ast.Name) -> Iterator[Reference]:
        if not isinstance(node.ctx, ast.Load):
            return
        variable = self._forest.of(node).of[node]
        found = self._values.of(node)
        symbols = self.symbols(found)
        if symbols:
            if all(isinstance(binding, ast.alias) or _is_none(self._forest.parents[binding]) for binding in variable.bindings):
                yield from self._symbol(path, node, found)
        elif not variable.bindings and is_old_word(node.id, self._api.vocabulary):
            yield Reference(path, node, node.id, code="CCM007")

    def _symbol(self, path: Path, node: ast.Name | ast.Attribute, found: frozenset[Value]) -> Iterator[Reference]:
        """Give the reference of an expression that is a name of the old module, if it is one place of its own."""
        symbols = self.symbols(found)
        parent = self._forest.parents[node]
        name = min(symbol.name for symbol in symbols)
        if not name and isinstance(parent, ast.Attribute):
            return  # counted with what is taken from the module
        code = self._texts.patched(path, name) or self._feature_test(node)
        if len(symbols) > 1 or found - {Token(symbol) for symbol in symbols} - {Plain.NONE}:
            code = "CCM004"
        elif not name:
            code = self._of_module(node, parent)
        yield self._made(path, node, Symbol(name), code)

    def _of_module(self, node: ast.expr, parent: ast.AST) -> str:
        """Return the code for the module as a value: none where it is only asked whether it is there."""
        called = parent.func.id if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) else ""
        if isinstance(parent, ast.Compare) and all(_is_none_literal(side) for side in parent.comparators):
            return ""
        tested = isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert) and parent.test is node
        denied = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
        return "" if tested or denied or isinstance(parent, ast.BoolOp) else _READS.get(called, "CCM009")

    def _made(self, path: Path, node: ast.expr, key: Symbol | Method, code: str) -> Reference:
        """Give the reference to a function, class or constant: with its call, or the origins that it reaches."""
        parent = self._forest.parents[node]
        function, is_flat = self._api.function(key)
        receiver = node.value if isinstance(key, Method) and isinstance(node, ast.Attribute) else None
        name = function.name if function and isinstance(key, Method) else getattr(key, "name", "")
        if function and isinstance(parent, ast.Call) and parent.func is node:
            call = (flat if is_flat else objects).read(parent, function, receiver)
            self.calls[parent] = call
            return Reference(path, node, name, call, code or call.problem)
        return Reference(path, node, name, code=code, origins=self._reached(key) if function else frozenset())

    def _reached(self, key: Symbol | Method) -> frozenset[Hashable]:
        """Return the origins of the handles that a function as a value is called with, away from its name."""
        sites = self._api.reached.get(key, {})
        return frozenset(
            origin
            for site, origins in sites.items()
            if not self._is_spelled(site)
            for origin in origins
        )

    def _is_spelled(self, site: ast.AST) -> bool:
        """Whether a call names its function, so that it is a reference itself."""
        func = site.func if isinstance(site, ast.Call) else None
        if isinstance(func, ast.Attribute):
            return bool(self._values.of(func.value))
        bound = self._forest.of(func).of[func].bindings if isinstance(func, ast.Name) else [None]
        return all(isinstance(binding, ast.alias) for binding in bound)

    def _feature_test(self, node: ast.AST) -> str:
        """Return CCM006 when the place is a branch of `if hasattr(<old module>, ...)`."""
        for above in self._forest.above(node):
            if isinstance(above, ast.If) and self._tests.setdefault(above, self._is_feature_test(above.test)):
                return "CCM006"
        return ""

    def _is_feature_test(self, test: ast.expr) -> bool:
        for call in ast.walk(test):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "hasattr" and call.args:
                texts = [str(part.value) for part in call.args if isinstance(part, ast.Constant)]
                named = any(is_old_word(text, self._api.vocabulary) for text in texts)
                if named or Token(Symbol("")) in self._values.of(call.args[0]):
                    return True
        return False

    # ------------------------------------------------------------------ attributes

    def _attribute(self, path: Path, node: ast.Attribute) -> Iterator[Reference]:
        if not isinstance(node.ctx, ast.Load):
            return
        found = self._values.of(node)
        methods = {value.key for value in found if isinstance(value, Token) and isinstance(value.key, Method)}
        if self.symbols(found):
            yield from self._symbol(path, node, found)
        elif methods:
            yield from self._method(path, node, methods)
        elif Token(Symbol("")) in self._values.of(node.value):
            yield Reference(path, node, node.attr, code="CCM022")
        elif is_old_word(node.attr, self._api.vocabulary) and self._may_be_anything(self._values.of(node.value)):
            yield Reference(path, node, node.attr, code="CCM007")
        elif self._is_likely(path, node):
            yield Reference(path, node, node.attr, code="CCM034")

    def _method(self, path: Path, node: ast.Attribute, methods: set[Method]) -> Iterator[Reference]:
        functions = {method.function for method in methods}
        if any(self._api.function(method)[0] is None for method in methods):
            return  # __enter__ and its like: both libraries have them
        code = self._feature_test(node) or ("CCM035" if len(functions) > 1 else "")
        chosen = min(methods, key=lambda method: method.function)
        reference = self._made(path, node, chosen, code)
        origins = frozenset(origin for method in methods for origin in self._reached(method))
        origins |= {method.handle.origin for method in methods}
        yield reference if reference.call else Reference(path, node, reference.name, None, code, origins)

    def _may_be_anything(self, values: frozenset[Value]) -> bool:
        return not values or Plain.UNKNOWN in values

    def _is_likely(self, path: Path, node: ast.Attribute) -> bool:
        """Whether a method on an unknown object may be an old one: only old handles have it, or some have got lost."""
        base = self._values.of(node.value)
        if node.attr not in self._api.vocabulary.method_names or not self._may_be_anything(base):
            return any(self._extends(value) for value in base) and node.attr in self._api.vocabulary.method_names
        if node.attr in COMMON:
            kinds = {kind for kind, name in self._api.vocabulary.methods if name == node.attr}
            return bool(kinds & self._lost_kinds)
        return True

    @property
    def _lost_kinds(self) -> set[str]:
        """The kinds of the handles that went where they cannot be followed."""
        return {token.key.kind for token in self._values.sinks if isinstance(token.key, Handle)}

    def _extends(self, value: Value) -> bool:
        """Whether a value is an instance of a class that extends an old one."""
        return isinstance(value, Instance) and any(self.symbols(self._values.of(base)) for base in value.node.bases)

    # ------------------------------------------------------------------ text

    def _constant(self, path: Path, node: ast.Constant) -> Iterator[Reference]:
        for name, code in self._texts.named(path, node):
            yield Reference(path, node, name, code=code)


def _is_none_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and _is_none_literal(node.value)


_JUDGES: dict[type, Any] = {
    ast.alias: References._alias,
    ast.Name: References._name,
    ast.Attribute: References._attribute,
    ast.Constant: References._constant,
}
