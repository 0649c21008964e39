"""What each statement and expression means for values: one reader per kind of node, none of which looks further in."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from migrate.python._points_to.attributes import Attributes
from migrate.python._points_to.domain import (
    Class,
    Collection,
    External,
    Function,
    Instance,
    Module,
    Plain,
    Token,
    Value,
)
from migrate.python._points_to.elements import key_of
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.library_collections import merge
from migrate.python._points_to.slots import Slot

_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "or", ast.BitAnd: "and",
    ast.BitXor: "xor", ast.MatMult: "matmul", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le",
    ast.Gt: "gt", ast.GtE: "ge", ast.UAdd: "pos", ast.USub: "neg", ast.Invert: "invert",
}  # fmt: skip


_JOINING = (ast.Add, ast.Mult, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor)  # what makes a collection of collections


class Statements(Attributes):
    """Reads the bodies of frames."""

    # ------------------------------------------------------------------ definitions

    def read_function(self, frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        function = Function(node, frame)
        self.defined[function] = None
        slot = self.constant(function)
        if isinstance(node, ast.Lambda):
            self.add(self.slot(frame, node), function)
            return
        self.flow(self._decorated(frame, node, slot), self.variable(frame, frame.names.of[node]))

    def _decorated(self, frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, slot: Slot) -> Slot:
        for decorator in reversed(node.decorator_list):
            result = Slot()
            self._decorate(frame, decorator, slot, result)
            slot = result
        return slot

    def _decorate(self, frame: Frame, decorator: ast.expr, slot: Slot, result: Slot) -> None:
        def apply(value: Value) -> None:
            known = not isinstance(value, Plain | External) or (
                isinstance(value, External) and self.summary_of(value.name) is not None
            )
            if known:
                self.call_value(value, Site(decorator, frame, [(slot, False)], result=result))
            else:
                self.flow(slot, result)  # a decorator that nobody knows gives the function itself

        self.watch(self.slot(frame, decorator), apply)

    def read_class(self, frame: Frame, node: ast.ClassDef) -> None:
        self.define_class(frame, node, [self.slot(frame, base) for base in node.bases])
        slot = self.constant(Class(node))
        self.flow(self._decorated(frame, node, slot), self.variable(frame, frame.names.of[node]))
        if self.binder(node, "__init_subclass__"):
            self.call_with(self.attribute(Class(node), "__init_subclass__"), [], Slot())

    def read_return(self, frame: Frame, node: ast.Return) -> None:
        self.flow(self.slot(frame, node.value) if node.value else self.none, frame.returned)

    # ------------------------------------------------------------------ assignments

    def assign(self, frame: Frame, target: ast.expr, value: Slot) -> None:
        """Let a slot flow into a target, whatever its form."""
        if isinstance(target, ast.Name):
            self.flow(value, self.variable(frame, frame.names.of[target]))
        elif isinstance(target, ast.Attribute):
            self.store(self.slot(frame, target.value), self.attribute_name(frame, target), value, target)
        elif isinstance(target, ast.Subscript):
            key = self.slot(frame, target.slice)
            self.store_item(self.slot(frame, target.value), key_of(target.slice), key, value, target)
        elif isinstance(target, ast.Starred):
            self.assign(frame, target.value, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(frame, target, value)

    def _unpack(self, frame: Frame, target: ast.Tuple | ast.List, value: Slot) -> None:
        star = next((place for place, item in enumerate(target.elts) if isinstance(item, ast.Starred)), None)
        for place, item in enumerate(target.elts):
            part = Slot()
            if star is None or place < star:
                self.unpack(value, place, part)
            elif place > star:
                self.unpack(value, place - len(target.elts), part)
            else:
                rest, contents = self.make(item, "list", frame)
                self.iterate(value, contents.some)
                self.add(part, rest)
            self.assign(frame, item, part)

    def attribute_name(self, frame: Frame, node: ast.Attribute) -> str:
        """The name of an attribute, as the interpreter has it (`__x` in a class)."""
        return frame.names.scope(node).mangle(node.attr) if node.attr.startswith("__") else node.attr

    def read_assign(self, frame: Frame, node: ast.Assign) -> None:
        value = self.slot(frame, node.value)
        for target in node.targets:
            self.assign(frame, target, value)

    def read_target_value(self, frame: Frame, node: ast.AnnAssign | ast.NamedExpr) -> None:
        if node.value is not None:
            self.assign(frame, node.target, self.slot(frame, node.value))

    def read_augmented(self, frame: Frame, node: ast.AugAssign) -> None:
        old, result = Slot(), Slot()
        target = node.target
        if isinstance(target, ast.Name):
            old = self.variable(frame, frame.names.of[target])
        elif isinstance(target, ast.Attribute):
            self.load(self.slot(frame, target.value), self.attribute_name(frame, target), old, None)
        else:
            self.read_item(self.slot(frame, target.value), target, frame, self.slot(frame, target.slice), old)
        self._operate(frame, node, node.op, old, self.slot(frame, node.value), result)
        self.watch(old, lambda value: self.extend(value, self.slot(frame, node.value)))
        self.assign(frame, target, result)

    def extend(self, value: Value, added: Slot) -> None:
        """`items += more` puts them into the same list."""
        if isinstance(value, Collection):
            self.iterate(added, self.contents(value).some)

    # ------------------------------------------------------------------ loops, with, raise

    def read_loop(self, frame: Frame, node: ast.For | ast.AsyncFor | ast.comprehension) -> None:
        item = Slot()
        self.iterate(self.slot(frame, node.iter), item)
        self.assign(frame, node.target, item)

    def read_with(self, frame: Frame, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            entered = Slot()
            self.enter(self.slot(frame, item.context_expr), entered)
            if item.optional_vars is not None:
                self.assign(frame, item.optional_vars, entered)

    def read_raise(self, frame: Frame, node: ast.Raise) -> None:
        def raised(value: Value) -> None:
            if isinstance(value, Class):
                self.call_value(value, Site(node.exc or ast.Constant(None), frame, result=self.raised))
            elif isinstance(value, Instance):
                self.add(self.raised, value)

        if node.exc is not None:
            self.watch(self.slot(frame, node.exc), raised)

    def read_handler(self, frame: Frame, node: ast.ExceptHandler) -> None:
        if node.name is None:
            return
        target = self.variable(frame, frame.names.of[node])
        for kind in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
            if kind is not None:
                self.watch(self.slot(frame, kind), lambda value: self._caught(value, node, target))

    def _caught(self, value: Value, node: ast.ExceptHandler, target: Slot) -> None:
        if isinstance(value, Collection):  # a tuple of classes with a name
            self.watch(self.contents(value).every, lambda item: self._caught(item, node, target))
            return
        if isinstance(value, Class):
            self.add(target, Instance(value.node))
        elif not isinstance(value, Token):
            self.add(target, self.opaque(value))

        def raised(thrown: Value) -> None:
            if isinstance(thrown, Instance) and self._catches(value, thrown):
                self.add(target, thrown)

        self.watch(self.raised, raised)
        self.give(target, self.knowledge.caught(value, node), node)

    def _catches(self, caught: Value, thrown: Instance) -> bool:
        if isinstance(caught, Class):
            return self.extends(thrown.node, caught)
        bases = [_builtin(base) for base in self.order(thrown.node)]
        kind = _builtin(caught)
        return kind is None or any(base is not None and issubclass(base, kind) for base in bases)

    # ------------------------------------------------------------------ imports

    def read_import(self, frame: Frame, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            self.add_all(self.variable(frame, frame.names.of[alias]), self.module_values(frame, name))
            if not alias.asname and "." in alias.name:
                token = self.knowledge.module(name)
                if token is not None:
                    self.knowledge.module(alias.name)

    def module_values(self, frame: Frame, name: str, level: int = 0) -> list[Value]:
        """What importing a module gives."""
        path = self.project.resolve(frame.path, name, level)
        if path is not None:
            return [Module(name, path)]
        token = self.knowledge.module("." * level + name)
        return [token or Module("." * level + name)]

    def read_import_from(self, frame: Frame, node: ast.ImportFrom) -> None:
        home = Slot()
        self.add_all(home, self.module_values(frame, node.module or "", node.level))
        for alias in node.names:
            if alias.name != "*":
                slot = self.variable(frame, frame.names.of[alias])
                self.load(home, alias.name, slot, None)
                inner = self.knowledge.module(f"{'.' * node.level}{node.module or ''}.{alias.name}")
                if inner is not None and not any(isinstance(value, Module) and value.path for value in home.values):
                    self.add(slot, inner)

    # ------------------------------------------------------------------ expressions

    def read_attribute(self, frame: Frame, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            source = self.slot(frame, node.value)
            self.load(source, self.attribute_name(frame, node), self.slot(frame, node), node)

    def read_subscript(self, frame: Frame, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Load):
            key = self.slot(frame, node.slice)
            self.read_item(self.slot(frame, node.value), node, frame, key, self.slot(frame, node))

    def read_call(self, frame: Frame, node: ast.Call) -> None:
        site = Site(node, frame, result=self.slot(frame, node))
        for argument in node.args:
            star = isinstance(argument, ast.Starred)
            site.positional.append((self.slot(frame, argument.value if star else argument), star))  # type: ignore[attr-defined]
        for keyword in node.keywords:
            if keyword.arg is None:
                site.splats.append(self.slot(frame, keyword.value))
            else:
                site.keywords[keyword.arg] = self.slot(frame, keyword.value)
        self.call(self.slot(frame, node.func), site)

    def read_display(self, frame: Frame, node: ast.Tuple | ast.List | ast.Set) -> None:
        if isinstance(node, ast.Tuple | ast.List) and not isinstance(node.ctx, ast.Load):
            return
        kind = type(node).__name__.lower()
        collection, contents = self.make(node, kind, frame)
        exact = not any(isinstance(item, ast.Starred) for item in node.elts) and not isinstance(node, ast.Set)
        contents.length = len(node.elts) if exact else None
        for index, item in enumerate(node.elts):
            if isinstance(item, ast.Starred):
                self.iterate(self.slot(frame, item.value), contents.some)
            else:
                self.flow(self.slot(frame, item), self.item(contents, index) if exact else contents.some)
        self.add(self.slot(frame, node), collection)

    def read_dict(self, frame: Frame, node: ast.Dict) -> None:
        collection, contents = self.make(node, "dict", frame)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                merge(self, self.slot(frame, value), collection)
                continue
            wanted = key_of(key)
            self.flow(self.slot(frame, value), contents.some if wanted is None else self.item(contents, wanted))
            self.flow(self.slot(frame, key), contents.keys)
        self.add(self.slot(frame, node), collection)

    def read_comprehension(self, frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        collection, _ = self.make(node, "list", frame, self.slot(frame, node.elt))
        self.add(self.slot(frame, node), collection)

    def read_dict_comprehension(self, frame: Frame, node: ast.DictComp) -> None:
        collection, contents = self.make(node, "dict", frame, self.slot(frame, node.value))
        self.flow(self.slot(frame, node.key), contents.keys)
        self.add(self.slot(frame, node), collection)

    def read_conditional(self, frame: Frame, node: ast.IfExp) -> None:
        self.flow(self.slot(frame, node.body), self.slot(frame, node))
        self.flow(self.slot(frame, node.orelse), self.slot(frame, node))

    def read_bool(self, frame: Frame, node: ast.BoolOp) -> None:
        """Of `a or b` the first is never None; of `a and b` it is what may be false."""
        result, skips_none = self.slot(frame, node), isinstance(node.op, ast.Or)

        def keep(value: Value) -> None:
            if value is not Plain.NONE if skips_none else isinstance(value, Plain | Collection | Instance):
                self.add(result, value)

        for operand in node.values[:-1]:
            self.watch(self.slot(frame, operand), keep)
        self.flow(self.slot(frame, node.values[-1]), result)

    def read_binary(self, frame: Frame, node: ast.BinOp) -> None:
        left, right = self.slot(frame, node.left), self.slot(frame, node.right)
        self._operate(frame, node, node.op, left, right, self.slot(frame, node))

    def read_unary(self, frame: Frame, node: ast.UnaryOp) -> None:
        self._operate(frame, node, node.op, self.slot(frame, node.operand), None, self.slot(frame, node))

    def read_compare(self, frame: Frame, node: ast.Compare) -> None:
        result, left = self.slot(frame, node), self.slot(frame, node.left)
        self.add(result, Plain.OTHER)
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.slot(frame, comparator)
            self._operate(frame, node, operator, left, right, result)
            if isinstance(operator, ast.In | ast.NotIn):
                self._call_operator(right, "__contains__", left, Slot())
            left = right

    def _operate(self, frame: Frame, node: ast.AST, op: ast.AST, left: Slot, right: Slot | None, result: Slot) -> None:
        self.add(result, Plain.OTHER)
        name = _OPERATORS.get(type(op))
        if name is None:
            return

        def combine(value: Value) -> None:
            if isinstance(value, Collection):
                collection, contents = self.make(node, value.kind, frame)
                self.flow(self.contents(value).every, contents.some)
                self.flow(self.contents(value).keys, contents.keys)
                self.add(result, collection)

        for slot in (left, right) if isinstance(op, _JOINING) else ():
            if slot is not None and slot is not self.other:
                self.watch(slot, combine)
        self._call_operator(left, f"__{name}__", right, result)
        if isinstance(node, ast.AugAssign):
            self._call_operator(left, f"__i{name}__", right, result)
        if right is not None:
            self._call_operator(right, f"__r{name}__", left, result)

    def _call_operator(self, left: Slot, method: str, right: Slot | None, result: Slot) -> None:
        def call(value: Value) -> None:
            if isinstance(value, Instance) and self.binder(value.node, method):
                self.call_with(self.attribute(value, method), [] if right is None else [right], result)
            elif value is Plain.UNKNOWN:
                self.add(result, value)

        if left is not self.other:
            self.watch(left, call)

    def read_text(self, frame: Frame, node: ast.expr) -> None:
        self.add(self.slot(frame, node), Plain.OTHER)

    def read_await(self, frame: Frame, node: ast.Await) -> None:
        self.await_(self.slot(frame, node.value), self.slot(frame, node))

    def read_yield(self, frame: Frame, node: ast.Yield) -> None:
        self.flow(self.slot(frame, node.value) if node.value else self.none, frame.yielded)
        self.flow(frame.sent, self.slot(frame, node))
        self.add(self.slot(frame, node), Plain.NONE)

    def read_yield_from(self, frame: Frame, node: ast.YieldFrom) -> None:
        source, result = self.slot(frame, node.value), self.slot(frame, node)

        def delegate(value: Value) -> None:
            if isinstance(value, Collection):
                self.flow(self.field(value, "return"), result)
                if value in self.generators:
                    self.flow(frame.sent, self.generators[value].sent)

        self.iterate(source, frame.yielded)
        self.watch(source, delegate)

    # ------------------------------------------------------------------ match

    def read_match(self, frame: Frame, node: ast.Match) -> None:
        subject = self.slot(frame, node.subject)
        for case in node.cases:
            self._match(frame, case.pattern, subject)

    def _match(self, frame: Frame, pattern: ast.pattern, subject: Slot) -> None:
        if isinstance(pattern, ast.MatchAs):
            if pattern.name:
                self.flow(subject, self.variable(frame, frame.names.of[pattern]))
            if pattern.pattern:
                self._match(frame, pattern.pattern, subject)
        elif isinstance(pattern, ast.MatchOr):
            for choice in pattern.patterns:
                self._match(frame, choice, subject)
        elif isinstance(pattern, ast.MatchSequence):
            star = next((i for i, each in enumerate(pattern.patterns) if isinstance(each, ast.MatchStar)), None)
            for place, inner in enumerate(pattern.patterns):
                part = Slot()
                late = star is not None and place > star
                self.unpack(subject, place - len(pattern.patterns) if late else place, part)
                if isinstance(inner, ast.MatchStar):
                    if inner.name:
                        rest, contents = self.make(inner, "list", frame)
                        self.iterate(subject, contents.some)
                        self.add(self.variable(frame, frame.names.of[inner]), rest)
                else:
                    self._match(frame, inner, part)
        elif isinstance(pattern, ast.MatchMapping):
            for key, inner in zip(pattern.keys, pattern.patterns, strict=True):
                part = Slot()
                self.read_key(subject, key_of(key), part)
                self._match(frame, inner, part)
            if pattern.rest:
                self.flow(subject, self.variable(frame, frame.names.of[pattern]))
        elif isinstance(pattern, ast.MatchClass):
            self._match_class(frame, pattern, subject)

    def _match_class(self, frame: Frame, pattern: ast.MatchClass, subject: Slot) -> None:
        for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            part = Slot()
            self.load(subject, name, part, None)
            self._match(frame, inner, part)
        for place, inner in enumerate(pattern.patterns):
            part = Slot()
            self.watch(subject, partial(self._positional, place, part))
            self._match(frame, inner, part)

    def _positional(self, place: int, part: Slot, value: Value) -> None:
        if not isinstance(value, Instance):
            self.add(part, value)  # `case str(name)` binds the subject itself
            return
        names = self.record_names(value.node)
        if place < len(names):
            self.flow(self.field(value, names[place]), part)
        else:
            for slot in tuple(self.fields.get(value, {}).values()):
                self.flow(slot, part)


def _builtin(value: Value) -> type | None:
    """The exception class of Python's own that a value is."""
    name = value.name.removeprefix("builtins.") if isinstance(value, External) else ""
    kind = getattr(builtins, name, None)
    return kind if isinstance(kind, type) and issubclass(kind, BaseException) else None


