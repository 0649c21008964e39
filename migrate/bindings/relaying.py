"""Helpers that call a function of C, found by a name, and examine what it returns: their callers pass that instead.

def call(name, *args):                    def call(name, rc):
    rc = getattr(lib, name)(*args)
    if rc != 0:                               if rc != 0:
        raise Error(name, rc)                     raise Error(name, rc)

call("doca_ctx_start", ctx)               call("doca_ctx_start", lib.doca_ctx_start(ctx))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import count, pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

from migrate.bindings.analysis import Analysis
from migrate.bindings.forwarding import Filled, is_item
from migrate.bindings.removing import without
from migrate.bindings.seen import calls, is_seen, node_of
from migrate.bindings.tokens import CTYPES, Library, Member, Name, keys
from migrate.python.scopes import Kind
from migrate.python.values import Bound, Value
from migrate.text.pieces import Change

_RESULT = "rc"
_ELSEWHERE = (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)  # it runs later, or stores elsewhere
_OTHER_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Relay(NamedTuple):
    """A helper: the values of C that it makes first, the statement that calls C, and that call."""

    function: ast.FunctionDef
    made: Sequence[ast.Assign]
    statement: ast.stmt
    call: ast.Call
    is_method: bool

    @property
    def cells(self) -> list[str]:
        return [target.id for statement in self.made for target in statement.targets if isinstance(target, ast.Name)]

    @property
    def parameters(self) -> list[str]:
        arguments = self.function.args
        return [parameter.arg for parameter in (*arguments.args, arguments.vararg) if parameter]

    @property
    def reads_attributes(self) -> bool:
        """Whether it calls C with attributes of its arguments: what a caller computes for it may change these."""
        parts = (part for statement in (*self.made, self.call) for part in ast.walk(statement))
        owners = (ast.unparse(part.value).partition(".")[0] for part in parts if isinstance(part, ast.Attribute))
        return not {*self.parameters}.isdisjoint(owners)

    @property
    def left(self) -> list[ast.Name]:
        """The names in what is left of it."""
        gone = {part for statement in (*self.made, self.call) for part in ast.walk(statement)}
        return [part for part in ast.walk(self.function) if isinstance(part, ast.Name) and part not in gone]

    @property
    def kept(self) -> list[ast.arg]:
        """The parameters that what is left of it reads."""
        left = {name.id for name in self.left}
        own = self.function.args.args[: self.is_method]
        return [*own, *(each for each in self.function.args.args[self.is_method :] if each.arg in left)]

    @property
    def target(self) -> str:
        """The name that the statement gives to what C returns, if that is all it does."""
        statement = self.statement
        if not isinstance(statement, ast.Assign) or statement.value is not self.call or len(statement.targets) > 1:
            return ""
        return statement.targets[0].id if isinstance(statement.targets[0], ast.Name) else ""

    @property
    def result(self) -> str:
        """The parameter for what C returns."""
        if target := self.target:
            return target
        taken = {name.id for name in self.left} | {*self.cells, *self.parameters}
        return next(name for name in _numbered(_RESULT) if name not in taken)


class Relaying:
    """The changes of all files of a project. Helpers that others call, which change too, are left to the next turn."""

    def __init__(self, analysis: Analysis) -> None:
        self._sources, self._forest = analysis.sources, analysis.forest
        functions = [function for _, function in self._forest.nodes(ast.FunctionDef)]
        found = (_relay(each, isinstance(self._forest.parents[each], ast.ClassDef)) for each in functions)
        self._relays = [relay for relay in found if relay]
        if self._relays:
            self._values = analysis.values

    def changes(self) -> dict[Path, list[Change]]:
        """Return the changes of each file that has any."""
        found: dict[Path, list[Change]] = {}
        for relay in self._relays:
            made = self._of(relay) if self._is_of_c(relay) else {}
            pieces = {path: sorted({*found.get(path, ()), *changes}) for path, changes in made.items()}
            if not any(map(_overlap, pieces.values())):
                found |= pieces
        return found

    def _is_of_c(self, relay: _Relay) -> bool:
        """Whether a helper finds its function in a library, and makes values of C alone before that."""
        looked_up = relay.call.func
        library = looked_up.args[0] if isinstance(looked_up, ast.Call) else getattr(looked_up, "value", relay.call)
        found = self._values.of(library)
        made = (self._values.of(each.value.func) for each in relay.made if isinstance(each.value, ast.Call))
        return (
            bool(found)
            and len([key for key in keys(found) if isinstance(key, Library)]) == len(found)
            and all(values and all(map(_makes, values)) for values in made)
            and not self._values.is_called_from_outside(relay.function)
        )

    def _of(self, relay: _Relay) -> dict[Path, list[Change]]:
        """Return the changes of a helper and its callers; nothing where one of these cannot change."""
        called = calls(relay.function, self._forest, self._values)
        texts = {call: self._text(call, relay) for call in called}
        if not texts or not all(texts.values()):
            return {}
        found: dict[Path, list[Change]] = {}
        for call, text in texts.items():
            path = self._forest.path(call)
            found.setdefault(path, []).append(Change(*self._sources[path].span(call), text))
        for path, name in self._unseen(relay, called):
            alias = self._imported(relay.function, path)
            if alias is None or name in self._names(path):
                return {}
            end = self._sources[path].span(alias)[1]
            found[path].append(Change(end, end, f", {name}"))
        found.setdefault(self._forest.path(relay.function), []).extend(self._changed(relay))
        return found

    def _changed(self, relay: _Relay) -> Iterator[Change]:
        """Yield the changes of the helper itself."""
        source = self._sources[self._forest.path(relay.function)]
        arguments = relay.function.args
        first = [*arguments.args, arguments.vararg][0]
        assert first is not None
        assert arguments.vararg is not None
        start = source.span(first)[0] - (first is arguments.vararg)
        names = [*map(source.slice, relay.kept), *relay.cells, relay.result]
        yield Change(start, source.span(arguments.vararg)[1], ", ".join(names))
        for statement in relay.made:
            yield without(source, self._forest, statement)
        if relay.target:
            yield without(source, self._forest, relay.statement)
        else:
            yield Change(*source.span(relay.call), relay.result)

    # ------------------------------------------------------------------ callers

    def _text(self, call: ast.expr, relay: _Relay) -> str:
        """Return the call of a helper with what C returns; nothing where it cannot be written so."""
        if not isinstance(call, ast.Call) or call.keywords or not self._has_room(call, relay):
            return ""
        if {node_of(value) for value in self._values.of(call.func)} != {relay.function}:
            return ""
        source = self._sources[self._forest.path(call)]
        parameters, given = [each.arg for each in relay.function.args.args], list(call.args)
        bound = any(isinstance(value, Bound) for value in self._values.of(call.func))
        if bound and isinstance(call.func, ast.Attribute):
            given.insert(0, call.func.value)
        named, rest = dict(zip(parameters, given, strict=False)), given[len(parameters) :]
        if len(named) < len(parameters) or not all(map(_is_plain, named.values())) or "#" in source.slice(call):
            return ""
        if relay.reads_attributes and not all(map(_is_plain, rest)):
            return ""
        taken = self._names(self._forest.path(call))
        fresh = {cell: next(each for each in _numbered(cell) if each not in taken) for cell in relay.cells}
        filled = Filled({**named, **{cell: ast.Name(name) for cell, name in fresh.items()}}, rest)
        made = (statement.value for statement in relay.made)
        cells = [f"{name} := {ast.unparse(filled.visit(deepcopy(value)))}"
                 for name, value in zip(fresh.values(), made, strict=True)]  # fmt: skip
        kept = [source.slice(named[each.arg]) for each in relay.kept[bound:]]
        asked = ast.unparse(filled.visit(deepcopy(relay.call)))
        return f"{source.slice(call.func)}({', '.join([*kept, *cells, asked])})"

    def _has_room(self, call: ast.Call, relay: _Relay) -> bool:
        """Whether a call stands where the values that are made may have names, and in no other one."""
        above = [*self._forest.above(call)]
        nested = any(isinstance(part, ast.Call) and node_of(value) is relay.function
                     for part in above for value in self._values.of(getattr(part, "func", call)))  # fmt: skip
        nested = nested or any(isinstance(part, ast.JoinedStr) for part in above)
        in_scope = any(isinstance(part, _OTHER_SCOPES) for part in above)
        in_class = self._forest.of(call).scope(call).kind is Kind.CLASS
        return not nested and not (relay.cells and (in_scope or in_class))

    def _unseen(self, relay: _Relay, called: Sequence[ast.expr]) -> Iterator[tuple[Path, str]]:
        """Yield the files, once each, where a name is needed that does not mean there what it does in the helper."""
        own = {*relay.cells, *relay.parameters}
        parts = [part for node in (*(each.value for each in relay.made), relay.call) for part in ast.walk(node)]
        free = {part.id: part for part in parts if isinstance(part, ast.Name) and part.id not in own}
        free = {name: part for name, part in free.items() if self._forest.of(part).of[part].bindings}
        found = {(self._forest.path(call), name): None for call in called for name, part in free.items()
                 if not is_seen(part, call, self._forest, self._values)}  # fmt: skip
        yield from found

    def _imported(self, function: ast.FunctionDef, path: Path) -> ast.alias | None:
        """Return the import of a helper out of its module, next to which another name of that can be."""
        module = self._forest.path(function)
        statements = [node for node in self._forest.in_file(path, ast.ImportFrom)
                      if (node.module or "").split(".")[-1] == module.stem]  # fmt: skip
        found = [alias for node in statements for alias in node.names
                 if any(node_of(value) is function for value in self._values.of_target(alias))]  # fmt: skip
        return found[0] if len(found) == 1 and path != module else None

    def _names(self, path: Path) -> set[str]:
        return {variable.name for variable in self._forest.names[path].of.values()}


def _relay(function: ast.FunctionDef, is_method: bool) -> _Relay | None:
    """Return what a function does, when it makes values of C, gives them to a function of C, and goes on from there."""
    arguments = function.args
    others = [*arguments.posonlyargs, *arguments.kwonlyargs, *arguments.defaults, *function.decorator_list]
    if others or arguments.kwarg or not arguments.vararg:
        return None
    body = [each for each in function.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    made = [*takewhile(_is_made, body)]
    statement = body[len(made)] if len(body) > len(made) else None
    call = _first_call(statement, arguments.vararg.arg) if statement else None
    if statement is None or call is None or any(isinstance(part, _ELSEWHERE) for part in ast.walk(function)):
        return None
    relay = _Relay(function, [each for each in made if isinstance(each, ast.Assign)], statement, call, is_method)
    own = {*relay.cells, *relay.parameters}
    stored = {name.id for name in relay.left if isinstance(name.ctx, ast.Store)}
    reads_rest = arguments.vararg.arg in {name.id for name in relay.left}
    is_rest = bool(relay.target) and statement is body[-1]
    return None if is_rest or reads_rest or stored & own or relay.result in own else relay


def _is_made(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    is_call = isinstance(statement.value, ast.Call) and not _is_lookup(statement.value)
    return is_call and isinstance(statement.targets[0], ast.Name) and not _starred(statement.value)


def _first_call(statement: ast.stmt, rest: str) -> ast.Call | None:
    """Return the call of a function of C that a statement starts with, which passes on the rest of the arguments."""
    node: ast.AST | None = None
    if isinstance(statement, ast.Assert | ast.If):
        node = statement.test
    elif isinstance(statement, ast.Assign | ast.Expr | ast.Return):
        node = statement.value
    while node is not None and not _is_lookup(node):
        if isinstance(node, ast.Compare):
            node = node.left
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            before = [*takewhile(_is_plain, node.args)]
            node = node.args[len(before)] if len(before) < len(node.args) else None
        else:
            return None
    if not isinstance(node, ast.Call) or node.keywords or _starred(node) != [rest]:
        return None
    return node if all(map(_is_quiet, node.args)) else None


def _is_lookup(node: ast.AST) -> bool:
    """Whether an expression calls what is looked up by a name: `getattr(lib, name)(...)`, `lib[name](...)`."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Subscript):
        return is_item(function)
    return isinstance(function, ast.Call) and ast.unparse(function.func) == "getattr" and len(function.args) == 2


def _starred(node: ast.AST) -> list[str]:
    return [ast.unparse(part.value) for part in ast.walk(node) if isinstance(part, ast.Starred)]


def _is_quiet(node: ast.expr) -> bool:
    """Whether an argument is a name, the rest of the arguments, or what refers to a value of C."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name | ast.Attribute) and not node.keywords and all(map(_is_plain, node.args))
    return _is_plain(node.value if isinstance(node, ast.Starred) else node)


def _is_plain(node: ast.expr) -> bool:
    """Whether evaluating an expression twice gives the same: a name, or a text that is put together from names."""
    if isinstance(node, ast.JoinedStr):
        return all(_is_plain(part.value) for part in node.values if isinstance(part, ast.FormattedValue))
    if isinstance(node, ast.BinOp):
        return _is_plain(node.left) and _is_plain(node.right)
    if isinstance(node, ast.Tuple):
        return all(map(_is_plain, node.elts))
    return isinstance(node, ast.Constant | ast.Name) or (isinstance(node, ast.Attribute) and _is_plain(node.value))


def _makes(function: Value) -> bool:
    """Whether a function makes a value of C."""
    key = next(keys([function]), None)
    return isinstance(key, Member) and key.name == "new" if not isinstance(key, Name) else key.package == CTYPES


def _numbered(name: str) -> Iterator[str]:
    """Yield a name, and the same with numbers."""
    yield name
    yield from (f"{name}_{number}" for number in count(2))


def _overlap(changes: Sequence[Change]) -> bool:
    return any(later.start < earlier.end for earlier, later in pairwise(changes))