Reader: TypeAlias = Callable[[Statements, Frame, Any], None]
READERS: dict[type[ast.AST], Reader] = {
    ast.FunctionDef: Statements.read_function,
    ast.AsyncFunctionDef: Statements.read_function,
    ast.Lambda: Statements.read_function,
    ast.ClassDef: Statements.read_class,
    ast.Return: Statements.read_return,
    ast.Assign: Statements.read_assign,
    ast.AnnAssign: Statements.read_target_value,
    ast.NamedExpr: Statements.read_target_value,
    ast.AugAssign: Statements.read_augmented,
    ast.For: Statements.read_loop,
    ast.AsyncFor: Statements.read_loop,
    ast.comprehension: Statements.read_loop,
    ast.With: Statements.read_with,
    ast.AsyncWith: Statements.read_with,
    ast.Raise: Statements.read_raise,
    ast.ExceptHandler: Statements.read_handler,
    ast.Import: Statements.read_import,
    ast.ImportFrom: Statements.read_import_from,
    ast.Attribute: Statements.read_attribute,
    ast.Subscript: Statements.read_subscript,
    ast.Call: Statements.read_call,
    ast.Tuple: Statements.read_display,
    ast.List: Statements.read_display,
    ast.Set: Statements.read_display,
    ast.Dict: Statements.read_dict,
    ast.ListComp: Statements.read_comprehension,
    ast.SetComp: Statements.read_comprehension,
    ast.GeneratorExp: Statements.read_comprehension,
    ast.DictComp: Statements.read_dict_comprehension,
    ast.IfExp: Statements.read_conditional,
    ast.BoolOp: Statements.read_bool,
    ast.BinOp: Statements.read_binary,
    ast.UnaryOp: Statements.read_unary,
    ast.Compare: Statements.read_compare,
    ast.JoinedStr: Statements.read_text,
    ast.Await: Statements.read_await,
    ast.Yield: Statements.read_yield,
    ast.YieldFrom: Statements.read_yield_from,
    ast.Match: Statements.read_match,
}
